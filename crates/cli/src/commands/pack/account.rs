//! Explains a pack to a person: summary, fates of files, token tree.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use loadline::pack::ranking::Contribution;
use loadline::pack::{PackOptions, Packed, PackedPassage, Reason, Tier};
use loadline::tokens::Tokens;

use crate::ui::{Sort, TokenTree, TreeView, Ui, plural, thousands};

/// The most rows of a directory in the tree.
const TREE_ROWS: usize = 12;

/// One line: how many files in which tier, and how much of the budget is used.
pub(super) fn summary(
    packed: &Packed,
    id: &str,
    options: &PackOptions,
    took: Duration,
    ui: &mut Ui,
) {
    let of = |tier: Tier| packed.files.iter().filter(|file| file.tier == tier).count();
    let (full, signatures) = (of(Tier::Full), of(Tier::Signatures));
    let sections = of(Tier::Sections) + of(Tier::Chunks);
    let tokens = thousands(packed.tokens.get());
    let used = match options.budget {
        Some(budget) if budget.get() > 0 => {
            let percent = 100.0 * packed.tokens.get() as f64 / budget.get() as f64;
            format!("{tokens} of {} tokens ({percent:.1} %)", thousands(budget.get()))
        }
        _ => format!("{tokens} tokens"),
    };
    let omitted = packed.omitted.len();
    let counter = options.counter.name();
    ui.say(&format!(
        "{full} full, {sections} in sections, {signatures} as signatures, {omitted} omitted; \
         {used} by {counter}; pack {id}; {:.1} s",
        took.as_secs_f64()
    ));
}

/// Every file with its fate, best first, and the reasons for omissions in number.
pub(super) fn explain(packed: &Packed, options: &PackOptions, ui: &mut Ui) {
    let mut files: Vec<_> = packed.files.iter().collect();
    files.sort_by(|left, right| right.score.cmp(&left.score).then(left.path.cmp(&right.path)));
    for file in files {
        let signals = super::json::named(&file.named_signals());
        let signals: Vec<String> =
            signals.iter().map(|(name, points)| format!("{name} {points}")).collect();
        let because = file.because.as_ref().map(|reason| format!("; {reason}"));
        ui.say(&format!(
            "{:>3}  {:<10} {:>8}  {}  [{}]{}",
            file.score,
            file.tier.name(),
            thousands(file.tokens.get()),
            file.path,
            signals.join(", "),
            because.unwrap_or_default(),
        ));
        if file.task.is_some() {
            ui.say(&score_line("score", &file.parts));
        }
        for passage in &file.passages {
            let (first, last) = passage.lines;
            ui.say(&passage_line(&format!("lines {first}-{last}"), passage));
        }
    }
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for file in &packed.omitted {
        reasons.entry(file.reason.to_string()).or_default().push(&file.path);
    }
    for (reason, paths) in reasons {
        let shown: Vec<&str> = paths.iter().copied().take(5).collect();
        let more = paths.len().saturating_sub(shown.len());
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let count = plural(paths.len() as u64, "file");
        ui.say(&format!("omitted, {reason}: {count}: {}{more}", shown.join(", ")));
    }
    if let Some(hint) = hint(packed, options) {
        ui.say(&format!("hint: {hint}"));
    }
}

/// What to try where a pack is too small for what matches, or holds little of it.
fn hint(packed: &Packed, options: &PackOptions) -> Option<String> {
    let budget = options.budget?.get();
    let of =
        |wanted: &Reason| packed.omitted.iter().filter(|it| it.reason == *wanted).count() as u64;
    let (over, unmatched) = (of(&Reason::OverBudget), of(&Reason::NoMatch));
    let is_for_task = packed.files.iter().any(|file| file.task.is_some());
    let shown = packed.files.len() as u64;
    if shown == 0 && over == 0 && unmatched > 0 {
        let hint = "no file says a word of the task; name functions, files or messages of errors";
        Some(hint.to_owned())
    } else if shown == 0 || over > 10 * shown {
        let over = plural(over, "file");
        Some(format!("{over} did not fit; raise --budget, or narrow the pack by --include"))
    } else if is_for_task && packed.tokens.get() < budget / 2 {
        let half =
            "less than half of the budget is used: all that says a word of the task is shown";
        Some(format!("{half}; say more about the work, or name files with --pin"))
    } else {
        None
    }
}

/// A score and the parts that add up to it, in one line.
pub(super) fn score_line(what: &str, parts: &[Contribution]) -> String {
    let sum = Contribution::sum(parts);
    let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
    format!("     {what} {sum:.3}: {}", parts.join(", "))
}

/// A passage's score and where it comes from: parts that add up to it, or to its log odds.
fn passage_line(what: &str, passage: &PackedPassage) -> String {
    if !passage.learned {
        return score_line(what, &passage.parts);
    }
    let parts = passage.parts.iter().map(|part| format!("{} {:+.2}", part.signal, part.value));
    let parts: Vec<String> = parts.collect();
    format!("     {what} {:.3}, log odds: {}", passage.score, parts.join(", "))
}

/// Where the tokens went, by directory.
pub(super) fn tree(packed: &Packed, out: &mut impl Write) -> io::Result<()> {
    let mut tree = TokenTree::new(1);
    let mut rest = packed.tokens;
    for file in &packed.files {
        rest = rest.saturating_sub(file.tokens);
        tree.add(Path::new(&file.path), 0, &[file.tokens]);
    }
    if rest > Tokens::ZERO {
        tree.add_other("(header)", &[rest]);
    }
    let view = TreeView {
        heads: vec!["tokens".to_owned()],
        order: Sort::Tokens,
        rows: TREE_ROWS,
        all: false,
    };
    tree.write(&view, out)
}
