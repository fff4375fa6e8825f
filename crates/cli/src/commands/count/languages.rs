//! Languages, one per row.

use std::cmp::Reverse;
use std::io::{self, Write};

use loadline::repo::LanguageCount;

use super::Sort;
use super::counted::{Counted, first, numbers};
use crate::ui::{STRONG, Table, percent, thousands};

/// What files without a known language are called.
const OTHER: &str = "other";

/// Adds up the files by language, in the order that was asked for.
pub(super) fn sorted(counted: &Counted<'_>) -> Vec<LanguageCount> {
    let mut languages = counted.report.by_language();
    match counted.args.sort {
        Sort::Tokens => {}
        Sort::Path => languages.sort_by_key(|language| language.language),
        Sort::Lines => languages.sort_by_key(|language| Reverse(language.lines)),
    }
    languages
}

/// Writes the table of languages.
pub(super) fn write(counted: &Counted<'_>, out: &mut impl Write) -> io::Result<()> {
    let columns = "r".repeat(counted.counters.list.len() + 3);
    let mut table = Table::new(&format!("{columns}l"));
    let heads = ["files", "lines", "share", "language"].map(str::to_owned);
    table.head(counted.heads().chain(heads));

    let total = counted.total();
    let (mut files, mut lines) = (0, 0);
    for language in sorted(counted) {
        let cells = [
            thousands(language.files),
            thousands(language.lines),
            percent(first(&language.tokens).get(), first(&total).get()),
            language.language.unwrap_or(OTHER).to_owned(),
        ];
        table.row(numbers(&language.tokens).chain(cells));
        files += language.files;
        lines += language.lines;
    }
    let cells = [thousands(files), thousands(lines), String::new()];
    let cells = cells.into_iter().chain(["total".to_owned()]);
    table.styled(STRONG, numbers(&total).chain(cells));
    table.write(out)
}
