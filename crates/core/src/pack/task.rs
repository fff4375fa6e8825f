//! Packs the lines of a repository that a task needs.
//!
//! Files are not parsed or scored as for a pack of a whole repository: the
//! words of the task are looked up in an index of every file, passages are
//! ranked, and lines are chosen for the budget.

mod account;
mod compose;
mod preferences;
mod related;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use super::page::Page;
use super::page::beginning;
use super::render::{Document, Part};
use super::survey::{State, Surveyed, list, load, load_for_index, remark};
use super::{
    OmittedFile, PackError, PackOptions, PackOrder, Packed, RankBy, Stage, changes, name_of, pack,
    part,
};
use crate::Remark;
use crate::cache::{Cache, FileStamp};
use crate::pack::ranking::task::{
    Gathered, Message, Past, Query, RankedFile, TaskSource, TaskWeights, Trees, alike, gather, rank,
};
use crate::repo::{GitHistory, HistoryOptions};
use crate::repo::{WalkOptions, Walked, walk};
use crate::tokens::Tokens;
use account::account;
pub(super) use account::named;
use compose::{Composer, Shown};
use preferences::{Copies, Preferences};

/// The task's own text takes at most one in so many tokens of the budget.
const TASK_PART: u64 = 20;

/// Packs the lines of a repository that a task needs.
///
/// The best file comes first. Pinned files come before all others: whole, or
/// their best passages where they are too large. Files that changed, that are
/// open or that globs name score higher, and of equal files one is shown. A
/// task that has no words to look for gives the same as [`pack`], with a note.
///
/// ```
/// use loadline::pack::{PackOptions, pack_for_task};
/// use loadline::settings::Config;
/// use loadline::cache::Cache;
/// use loadline::tokens::Tokens;
/// # let root = tempfile::tempdir()?;
/// # std::fs::write(root.path().join("clock.py"), "def expire(session):\n    pass\n")?;
/// # std::fs::write(root.path().join("other.py"), "def unrelated():\n    pass\n")?;
/// let config = Config::load([])?;
/// let mut options = PackOptions::new("o200k".parse()?, config.settings());
/// options.budget = Some(Tokens::new(1_000));
/// let task = "sessions expire too early";
/// let packed = pack_for_task(root.path(), task, &options, &Cache::disabled())?;
/// assert_eq!(packed.files[0].path, "clock.py");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack_for_task(
    root: &Path,
    task: &str,
    options: &PackOptions,
    store: &Cache,
) -> Result<Packed, PackError> {
    let weights = TaskWeights { decay: options.decay, ..TaskWeights::default() };
    let query = Query::new(task, &weights);
    if query.is_empty() {
        let mut packed = pack(root, options, store)?;
        let message = "has no words to look for; packed by score instead";
        packed.notes.push(Remark::new("task", message));
        return Ok(packed);
    }
    let mut found = find(root, options)?;
    found.notes.extend(query.cut().map(|why| Remark::new("task", why)));
    let mut ranked =
        look_up(root, &found.sources, &query, &weights, options, store, &mut found.notes);
    options.check_cancelled()?;
    options.report(Stage::Choose, 0, ranked.len());
    let preferences = Preferences::of(root, &ranked, options, &mut found.notes)?;
    preferences.apply(&mut ranked, &weights);
    let copies = if options.dedup { Copies::part(&mut ranked) } else { Copies::default() };
    let document = document(root, task, ranked.len(), options, &mut found.notes)?;
    let mut page = Page::new(document, options);
    let mut related = Vec::new();
    if options.related > 0.0 {
        related = related::related(&mut page, &ranked, &mut found, options, store);
    }
    let composer = Composer::new(page, options, &ranked, &found.sources, &copies, &weights);
    let shown = fit(composer.with_related(&related), &mut found.notes, options)?;
    Ok(account(&ranked, &copies, &weights, shown, found, options))
}

/// The head of a pack for a task.
fn document(
    root: &Path,
    task: &str,
    texts: usize,
    options: &PackOptions,
    notes: &mut Vec<Remark>,
) -> Result<Document, PackError> {
    let order = match options.order {
        Some(PackOrder::Path) => "by path",
        _ => "most relevant file first",
    };
    let diff = changes::diff(root, options, notes)?;
    let legend =
        format!("Lines chosen for a task from {texts} text files, {order}; gaps are marked.");
    Ok(Document {
        name: name_of(root),
        legend: vec![legend],
        before: task_text(task, options).into_iter().chain(diff).collect(),
        ..Document::default()
    })
}

/// The task itself, so that a pack says what it was made for.
fn task_text(task: &str, options: &PackOptions) -> Option<Part> {
    let budget = options.budget.filter(|_| options.task_text);
    let most = Tokens::new(budget?.get() / TASK_PART);
    let (text, _) = beginning(task.trim_end(), &options.counter, most);
    let heading = Some("Task".to_owned());
    (!text.is_empty()).then(|| Part { name: "task", heading, text, ..Part::default() })
}

/// Chooses lines within the budget; none where not even the head fits.
fn fit(
    mut composer: Composer<'_>,
    notes: &mut Vec<Remark>,
    options: &PackOptions,
) -> Result<Shown, PackError> {
    let budget = options.budget.unwrap_or(Tokens::MAX);
    let fitted = composer.fit(budget);
    notes.extend(composer.take_notes());
    let (shown, message) = match fitted {
        Ok(shown) if shown.blocks.is_empty() && composer.is_wanted() => (shown, "no lines fit"),
        Ok(shown) => return Ok(shown),
        Err(PackError::Fit(_)) => (Shown::default(), "nothing fits"),
        Err(error) => return Err(error),
    };
    let message = format!("{message} a budget of {budget} tokens");
    notes.push(Remark::new("budget", message));
    Ok(shown)
}

/// The files of a repository, before any is opened.
pub(super) struct Found {
    pub(super) sources: Vec<TaskSource>,
    omitted: Vec<OmittedFile>,
    pub(super) notes: Vec<Remark>,
}

pub(super) fn find(root: &Path, options: &PackOptions) -> Result<Found, PackError> {
    let unlimited = WalkOptions { max_file_size: None, ..options.walk.clone() };
    let Walked { files, mut notes } = walk(root, &unlimited)?;
    let (open, closed): (Vec<Surveyed>, Vec<Surveyed>) = list(files, options)
        .into_iter()
        .partition(|file| matches!(file.state, State::Unreadable(_)));
    notes.extend(closed.iter().filter_map(remark));
    let (_, omitted) = part(closed);
    let sources = open.into_iter().map(|file| TaskSource {
        path: file.path,
        language: file.language,
        stamp: file.stamp,
    });
    Ok(Found { sources: sources.collect(), omitted, notes })
}

/// Ranks all texts for the task, in the order of their files.
pub(super) fn look_up(
    root: &Path,
    sources: &[TaskSource],
    query: &Query,
    weights: &TaskWeights,
    options: &PackOptions,
    store: &Cache,
    notes: &mut Vec<Remark>,
) -> Vec<RankedFile> {
    let gathered = gathered(sources, query, options, store, notes);
    let asked = HistoryOptions::new(options.now_ns);
    let history =
        if root.is_dir() { GitHistory::read(root, &asked, store) } else { GitHistory::default() };
    let messages: Vec<Message<'_>> = history.commits.iter().map(Message::from).collect();
    let trees = match options.rank_by {
        RankBy::Learned => Some(Trees::builtin()),
        RankBy::Formula => None,
    };
    let files = &gathered.candidates;
    let past = match (trees, &history.tree) {
        (Some(_), Some(tree)) => {
            let alike = alike(files, &messages, query, weights);
            let stamps: HashMap<&str, &FileStamp> =
                sources.iter().map(|source| (source.path.as_str(), &source.stamp)).collect();
            let text = |file: usize| {
                let stamp = stamps.get(files[file].path.as_str())?;
                load(stamp, options).ok()
            };
            let ids: Vec<&str> = alike.iter().map(|it| it.id).collect();
            Past::of(&GitHistory::patches(root, &ids), &alike, &tree.prefix(), files, text)
        }
        _ => Past::default(),
    };
    rank(files, &messages, &past, query, weights, trees)
}

/// Looks the words of a query up in all texts.
pub(super) fn gathered(
    sources: &[TaskSource],
    query: &Query,
    options: &PackOptions,
    store: &Cache,
    notes: &mut Vec<Remark>,
) -> Gathered {
    let form = options.form();
    let failures = Mutex::new(Vec::new());
    options.report(Stage::Read, 0, sources.len());
    let gathered = gather(sources, query, form, store, options.now_ns, |stamp| {
        load_for_index(stamp, options, &failures)
    });
    let failures = failures.into_inner().unwrap_or_else(|error| error.into_inner());
    let paths: HashMap<&Path, &str> =
        sources.iter().map(|file| (file.stamp.path.as_path(), file.path.as_str())).collect();
    let mut remarks: Vec<Remark> = failures
        .into_iter()
        .filter_map(|(path, why)| Some(Remark::new((*paths.get(path.as_path())?).to_owned(), why)))
        .collect();
    remarks.sort_unstable();
    notes.extend(remarks);
    gathered
}
