//! An amount that grows, drawn in blocks.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::FAINT;

/// Rows of the drawing, without its axis.
const ROWS: u64 = 8;

/// The most columns of one step, so that few steps are not drawn as walls.
const STEP: usize = 6;

/// A cell by how many eighths of it are filled.
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

const CALM: Style = AnsiColor::Cyan.on_default();
const FULLER: Style = AnsiColor::Yellow.on_default();
const FULL: Style = AnsiColor::Red.on_default();

/// A window that fills step by step.
pub(crate) struct Chart<'a> {
    /// What is in it after each step.
    pub(crate) steps: &'a [u64],
    /// What it holds.
    pub(crate) window: u64,
    /// The columns there are for the drawing and its labels.
    pub(crate) width: usize,
    /// What a step is called.
    pub(crate) noun: &'a str,
}

impl Chart<'_> {
    /// Draws the chart; nothing where there is nothing to draw.
    ///
    /// It reaches up to the window once a third of that is filled, and to the
    /// highest step otherwise.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let peak = self.steps.iter().copied().max().unwrap_or(0);
        if peak == 0 {
            return Ok(());
        }
        let shows_window = peak.saturating_mul(3) >= self.window;
        let top = if shows_window { peak.max(self.window) } else { peak };
        let label = |row: u64| short(part(top, row, ROWS));
        let gutter = (0..=ROWS).map(|row| label(row).len()).max().unwrap_or(0);
        let columns = self.columns(gutter);
        for row in (0..ROWS).rev() {
            // Every second line has a label, the highest one among them.
            let label =
                if (ROWS - 1 - row).is_multiple_of(2) { label(row + 1) } else { String::new() };
            let cells: String = columns.iter().map(|step| cell(*step, top, row)).collect();
            let (style, cells) = (self.style(part(top, row, ROWS)), cells.trim_end());
            writeln!(out, "{FAINT}{label:>gutter$} ┤{FAINT:#}{style}{cells}{style:#}")?;
        }
        self.write_axis(gutter, columns.len(), out)
    }

    /// Chooses the step that each column shows.
    fn columns(&self, gutter: usize) -> Vec<u64> {
        let steps = self.steps.len();
        let width = self.width.saturating_sub(gutter + 2).max(1);
        let width = width.min(steps.saturating_mul(STEP));
        let step = |column: usize| ((column + 1) * steps).div_ceil(width) - 1;
        let columns = (0..width).map(|column| self.steps.get(step(column)));
        columns.map(|step| step.copied().unwrap_or(0)).collect()
    }

    fn write_axis(&self, gutter: usize, width: usize, out: &mut impl Write) -> io::Result<()> {
        let line = "─".repeat(width);
        writeln!(out, "{FAINT}{:>gutter$} ┼{line}{FAINT:#}", 0)?;
        let (first, last) = (format!("{} 1", self.noun), self.steps.len().to_string());
        let gap = width.saturating_sub(first.len() + last.len());
        let last = if gap > 0 { last.as_str() } else { "" };
        let pad = " ".repeat(gutter + 2);
        writeln!(out, "{FAINT}{pad}{first}{}{last}{FAINT:#}", " ".repeat(gap))
    }

    /// The colour of what fills the window beyond `floor`.
    fn style(&self, floor: u64) -> Style {
        match floor {
            floor if floor >= part(self.window, 4, 5) => FULL,
            floor if floor >= part(self.window, 3, 5) => FULLER,
            _ => CALM,
        }
    }
}

/// Draws the part of a step that lies in a row.
fn cell(step: u64, top: u64, row: u64) -> char {
    let eighths = part(ROWS * 8, step, top).max(u64::from(step > 0));
    let filled = eighths.saturating_sub(row * 8).min(8);
    let index = usize::try_from(filled).unwrap_or_default();
    EIGHTHS.get(index).copied().unwrap_or(' ')
}

/// Returns whole × part / parts, however large they are.
fn part(whole: u64, part: u64, parts: u64) -> u64 {
    let share = u128::from(whole) * u128::from(part) / u128::from(parts.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

/// Writes an amount in at most five characters: 812, 9.4k, 128k, 1.2m.
pub(crate) fn short(amount: u64) -> String {
    let scaled = |unit: u64, name: &str| match amount / unit {
        0..10 => format!("{}.{}{name}", amount / unit, amount % unit * 10 / unit),
        whole => format!("{whole}{name}"),
    };
    match amount {
        0..1_000 => amount.to_string(),
        1_000..1_000_000 => scaled(1_000, "k"),
        _ => scaled(1_000_000, "m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(steps: &[u64], window: u64) -> String {
        let chart = Chart { steps, window, width: 20, noun: "turn" };
        let mut out = Vec::new();
        chart.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_filling_window_is_drawn_within_twelve_lines() {
        let steps: Vec<u64> = (1..=40).map(|step| step * 25).collect();
        insta::assert_snapshot!(drawn(&steps, 1_000), @r"
        1.0k ┤            ▄█
             ┤          ▃███
         750 ┤        ▁▆████
             ┤       ▄██████
         500 ┤     ▄████████
             ┤   ▃██████████
         250 ┤ ▁▆███████████
             ┤▄█████████████
           0 ┼──────────────
              turn 1      40
        ");
        insta::assert_snapshot!(drawn(&[10, 200], 100_000), @r"
        200 ┤      ██████
            ┤      ██████
        150 ┤      ██████
            ┤      ██████
        100 ┤      ██████
            ┤      ██████
         50 ┤      ██████
            ┤▃▃▃▃▃▃██████
          0 ┼────────────
             turn 1     2
        ");
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(drawn(&[], 10), "");
        assert_eq!(drawn(&[0, 0], 10), "");
        assert!(drawn(&[u64::MAX, 1], 1).lines().count() <= 12);
        assert!(drawn(&[5], 0).contains('█'));
    }

    #[test]
    fn amounts_are_short() {
        for (amount, text) in
            [(0, "0"), (999, "999"), (9_449, "9.4k"), (128_000, "128k"), (1_250_000, "1.2m")]
        {
            assert_eq!(short(amount), text);
        }
    }
}
