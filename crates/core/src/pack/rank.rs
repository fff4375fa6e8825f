//! Scores the texts of a repository: imports, history, names.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use super::PackOptions;
use super::candidate::Candidate;
use super::scored::parts;
use super::survey::{State, Surveyed, load};
use crate::Remark;
use crate::cache::Cache;
use crate::repo::{
    Changes, FileFacts, GitHistory, HistoryOptions, ImportGraph, Manifest, Signals, SourceFile,
    named_entry_points, score_files,
};
use crate::repo::{RepoError, display_path};
use crate::syntax::Import;

/// Turns texts into candidates with a score, by path.
pub(super) fn rank(
    root: &Path,
    texts: Vec<Surveyed>,
    options: &PackOptions,
    store: &Cache,
    notes: &mut Vec<Remark>,
) -> Result<Vec<Candidate>, RepoError> {
    let graph = imports(&texts, options);
    notes.extend(graph.notes().iter().cloned());
    let history = history(root, options, store, notes)?;
    let paths: Vec<String> = texts.iter().map(|file| file.path.clone()).collect();
    let entry_points = named_entry_points(&paths, |at| load(&texts[at].stamp, options).ok());
    let facts: Vec<FileFacts> = texts
        .iter()
        .enumerate()
        .map(|(number, file)| FileFacts {
            path: file.path.clone(),
            importers: graph.importers(number),
            exports: exports(file),
            commits: history.commits.get(&file.path).copied().unwrap_or(0),
            named_entry: entry_points.contains(&file.path),
            edge_case: matches!(&file.state, State::Text(facts) if facts.edge_case),
            generated: matches!(&file.state, State::Text(facts) if facts.generated.is_some()),
        })
        .collect();
    let scores = score_files(&facts, &options.score)?;
    let scores: HashMap<_, _> =
        scores.into_iter().map(|score| (score.path.clone(), score)).collect();
    let candidates = texts.into_iter().filter_map(|mut file| {
        let State::Text(facts) = std::mem::replace(&mut file.state, State::Lock) else {
            return None;
        };
        let changed = history.changed.contains(&file.path);
        // A lock file has no score; it is here because the user named it.
        let found = scores.get(&file.path);
        let (mut score, mut signals) =
            found.map_or_else(Default::default, |it| (it.score, it.signals));
        if let Some(given) = options.scores.get(&file.path) {
            signals = Signals { given: *given, ..Signals::default() };
            score = signals.score();
        }
        let pinned = found.is_some_and(|it| it.pinned);
        let (parts, new) = (parts(&signals), Candidate::new(file, *facts));
        Some(Candidate { score, signals, parts, pinned, changed, ..new })
    });
    Ok(candidates.collect())
}

fn exports(file: &Surveyed) -> u32 {
    match &file.state {
        State::Text(facts) => {
            facts.outline.as_ref().map_or(0, |outline| outline.exports.len() as u32)
        }
        _ => 0,
    }
}

fn imports(texts: &[Surveyed], options: &PackOptions) -> ImportGraph {
    let sources: Vec<Vec<String>> = texts
        .iter()
        .map(|file| match &file.state {
            State::Text(facts) => {
                facts.outline.iter().flat_map(|it| &it.imports).flat_map(named).collect()
            }
            _ => Vec::new(),
        })
        .collect();
    let files: Vec<SourceFile<'_>> = texts
        .iter()
        .zip(&sources)
        .map(|(file, imports)| SourceFile {
            path: &file.path,
            language: file.language.unwrap_or_default(),
            imports,
        })
        .collect();
    let texts_of: Vec<(String, String)> = texts
        .iter()
        .filter(|file| Manifest::is_one(&file.path))
        .filter_map(|file| Some((file.path.clone(), load(&file.stamp, options).ok()?)))
        .collect();
    let manifests: Vec<Manifest<'_>> =
        texts_of.iter().map(|(path, text)| Manifest { path, text }).collect();
    ImportGraph::build(&files, &manifests)
}

/// What an import names: in Python a module, or what is taken from it, which may be one.
fn named(import: &Import) -> Vec<String> {
    let source = &import.source;
    let is_relative = source.ends_with('.') && !import.names.is_empty();
    if !is_relative {
        return vec![source.clone()];
    }
    import.names.iter().map(|name| format!("{source}{name}")).collect()
}

/// What git says about the files, by the path as it is shown.
#[derive(Default)]
pub(super) struct Past {
    /// Commits within the window.
    pub(super) commits: BTreeMap<String, u32>,
    /// Edits, recent ones counting more.
    pub(super) edits: HashMap<String, f64>,
    pub(super) changed: BTreeSet<String>,
}

/// The commits after which an edit counts half.
const HALF_LIFE: f64 = 600.0;
/// How many commits are looked at; older edits count a tenth and less.
const COMMITS: usize = 2_000;

/// Asks git about the files below a directory.
pub(super) fn history(
    root: &Path,
    options: &PackOptions,
    store: &Cache,
    notes: &mut Vec<Remark>,
) -> Result<Past, RepoError> {
    let mut past = Past::default();
    // A single file has no history of its own here.
    if !root.is_dir() {
        return Ok(past);
    }
    let asked = HistoryOptions {
        window: Some(options.score.points.git_window),
        messages: COMMITS,
        ..HistoryOptions::new(options.now_ns)
    };
    let history = GitHistory::read(root, &asked, store);
    for (path, activity) in history.activity() {
        past.commits.insert(display_path(path), activity.commits);
    }
    for (age, commit) in history.commits.iter().enumerate() {
        let weight = 0.5_f64.powf(age as f64 / HALF_LIFE);
        for file in &commit.files {
            *past.edits.entry(display_path(file)).or_default() += weight;
        }
    }
    // A directory without git is common and needs no remark; a repository that git
    // cannot read does.
    if history.tree.is_some() || has_repository(root) {
        notes.extend(history.notes);
    }
    if let Some(comparison) = &options.changed {
        let changed = Changes::find(root, comparison)?;
        past.changed.extend(changed.existing().map(display_path));
        notes.extend(changed.notes);
    }
    Ok(past)
}

/// Tells whether a directory looks like part of a git repository.
fn has_repository(root: &Path) -> bool {
    let root = root.canonicalize();
    root.is_ok_and(|root| root.ancestors().any(|above| above.join(".git").exists()))
}
