//! Says what to pack, and how.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Cancel, Format, PackError, PackOrder, Progress, RankBy, ShownTexts, Stage, Strategy};
use crate::repo::{Comparison, ScoreOptions, Secrets, WalkOptions, language_of};
use crate::settings::{Settings, TierSettings};
use crate::syntax::without_comments;
use crate::tokens::{Counter, Tokens};

/// What to pack, and how.
#[derive(Clone, Debug)]
pub struct PackOptions {
    /// Counts what is packed.
    pub counter: Counter,
    /// The most that the result may cost; none packs everything in full, and then
    /// scores ignore imports and exports, since nothing is parsed.
    pub budget: Option<Tokens>,
    /// How files are chosen.
    pub strategy: Strategy,
    /// How the result is written.
    pub format: Format,
    /// Whether lines have their numbers before them.
    pub line_numbers: bool,
    /// Whether every file is reduced to its signatures.
    pub compress: bool,
    /// Whether comments are taken out of texts; lines keep their numbers.
    pub remove_comments: bool,
    /// Which files are considered.
    pub walk: WalkOptions,
    /// Finds secrets to redact; none leaves texts as they are.
    pub secrets: Option<Arc<Secrets>>,
    /// Packs what changed, and what depends on it; for a task, changed files score higher.
    pub changed: Option<Comparison>,
    /// Whether what changed is shown as a diff, too.
    pub diff: bool,
    /// Whether a pack for a task begins with the task itself.
    pub task_text: bool,
    /// In which order files are written; none means by path, and for a task the
    /// most relevant file first.
    pub order: Option<PackOrder>,
    /// Files that are open in an editor; they score higher for a task.
    pub open: Vec<PathBuf>,
    /// Scores from 0 to 100 by path, in place of those that would be worked out.
    pub scores: BTreeMap<String, u32>,
    /// How files are scored when there is no task.
    pub score: ScoreOptions,
    /// Which scores and sizes lead to which tier.
    pub tiers: TierSettings,
    /// What ranks passages for a task.
    pub rank_by: RankBy,
    /// What further passages of one file are worth for a task, per 60 lines already chosen.
    pub decay: f64,
    /// The percentage of the budget for what goes with the lines of a task: its tests, its
    /// callers and the definitions that it uses.
    pub related: f64,
    /// What an earlier pack showed: it is listed rather than shown again.
    pub since: Option<ShownTexts>,
    /// Whether of equal files only the best is shown for a task.
    pub dedup: bool,
    /// The time in nanoseconds since 1970.
    pub now_ns: i64,
    /// Is told how far the work is.
    pub progress: Option<Arc<dyn Progress>>,
    /// Stops the work.
    pub cancel: Cancel,
}

impl PackOptions {
    /// Packs everything in full as markdown, with secrets redacted, at the time 0.
    ///
    /// Scores, tiers and globs are those of the settings. Most callers set
    /// [`PackOptions::budget`], too.
    pub fn new(counter: Counter, settings: &Settings) -> PackOptions {
        PackOptions {
            counter,
            budget: None,
            strategy: Strategy::named(&settings.pack.strategy).unwrap_or_default(),
            format: Format::named(&settings.pack.format).unwrap_or_default(),
            line_numbers: false,
            compress: settings.pack.compress,
            remove_comments: false,
            walk: WalkOptions {
                include: settings.pack.include.clone(),
                exclude: settings.pack.exclude.clone(),
                max_file_size: Some(settings.pack.max_file_size),
                ..WalkOptions::default()
            },
            secrets: Some(Arc::new(Secrets::builtin())),
            changed: None,
            diff: false,
            task_text: true,
            order: PackOrder::named(&settings.pack.order),
            open: Vec::new(),
            scores: BTreeMap::new(),
            score: ScoreOptions::from(settings),
            tiers: settings.tiers.clone(),
            rank_by: RankBy::named(&settings.rank.by).unwrap_or_default(),
            decay: settings.rank.decay,
            related: settings.rank.related,
            since: None,
            dedup: settings.dedup.enabled,
            now_ns: 0,
            progress: None,
            cancel: Cancel::new(),
        }
    }

    /// The same, but by points and with an outline of every file, whether or not all is shown.
    pub(super) fn with_outlines(&self) -> PackOptions {
        let budget = Some(self.budget.unwrap_or(Tokens::MAX));
        PackOptions { budget, strategy: Strategy::Greedy, ..self.clone() }
    }

    /// In which form texts are shown, for what is kept about them.
    pub(super) fn form(&self) -> &'static str {
        match (&self.secrets, self.remove_comments) {
            (Some(_), false) => "redacted",
            (None, false) => "raw",
            (Some(_), true) => "redacted-bare",
            (None, true) => "raw-bare",
        }
    }

    /// The text of a file as it is shown, free of secrets already.
    pub(super) fn bare(&self, path: &Path, text: String) -> String {
        match language_of(path).filter(|_| self.remove_comments) {
            Some(language) => without_comments(language, &text),
            None => text,
        }
    }

    pub(super) fn report(&self, stage: Stage, done: usize, total: usize) {
        if let Some(progress) = &self.progress {
            progress.at(stage, done, total);
        }
    }

    pub(super) fn check_cancelled(&self) -> Result<(), PackError> {
        if self.cancel.is_cancelled() { Err(PackError::Cancelled) } else { Ok(()) }
    }

    /// Whether anything is left out or shortened; if not, nothing has to be parsed.
    pub(super) fn is_chosen_from(&self) -> bool {
        self.budget.is_some() || self.compress
    }
}
