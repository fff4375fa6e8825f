//! The lines of a repository that a task needs, as a pack.
//!
//! Files are not parsed or scored as for a pack of a whole repository: the
//! words of the task are looked up in an index of every file, passages are
//! ranked, and lines are chosen for the budget. The text is then written and
//! counted, and lines are chosen again until it fits and fills the budget.

mod account;
mod wishes;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::render::{Block, Document, Origin, Tier, excerpt};
use super::survey::{State, Surveyed, list, load, notes as notes_of, peek};
use super::{
    OmittedFile, PackError, PackOptions, PackOrder, Packed, Stage, changes, fit, name_of, pack,
    part,
};
use crate::Remark;
use crate::cache::Cache;
use crate::pack::ranking::task::{
    Message, Pick, Query, RankedFile, TaskSource, TaskWeights, choose, gather, joined, rank,
};
use crate::repo::{GitHistory, HistoryOptions};
use crate::repo::{WalkOptions, Walked, walk};
use crate::tokens::Tokens;
use account::account;
pub(super) use account::named;
use wishes::{Twins, Wishes};

/// How often lines are chosen again to meet the budget.
const ATTEMPTS: usize = 12;
/// The part of the budget that is enough, in percent.
const ENOUGH: u64 = 99;
/// Files that may get a part of what is left.
const TOPPED_UP: usize = 24;
/// Fewer lines than this say nothing.
const FEWEST_LINES: u32 = 3;
/// What a gap mark, or the end of a block, costs at most.
const MARK: u64 = 12;

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
/// let settings = Config::load([])?.settings().clone();
/// let mut options = PackOptions::new("o200k".parse()?, settings);
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
    let weights = TaskWeights {
        decay: options.settings.rank.decay,
        ..TaskWeights::default()
    };
    let query = Query::new(task, &weights);
    if query.is_empty() {
        let mut packed = pack(root, options, store)?;
        let message = "has no words to look for; packed by score instead";
        packed.notes.push(Remark::new("task", message));
        return Ok(packed);
    }
    let mut found = find(root, options)?;
    found
        .notes
        .extend(query.cut().map(|why| Remark::new("task", why)));
    let mut ranked = look_up(
        root,
        &found.sources,
        &query,
        &weights,
        options,
        store,
        &mut found.notes,
    );
    options.check_cancelled()?;
    options.report(Stage::Choose, 0, ranked.len());
    let wishes = Wishes::of(root, &ranked, options, &mut found.notes)?;
    wishes.apply(&mut ranked, &weights);
    let twins = if options.settings.dedup.enabled {
        Twins::part(&mut ranked)
    } else {
        Twins::default()
    };
    let stamps = found.sources.iter();
    let changed: Vec<&Path> = stamps
        .filter(|file| wishes.changed.contains(&file.path))
        .map(|file| file.stamp.path.as_path())
        .collect();
    let changes = changes::changes(root, &changed, options, &mut found.notes);
    let fitting = Fitting {
        ranked: &ranked,
        twins: &twins,
        stamps: found
            .sources
            .iter()
            .map(|file| (file.path.as_str(), file))
            .collect(),
        document: Document {
            name: name_of(root),
            legend: vec![format!(
                "Lines chosen for a task from {} text files, {}; gaps are marked.",
                ranked.len(),
                match options.order {
                    Some(PackOrder::Path) => "by path",
                    _ => "the best file first",
                }
            )],
            changes,
            ..Document::default()
        },
        options,
        texts: HashMap::new(),
        notes: Vec::new(),
    };
    let fitted = fitting.fit(&weights)?;
    Ok(account(&ranked, &twins, &weights, fitted, found))
}

/// The files of a repository, before any is opened.
pub(super) struct Found {
    pub(super) sources: Vec<TaskSource>,
    omitted: Vec<OmittedFile>,
    pub(super) notes: Vec<Remark>,
}

pub(super) fn find(root: &Path, options: &PackOptions) -> Result<Found, PackError> {
    let unlimited = WalkOptions {
        max_file_size: None,
        ..options.walk.clone()
    };
    let Walked { files, mut notes } = walk(root, &unlimited)?;
    let (open, closed): (Vec<Surveyed>, Vec<Surveyed>) = list(files, options)
        .into_iter()
        .partition(|file| matches!(file.state, State::Unreadable(_)));
    notes.extend(closed.iter().filter_map(notes_of));
    let (_, omitted) = part(closed);
    let sources = open.into_iter().map(|file| TaskSource {
        path: file.path,
        language: file.language,
        stamp: file.stamp,
    });
    Ok(Found {
        sources: sources.collect(),
        omitted,
        notes,
    })
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
    let form = match options.secrets {
        Some(_) => "redacted",
        None => "raw",
    };
    let troubles = Mutex::new(Vec::new());
    options.report(Stage::Read, 0, sources.len());
    let gathered = gather(sources, query, form, store, options.now_ns, |stamp| {
        peek(stamp, options, &troubles)
    });
    let troubles = troubles
        .into_inner()
        .unwrap_or_else(|error| error.into_inner());
    let paths: HashMap<&Path, &str> = sources
        .iter()
        .map(|file| (file.stamp.path.as_path(), file.path.as_str()))
        .collect();
    let mut troubles: Vec<Remark> = troubles
        .into_iter()
        .filter_map(|(path, why)| Some(Remark::new((*paths.get(path.as_path())?).to_owned(), why)))
        .collect();
    troubles.sort_unstable();
    notes.extend(troubles);
    let asked = HistoryOptions::new(options.now_ns);
    let history = if root.is_dir() {
        GitHistory::read(root, &asked, store)
    } else {
        GitHistory::default()
    };
    let messages: Vec<Message<'_>> = history.commits.iter().map(Message::from).collect();
    rank(&gathered.candidates, &messages, query, weights)
}

/// What fits.
struct Fitted {
    content: String,
    tokens: Tokens,
    /// The files shown, in the order of the text, with what each costs.
    shown: Vec<(usize, Block, Tokens)>,
    notes: Vec<Remark>,
}

/// A text, and the tokens of all lines before each line.
struct Measured {
    text: Arc<str>,
    sums: Vec<u64>,
}

struct Fitting<'a> {
    ranked: &'a [RankedFile],
    twins: &'a Twins,
    stamps: HashMap<&'a str, &'a TaskSource>,
    document: Document,
    options: &'a PackOptions,
    texts: HashMap<usize, Option<Measured>>,
    notes: Vec<Remark>,
}

impl Fitting<'_> {
    /// Chooses lines until the text is under the budget and near to it.
    fn fit(mut self, weights: &TaskWeights) -> Result<Fitted, PackError> {
        let budget = self.options.budget.unwrap_or(Tokens::MAX);
        let head = self.written(Vec::new())?;
        if head.tokens > budget {
            return Ok(self.nothing(budget));
        }
        // What lines cost is known only roughly, so the room for them is searched for:
        // the most that is known to fit, and the least that is known not to.
        let mut room = budget.saturating_sub(head.tokens).get();
        let (mut fits, mut exceeds) = (0, None);
        let (mut best, mut chosen) = (head, Vec::new());
        for _ in 0..ATTEMPTS {
            let picks = choose(self.ranked, room, weights, |file, ranges| {
                self.cost(file, ranges)
            });
            let fitted = self.written(picks.clone())?;
            let over = fitted.tokens.saturating_sub(budget).get();
            let left = budget.saturating_sub(fitted.tokens).get();
            if over > 0 {
                exceeds = Some(room);
                room = room.saturating_sub(over + 1).max(u64::midpoint(fits, room));
                continue;
            }
            fits = fits.max(room);
            if fitted.tokens > best.tokens {
                best = fitted;
                chosen = picks;
            }
            let enough = best.tokens.get() >= budget.get() / 100 * ENOUGH;
            room = match exceeds {
                _ if enough => break,
                Some(exceeds) if exceeds - fits < MARK => break,
                Some(exceeds) => u64::midpoint(fits, exceeds),
                None => room.saturating_add(left),
            };
        }
        let mut best = self.top_up(best, chosen, budget)?;
        if best.shown.is_empty() && self.ranked.iter().any(|file| file.score > 0.0) {
            let message = format!("no lines fit a budget of {budget} tokens");
            self.notes.push(Remark::new("budget", message));
        }
        best.notes = self.notes;
        Ok(best)
    }

    /// Spends what is left on the first lines of the best files' passages that did not fit whole.
    fn top_up(
        &mut self,
        mut best: Fitted,
        mut chosen: Vec<Pick>,
        budget: Tokens,
    ) -> Result<Fitted, PackError> {
        let mut files: Vec<usize> = (0..self.ranked.len()).collect();
        files.sort_by(|a, b| self.ranked[*b].score.total_cmp(&self.ranked[*a].score));
        for file in files.into_iter().take(TOPPED_UP) {
            let left = budget.saturating_sub(best.tokens).get();
            if left <= budget.get() / 100 * (100 - ENOUGH) || left < 2 * MARK {
                break;
            }
            let place = chosen.iter().position(|pick| pick.file == file);
            let ranges = place.map_or_else(Vec::new, |place| chosen[place].ranges.clone());
            let Some(more) = self.more_lines(file, &ranges, left) else {
                continue;
            };
            let mut picks = chosen.clone();
            match place {
                Some(place) => picks[place].ranges = more,
                None => picks.push(Pick { file, ranges: more }),
            }
            let fitted = self.written(picks.clone())?;
            if fitted.tokens <= budget && fitted.tokens > best.tokens {
                (best, chosen) = (fitted, picks);
            }
        }
        Ok(best)
    }

    /// As many lines more of a file's best passage that is not shown as fit.
    fn more_lines(
        &mut self,
        file: usize,
        ranges: &[(u32, u32)],
        left: u64,
    ) -> Option<Vec<(u32, u32)>> {
        let is_shown = |line: u32| {
            ranges
                .iter()
                .any(|range| (range.0..=range.1).contains(&line))
        };
        let passages = self.ranked[file].passages.iter();
        let passage = passages
            .filter(|passage| passage.score > 0.0)
            .find(|passage| !is_shown(passage.first))?;
        let (first, last) = (passage.first, passage.last);
        let before = match ranges {
            [] => 0,
            ranges => self.cost(file, ranges),
        };
        let ends = (first + FEWEST_LINES - 1..=last).rev();
        let mut tries = ends.map(|end| joined(ranges, (first, end)));
        tries.find(|more| self.cost(file, more) <= before.saturating_add(left))
    }

    fn nothing(mut self, budget: Tokens) -> Fitted {
        let message = format!("nothing fits a budget of {budget} tokens");
        self.notes.push(Remark::new("budget", message));
        Fitted {
            content: String::new(),
            tokens: Tokens::ZERO,
            shown: Vec::new(),
            notes: self.notes,
        }
    }

    /// About what a file costs with these lines shown, rather too much.
    fn cost(&mut self, file: usize, ranges: &[(u32, u32)]) -> u64 {
        let path = &self.ranked[file].path;
        // A heading, a fence, and a range or two.
        let frame = path.len() as u64 / 2 + 24 + 7 * ranges.len() as u64;
        let Some(measured) = self.measured(file) else {
            return u64::MAX / 4;
        };
        let at = |line: u32| {
            let sum = measured.sums.get(line as usize).or(measured.sums.last());
            sum.copied().unwrap_or(0)
        };
        let lines = ranges.iter().map(|(first, last)| at(*last) - at(first - 1));
        frame + lines.sum::<u64>() + MARK * (ranges.len() as u64 + 1)
    }

    /// Reads a file when it is first needed; one that went away costs a note.
    fn measured(&mut self, file: usize) -> Option<&Measured> {
        if !self.texts.contains_key(&file) {
            let path = self.ranked[file].path.as_str();
            let source = self.stamps.get(path)?;
            let measured = match load(&source.stamp, self.options) {
                Ok(text) => Some(measure(text.into(), self.options)),
                Err(why) => {
                    self.notes.push(Remark::new(path.to_owned(), why));
                    None
                }
            };
            self.texts.insert(file, measured);
        }
        self.texts.get(&file)?.as_ref()
    }

    fn written(&mut self, mut picks: Vec<Pick>) -> Result<Fitted, PackError> {
        if self.options.order == Some(PackOrder::Path) {
            picks.sort_by(|left, right| {
                let path = |pick: &Pick| &self.ranked[pick.file].path;
                path(left).cmp(path(right))
            });
        }
        let mut shown = Vec::with_capacity(picks.len());
        for pick in picks {
            if let Some(block) = self.block(&pick) {
                shown.push((pick.file, block));
            }
        }
        let blocks: Vec<&Block> = shown.iter().map(|(_, block)| block).collect();
        let counted = fit::written(&self.document, &blocks, self.options)?;
        let mut costs = counted.costs.into_iter();
        let shown = shown.into_iter().map(|(file, block)| {
            let tokens = costs
                .next()
                .unwrap_or_else(|| fit::cost_of(&block, self.options));
            (file, block, tokens)
        });
        Ok(Fitted {
            content: counted.text,
            tokens: counted.tokens,
            shown: shown.collect(),
            notes: Vec::new(),
        })
    }

    fn block(&mut self, pick: &Pick) -> Option<Block> {
        let path = self.ranked[pick.file].path.clone();
        let language = self.stamps.get(path.as_str())?.language;
        let line_numbers = self.options.line_numbers;
        let twins = self.twins.others.get(&pick.file);
        let twins = twins.cloned().unwrap_or_default();
        let measured = self.measured(pick.file)?;
        let lines = u32::try_from(measured.text.lines().count()).unwrap_or(u32::MAX);
        let ranges: Vec<(u32, u32)> = pick
            .ranges
            .iter()
            .map(|(first, last)| (*first, (*last).min(lines)))
            .filter(|(first, last)| first <= last)
            .collect();
        let is_full = ranges.as_slice() == [(1, lines)];
        Some(Block {
            tier: if is_full { Tier::Full } else { Tier::Chunks },
            body: excerpt(&measured.text, &ranges, language, line_numbers),
            path,
            language,
            lines,
            ranges,
            twins,
            parts: Vec::new(),
            origin: Origin::default(),
        })
    }
}

fn measure(text: Arc<str>, options: &PackOptions) -> Measured {
    let gutter = if options.line_numbers { 3 } else { 0 };
    let mut sum = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        sum += options.counter.count(line).get() + gutter;
        sum
    });
    let sums = std::iter::once(0).chain(lines).collect();
    Measured { text, sums }
}
