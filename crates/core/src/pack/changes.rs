//! Shows what changed since a revision, as a diff at the head of a pack.

use std::path::Path;

use super::PackOptions;
use super::render::Changes;
use crate::Remark;
use crate::fit::fit_prefix;
use crate::repo::diff;
use crate::tokens::{Counter, Tokens};

/// The most of the budget that a diff may take, in percent.
const MOST_PERCENT: u64 = 40;

/// The diff of these files, which may be shown; secrets are taken out of it, too.
pub(super) fn changes(
    root: &Path,
    paths: &[&Path],
    options: &PackOptions,
    notes: &mut Vec<Remark>,
) -> Option<Changes> {
    let since = options.changed_since.as_ref().filter(|_| options.diff)?;
    let text = match diff(root, since, paths) {
        Ok(text) => text,
        Err(why) => {
            notes.push(Remark::new("diff", why));
            return None;
        }
    };
    let text = match &options.secrets {
        Some(secrets) => secrets.redact(&text).0.into_owned(),
        None => text,
    };
    let most = options.budget.map(|budget| {
        let percent = budget.get() / 100 * MOST_PERCENT;
        Tokens::new(percent)
    });
    let (text, cut) = match most {
        Some(most) => head(&text, &options.counter, most),
        None => (text, 0),
    };
    if cut > 0 {
        let message = format!("cut to {MOST_PERCENT} % of the budget: {cut} lines left out");
        notes.push(Remark::new("diff", message));
    }
    (!text.is_empty()).then(|| Changes { since: since.clone(), text })
}

/// The first lines that fit, and how many are left out.
fn head(text: &str, counter: &Counter, most: Tokens) -> (String, usize) {
    if counter.count_up_to(text, most).is_some() {
        return (text.to_owned(), 0);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let of = |count: usize| {
        let left = lines.len() - count;
        format!("{}... ({left} more lines)\n", lines[..count].concat())
    };
    match fit_prefix(lines.len(), most, counter, of) {
        Some(head) if head.taken > 0 => (head.text, lines.len() - head.taken),
        _ => (String::new(), lines.len()),
    }
}
