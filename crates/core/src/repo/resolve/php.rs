//! PHP: classes by PSR-4, and `require` by path.
//!
//! Prefixes come from `composer.json`. Without one that fits, a class is the
//! only file whose path ends like its name.

use super::super::graph::Manifest;
use super::index::{Index, join_relative, split};
use super::json;
use crate::Remark;

/// Namespace prefixes and their directories, the longest prefix first.
pub(super) struct Autoload {
    prefixes: Vec<(String, String)>,
}

impl Autoload {
    pub(super) fn new(manifests: &[Manifest<'_>], notes: &mut Vec<Remark>) -> Autoload {
        let mut prefixes = Vec::new();
        for manifest in manifests {
            let (directory, name) = split(manifest.path);
            if name != "composer.json" {
                continue;
            }
            match json::parse(manifest.text) {
                Ok(value) => read(&value, directory, &mut prefixes),
                Err(error) => notes.push(Remark::new(
                    manifest.path,
                    format!("not readable, its autoloading is unknown: {error}"),
                )),
            }
        }
        prefixes.sort_by(|left, right| right.0.len().cmp(&left.0.len()).then(left.cmp(right)));
        Autoload { prefixes }
    }

    pub(super) fn resolve(&self, index: &Index<'_>, path: &str, import: &str) -> Option<usize> {
        let import = import.strip_prefix("use ").unwrap_or(import).trim();
        if import.ends_with(".php") {
            return required(index, path, import);
        }
        let class = import.split(" as ").next().unwrap_or_default().trim();
        let class = class.trim_start_matches('\\');
        let prefixed = self.prefixes.iter().find_map(|(prefix, directory)| {
            let rest = class.strip_prefix(prefix.as_str())?.replace('\\', "/");
            index.file(&format!("{}.php", join_relative(directory, &rest)?))
        });
        prefixed.or_else(|| only(index, &format!("{}.php", class.replace('\\', "/"))))
    }
}

fn read(value: &serde_json::Value, directory: &str, prefixes: &mut Vec<(String, String)>) {
    for section in ["autoload", "autoload-dev"] {
        let Some(map) = value[section]["psr-4"].as_object() else {
            continue;
        };
        for (prefix, targets) in map {
            let several = targets.as_array().map(Vec::as_slice);
            let targets = several.unwrap_or(std::slice::from_ref(targets)).iter();
            let targets = targets.filter_map(|target| join_relative(directory, target.as_str()?));
            prefixes.extend(targets.map(|target| (prefix.clone(), target)));
        }
    }
}

fn required(index: &Index<'_>, path: &str, import: &str) -> Option<usize> {
    let name = import.rsplit(['"', '\'']).find(|part| part.ends_with(".php"))?;
    let name = name.trim_start_matches('/');
    let sibling = join_relative(split(path).0, name);
    sibling.and_then(|path| index.file(&path)).or_else(|| index.file(&join_relative("", name)?))
}

fn only(index: &Index<'_>, suffix: &str) -> Option<usize> {
    let mut candidates = index.ending(suffix);
    let first = candidates.next()?;
    (suffix.contains('/') && candidates.next().is_none()).then_some(first)
}
