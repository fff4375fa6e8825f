//! `paths` and `baseUrl` of `tsconfig.json` and `jsconfig.json`.
//!
//! `extends` is followed inside the repository. Of `paths`, an exact name wins,
//! then the pattern with the longest part before its star.

use std::collections::HashMap;

use serde_json::Value;

use super::super::graph::Manifest;
use super::index::{ancestors, join_relative, split};
use super::json;
use crate::Remark;

/// A chain of `extends` longer than this is a loop.
const LONGEST_CHAIN: usize = 16;

/// What one configuration maps.
#[derive(Clone, Debug, Default)]
struct Mapping {
    /// Where names that nothing maps are looked for.
    base: Option<String>,
    /// Pattern and targets, from the root of the repository.
    paths: Vec<(String, Vec<String>)>,
}

/// All configurations, by the directory they apply to.
pub(super) struct TsConfigs<'a> {
    by_directory: HashMap<&'a str, Mapping>,
}

impl<'a> TsConfigs<'a> {
    pub(super) fn new(manifests: &[Manifest<'a>], notes: &mut Vec<Remark>) -> TsConfigs<'a> {
        let mut parsed = HashMap::new();
        for manifest in manifests {
            let (_, name) = split(manifest.path);
            if !name.ends_with(".json") || name == "composer.json" {
                continue;
            }
            match json::parse(manifest.text) {
                Ok(value) => drop(parsed.insert(manifest.path, value)),
                Err(error) => notes.push(Remark::new(
                    manifest.path,
                    format!("not readable, its paths are unknown: {error}"),
                )),
            }
        }
        let applies = |path: &str| matches!(split(path).1, "tsconfig.json" | "jsconfig.json");
        let mut paths: Vec<&'a str> = parsed.keys().copied().collect();
        // In a directory with both, `tsconfig.json` comes last and stays.
        paths.sort_unstable();
        let by_directory = paths
            .into_iter()
            .filter(|path| applies(path))
            .map(|path| (split(path).0, mapping(&parsed, path)))
            .collect();
        TsConfigs { by_directory }
    }

    /// Returns the paths that a name may stand for in a directory, most specific first.
    pub(super) fn candidates(&self, directory: &str, import: &str) -> Vec<String> {
        let nearest = ancestors(directory).find_map(|it| self.by_directory.get(it));
        let Some(mapping) = nearest else {
            return Vec::new();
        };
        let mut candidates = mapping.targets(import);
        let based = mapping.base.as_ref();
        candidates.extend(based.and_then(|base| join_relative(base, import)));
        candidates
    }
}

impl Mapping {
    fn targets(&self, import: &str) -> Vec<String> {
        let fits = self.paths.iter().filter_map(|(pattern, targets)| {
            let middle = fit(pattern, import)?;
            let stem = pattern.find('*').unwrap_or(usize::MAX);
            Some((stem, middle, targets))
        });
        let best = fits.max_by_key(|(stem, _, _)| *stem);
        let Some((_, middle, targets)) = best else {
            return Vec::new();
        };
        let filled = targets.iter().map(|target| target.replacen('*', middle, 1));
        filled.collect()
    }
}

/// Returns what the star of a pattern stands for, or nothing where it does not fit.
fn fit<'i>(pattern: &str, import: &'i str) -> Option<&'i str> {
    match pattern.split_once('*') {
        None => (pattern == import).then_some(""),
        Some((before, after)) => import.strip_prefix(before)?.strip_suffix(after),
    }
}

/// Reads a configuration and those it extends; what is nearer wins.
fn mapping(parsed: &HashMap<&str, Value>, path: &str) -> Mapping {
    let mut mapping = Mapping::default();
    let mut has_paths = false;
    let mut open = vec![path.to_owned()];
    for _ in 0..LONGEST_CHAIN {
        let Some(path) = open.pop() else { break };
        let Some(value) = parsed.get(path.as_str()) else {
            continue;
        };
        let (directory, _) = split(&path);
        let options = &value["compilerOptions"];
        let base = options["baseUrl"].as_str();
        let base = base.and_then(|base| join_relative(directory, base));
        if let Some(paths) = options["paths"].as_object().filter(|_| !has_paths) {
            has_paths = true;
            let root = base.as_deref().or(mapping.base.as_deref());
            let root = root.unwrap_or(directory).to_owned();
            mapping.paths = paths
                .iter()
                .map(|(pattern, targets)| (pattern.clone(), placed(&root, targets)))
                .collect();
        }
        mapping.base = mapping.base.or(base);
        // Of several, the last wins, so it must be looked at first.
        open.extend(extended(directory, &value["extends"]));
    }
    mapping
}

fn placed(root: &str, targets: &Value) -> Vec<String> {
    let targets = targets.as_array().into_iter().flatten();
    let targets = targets.filter_map(Value::as_str);
    targets.filter_map(|target| join_relative(root, target)).collect()
}

fn extended(directory: &str, extends: &Value) -> Vec<String> {
    let several = extends.as_array().map(Vec::as_slice);
    let names = several.unwrap_or(std::slice::from_ref(extends)).iter();
    let names = names.filter_map(Value::as_str);
    let paths = names.filter(|name| name.starts_with('.')).filter_map(|name| {
        let path = join_relative(directory, name)?;
        Some(if path.ends_with(".json") { path } else { format!("{path}.json") })
    });
    paths.collect()
}
