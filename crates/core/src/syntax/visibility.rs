//! Tells whether other files can use a definition.
//!
//! By the rules of its language, as far as one file shows them. A member counts
//! only when what it is a member of does.

use std::collections::HashSet;

use super::extract::Placed;
use super::outline::{Definition, DefinitionKind};
use super::style::Visibility;

/// A definition with everything that decides its visibility.
pub(super) struct Candidate<'a, 'tree> {
    pub(super) placed: &'a Placed<'a, 'tree>,
    pub(super) name: &'a str,
    /// Its text up to the name.
    pub(super) head: &'a str,
    /// Comments and attributes before it.
    pub(super) lead: &'a str,
    pub(super) parent: Option<(&'a Definition, &'a Placed<'a, 'tree>)>,
    /// Names that a statement elsewhere exports.
    pub(super) locals: &'a HashSet<&'a str>,
    pub(super) is_header: bool,
}

/// Decides for one definition; its parent has been decided already.
pub(super) fn is_exported(rule: Visibility, candidate: &Candidate<'_, '_>) -> bool {
    let by_itself = match rule {
        Visibility::All => true,
        Visibility::Word(words) => candidate.has_word(words) || candidate.is_in_interface(),
        Visibility::NotWord(words) => !candidate.has_word(words),
        Visibility::Underscore => candidate.is_public_name(),
        Visibility::UpperCase => candidate.is_capitalised(),
        Visibility::Export => candidate.is_script_export(),
        Visibility::Rust => candidate.is_rust_public(),
        Visibility::Cpp => candidate.is_cpp_public(),
        Visibility::Ruby => candidate.is_ruby_public(),
    };
    // What an impl holds decides about the impl, not the other way round.
    let parent = candidate.parent.map(|(parent, _)| parent);
    let inside = parent.is_none_or(|parent| {
        parent.exported || parent.kind == DefinitionKind::Impl || rule == Visibility::Cpp
    });
    by_itself && inside
}

/// Decides what depends on members: an impl is worth showing when one of its
/// methods is.
pub(super) fn settle(rule: Visibility, definitions: &mut [Definition]) {
    if rule != Visibility::Rust {
        return;
    }
    let parents =
        definitions.iter().filter(|member| member.exported).filter_map(|member| member.parent);
    for parent in parents.collect::<Vec<_>>() {
        if let Some(parent) = definitions.get_mut(parent)
            && parent.kind == DefinitionKind::Impl
        {
            parent.exported = true;
        }
    }
}

impl Candidate<'_, '_> {
    fn has_word(&self, words: &[&str]) -> bool {
        let mut head = self.head.split(|letter: char| !letter.is_alphanumeric());
        head.any(|word| words.contains(&word))
    }

    fn is_in_interface(&self) -> bool {
        use DefinitionKind::{Enum, Interface};
        let kind = self.parent.map(|(parent, _)| parent.kind);
        matches!(kind, Some(Interface | Enum))
            || self.placed.found.kind == DefinitionKind::Module
            || matches!(kind, Some(DefinitionKind::Module)) && !self.has_word(&["private"])
    }

    fn is_public_name(&self) -> bool {
        let is_special = self.name.starts_with("__") && self.name.ends_with("__");
        let listed = self.parent.is_some() || self.locals.is_empty();
        if listed {
            is_special || !self.name.starts_with('_')
        } else {
            self.locals.contains(self.name)
        }
    }

    /// In Go, a method counts only when its receiver's type does.
    fn is_capitalised(&self) -> bool {
        let capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
        let receiver = self.head.split_once('(').map(|(_, receiver)| receiver);
        let mut words = receiver.unwrap_or_default().split(['*', ' ', ')', '[']);
        let type_name = words.rfind(|word| word.chars().any(char::is_alphanumeric));
        capital(self.name) && type_name.is_none_or(capital)
    }

    fn is_script_export(&self) -> bool {
        let Some((parent, _)) = self.parent else {
            return self.placed.wrapped_in_export || self.locals.contains(self.name);
        };
        if parent.kind == DefinitionKind::Module {
            return self.placed.wrapped_in_export;
        }
        !self.name.starts_with('#') && !self.has_word(&["private", "protected"])
    }

    fn is_rust_public(&self) -> bool {
        let found = self.placed.found;
        match (found.kind, self.parent) {
            (DefinitionKind::Impl, _) => found.node.child_by_field_name("trait").is_some(),
            (DefinitionKind::Macro, _) => self.lead.contains("macro_export"),
            // The methods of a trait's implementation are known from the trait.
            (_, Some((parent, _))) if parent.kind == DefinitionKind::Trait => true,
            _ => self.head.trim_start().starts_with("pub"),
        }
    }

    fn is_cpp_public(&self) -> bool {
        use DefinitionKind::{Class, Struct};
        match self.parent {
            Some((parent, _)) if matches!(parent.kind, Class | Struct) => {
                let default = if parent.kind == Class { "private" } else { "public" };
                let section = self.placed.section.unwrap_or(default);
                parent.exported && section.starts_with("public")
            }
            Some((parent, _)) => parent.exported,
            None => self.is_header || !self.has_word(&["static"]),
        }
    }

    fn is_ruby_public(&self) -> bool {
        let section = self.placed.section.unwrap_or("public");
        section == "public" && !self.has_word(&["private", "protected"])
    }
}
