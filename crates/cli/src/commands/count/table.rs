//! Files, one per row.

use std::io::{self, Write};

use loadline::repo::display_path;

use super::counted::{Counted, add, first, numbers};
use crate::ui::{FAINT, STRONG, Table, percent, plural, thousands};

/// Writes the table of files.
pub(super) fn write(counted: &Counted<'_>, out: &mut impl Write) -> io::Result<()> {
    let columns = "r".repeat(counted.counters.list.len() + 2);
    let mut table = Table::new(&format!("{columns}l"));
    let heads = ["lines", "share", "path"].map(str::to_owned);
    table.head(counted.heads().chain(heads));

    let total = counted.total();
    let all = &counted.report.files;
    let (files, rest) = all.split_at(counted.args.rows().min(all.len()));
    for file in files {
        let share = percent(first(&file.tokens).get(), first(&total).get());
        let cells = [thousands(file.lines), share, display_path(&file.path)];
        table.row(numbers(&file.tokens).chain(cells));
    }
    if !rest.is_empty() {
        let mut tokens = Vec::new();
        rest.iter().for_each(|file| add(&mut tokens, &file.tokens));
        let share = percent(first(&tokens).get(), first(&total).get());
        let lines = thousands(rest.iter().map(|file| file.lines).sum());
        let what = format!("... and {}", plural(rest.len() as u64, "more file"));
        let cells = [lines, share, what];
        table.styled(FAINT, numbers(&tokens).chain(cells));
    }
    let lines = thousands(all.iter().map(|file| file.lines).sum());
    let what = format!("total, {}", plural(all.len() as u64, "file"));
    table.styled(STRONG, numbers(&total).chain([lines, String::new(), what]));
    table.write(out)
}
