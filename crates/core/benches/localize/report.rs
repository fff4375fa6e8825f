//! The tables of a run.

use std::collections::BTreeMap;

use crate::shown::Score;

/// One task at one budget in one variant.
pub(crate) struct Row {
    pub(crate) variant: String,
    pub(crate) budget: u64,
    pub(crate) repo: String,
    pub(crate) language: String,
    pub(crate) source: String,
    pub(crate) id: String,
    pub(crate) score: Score,
    pub(crate) tokens: u64,
}

impl Row {
    fn group(&self, by: &str) -> &str {
        match by {
            "repo" => &self.repo,
            "language" => &self.language,
            "source" => &self.source,
            _ => "",
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Mean {
    tasks: usize,
    files: f64,
    lines: f64,
    first: f64,
    over: usize,
}

fn mean(rows: &[&Row]) -> Mean {
    let number = rows.len().max(1) as f64;
    let lines: Vec<f64> = rows.iter().filter_map(|row| row.score.lines).collect();
    Mean {
        tasks: rows.len(),
        files: rows.iter().map(|row| row.score.files).sum::<f64>() / number,
        lines: lines.iter().sum::<f64>() / lines.len().max(1) as f64,
        first: rows.iter().map(|row| row.score.first).sum::<f64>() / number,
        over: rows.iter().filter(|row| row.tokens > row.budget).count(),
    }
}

/// One line for each task, variant and budget; lines are left out where none can be shown.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let lines = row.score.lines.map_or("-".to_owned(), |lines| lines.to_string());
            let (files, first) = (row.score.files, row.score.first);
            let Row { variant, budget, repo, id, .. } = row;
            format!("{variant}\t{budget}\t{repo}\t{id}\t{files}\t{lines}\t{first}\n")
        })
        .collect();
    lines.sort_unstable();
    lines.concat()
}

/// Prints all tables.
pub(crate) fn report(rows: &[Row], variants: &[&str], budgets: &[u64], by: &[String]) {
    println!(
        "| variant | budget | tasks | files | lines | MRR | over | repositories better / worse |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for variant in variants {
        for budget in budgets {
            let mean = mean(&pick(rows, variant, *budget));
            let (better, worse) = compare(rows, variants[0], variant, *budget);
            println!(
                "| {variant} | {}k | {} | {:.4} | {:.4} | {:.4} | {} | {better} / {worse} |",
                budget / 1000,
                mean.tasks,
                mean.files,
                mean.lines,
                mean.first,
                mean.over
            );
        }
    }
    for by in by {
        println!(
            "\n| {by} | tasks | files 8k | lines 8k | MRR | lines 32k |\n|---|---|---|---|---|---|"
        );
        for (group, _) in groups(&pick(rows, variants[0], budgets[0]), by) {
            let of = |budget: u64| {
                let rows = pick(rows, variants[0], budget);
                mean(&groups(&rows, by).remove(&group).unwrap_or_default())
            };
            let (small, large) = (of(budgets[0]), of(budgets[1]));
            println!(
                "| {group} | {} | {:.3} | {:.3} | {:.3} | {:.3} |",
                small.tasks, small.files, small.lines, small.first, large.lines
            );
        }
    }
    if variants.len() > 2 {
        leave_one_out(rows, variants, budgets[0]);
    }
}

/// For each repository, the variant that is best in all others.
fn leave_one_out(rows: &[Row], variants: &[&str], budget: u64) {
    let repos: Vec<String> = groups(&pick(rows, variants[0], budget), "repo").into_keys().collect();
    let (mut sum, mut number) = (0.0, 0);
    let mut chosen: BTreeMap<&str, usize> = BTreeMap::new();
    for repo in &repos {
        let value = |variant: &str, inside: bool| {
            let rows = pick(rows, variant, budget);
            let rows: Vec<&Row> =
                rows.into_iter().filter(|row| (row.repo == *repo) == inside).collect();
            mean(&rows)
        };
        let best = variants
            .iter()
            .max_by(|left, right| value(left, false).lines.total_cmp(&value(right, false).lines));
        let Some(best) = best else { continue };
        let left_out = value(best, true);
        *chosen.entry(best).or_default() += 1;
        sum += left_out.lines * left_out.tasks as f64;
        number += left_out.tasks;
    }
    println!(
        "\nleave one repository out: lines {:.4}, chosen {chosen:?}",
        sum / f64::from(number as u32)
    );
}

/// Prints the tasks that lost most.
pub(crate) fn misses(rows: &[Row]) {
    for row in rows.iter().filter(|row| row.variant == "default") {
        let lines = row.score.lines.unwrap_or(1.0);
        println!(
            "{:.2} {:.2} {:.2} {} {}",
            lines, row.score.files, row.score.first, row.budget, row.id
        );
    }
}

fn pick<'a>(rows: &'a [Row], variant: &str, budget: u64) -> Vec<&'a Row> {
    let mut rows: Vec<&Row> =
        rows.iter().filter(|row| row.variant == variant && row.budget == budget).collect();
    rows.sort_by(|left, right| left.id.cmp(&right.id));
    rows
}

fn groups<'a>(rows: &[&'a Row], by: &str) -> BTreeMap<String, Vec<&'a Row>> {
    let mut groups: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(row.group(by).to_owned()).or_default().push(row);
    }
    groups
}

fn compare(rows: &[Row], base: &str, variant: &str, budget: u64) -> (usize, usize) {
    let before = groups(&pick(rows, base, budget), "repo");
    let after = groups(&pick(rows, variant, budget), "repo");
    let (mut better, mut worse) = (0, 0);
    for (repo, rows) in &before {
        let change = after.get(repo).map_or(0.0, |rows| mean(rows).lines) - mean(rows).lines;
        better += usize::from(change > 1e-9);
        worse += usize::from(change < -1e-9);
    }
    (better, worse)
}
