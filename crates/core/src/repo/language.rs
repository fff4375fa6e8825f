//! Names the language of a file, by its name.
//!
//! The names also serve as hints after a Markdown fence, so they are lower
//! case and the ones that highlighters know.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

use super::names::NAMES;

/// Returns the language of a file by its name, or `None` where the name says nothing.
///
/// Case does not matter. `Dockerfile.dev` is a Dockerfile.
///
/// ```
/// use loadline::repo::language_of;
/// assert_eq!(language_of("src/main.rs".as_ref()), Some("rust"));
/// assert_eq!(language_of("Makefile".as_ref()), Some("makefile"));
/// assert_eq!(language_of("LICENSE".as_ref()), None);
/// ```
pub fn language_of(path: &Path) -> Option<&'static str> {
    let names = &NAMES.file_names;
    find(names, path.file_name()?)
        .or_else(|| find(&NAMES.extensions, path.extension()?))
        .or_else(|| find(names, path.file_stem()?))
}

fn find(table: &'static HashMap<String, String>, name: &OsStr) -> Option<&'static str> {
    let name = name.to_str()?.to_ascii_lowercase();
    table.get(&name).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_lower_case() {
        for (name, language) in NAMES.file_names.iter().chain(&NAMES.extensions) {
            assert_eq!(name.to_lowercase(), *name);
            assert_eq!(language.to_lowercase(), *language);
        }
    }
}
