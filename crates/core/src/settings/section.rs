//! One declaration per section: its fields are its keys.
//!
//! The macro makes a plain struct, the list of its keys with their rules, and
//! the function that reads it. So a key is spelled once, as a field name, and
//! a field cannot exist without a rule. The price is a macro of forty lines.

use crate::settings::ConfigError;
use crate::settings::key::Key;
use crate::settings::values::Values;

/// A table of the configuration.
pub(super) trait Section: Sized {
    /// Adds the section's keys, in the order of the defaults.
    fn collect_keys(keys: &mut Vec<Key>);

    /// Reads the section from merged values.
    fn read(values: &Values) -> Result<Self, ConfigError>;
}

/// Declares a section. `in "budget."` is the prefix of its keys; `tables` are
/// sections within it.
macro_rules! section {
    (
        $(#[$doc:meta])*
        $name:ident in $prefix:literal {
            $($(#[$field_doc:meta])* $field:ident: $type:ty = $kind:expr,)*
        }
        $(tables { $($(#[$table_doc:meta])* $table:ident: $table_type:ty,)* })?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
            $($($(#[$table_doc])* pub $table: $table_type,)*)?
        }

        impl Section for $name {
            fn collect_keys(keys: &mut Vec<Key>) {
                $(keys.push(Key {
                    path: concat!($prefix, stringify!($field)),
                    rule: const { &$kind },
                });)*
                $($(<$table_type as Section>::collect_keys(keys);)*)?
            }

            fn read(values: &Values) -> Result<Self, ConfigError> {
                Ok($name {
                    $($field: values.read(concat!($prefix, stringify!($field)), &$kind)?,)*
                    $($($table: Section::read(values)?,)*)?
                })
            }
        }
    };
}

pub(super) use section;
