//! How recent units are, by dates, by the numbers of sections, by the order of a file.

use std::collections::BTreeSet;

use crate::notes::{Notes, UnitKind};

/// Sections that are needed before their dates or numbers say how a file grows.
const ENOUGH: usize = 3;
/// How clearly they must ascend or descend.
const CLEAR: f32 = 0.4;

/// How recent units are.
pub(super) struct Recency {
    /// Per unit: from 0, the oldest, to 1.
    pub(super) of: Vec<f32>,
    /// Per unit: whether that is known.
    pub(super) known: Vec<bool>,
    /// Per unit: its place in the file, from 0 to 1.
    pub(super) place: Vec<f32>,
    /// The newest date in any heading.
    pub(super) newest: Option<u32>,
}

impl Recency {
    pub(super) fn of(notes: &Notes) -> Recency {
        let date = |unit: usize| notes.section(&notes.units[unit])?.date;
        let dates: BTreeSet<u32> = (0..notes.units.len()).filter_map(date).collect();
        let dates: Vec<u32> = dates.into_iter().collect();
        let mut recency = Recency {
            of: Vec::new(),
            known: Vec::new(),
            place: Vec::new(),
            newest: dates.last().copied(),
        };
        let mut start = 0;
        for file in notes.units.chunk_by(|left, right| left.file == right.file) {
            recency.add_file(notes, start..start + file.len(), &dates);
            start += file.len();
        }
        recency
    }

    fn add_file(&mut self, notes: &Notes, units: std::ops::Range<usize>, dates: &[u32]) {
        let section = |unit: usize| notes.section(&notes.units[unit]);
        let is_heading = |unit: &usize| notes.units[*unit].kind == UnitKind::Heading;
        let headings = || units.clone().filter(is_heading).filter_map(section);
        let dated: Vec<f64> = headings().filter_map(|it| it.date.map(f64::from)).collect();
        let numbered: Vec<f64> = headings().filter_map(|it| it.number).collect();
        let mut numbers: Vec<f64> = units.clone().filter_map(|it| section(it)?.number).collect();
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        let (has_dates, has_numbers) = (dated.len() >= ENOUGH, numbered.len() >= ENOUGH);
        let trend = if has_dates {
            trend(&dated)
        } else if has_numbers {
            trend(&numbered)
        } else {
            0.0
        };
        let last = (units.len().max(2) - 1) as f32;
        for unit in units.clone() {
            let place = (unit - units.start) as f32 / last;
            let section = section(unit);
            let date = section.and_then(|it| it.date).map(|it| rank(dates, |other| *other <= it));
            let number = section.and_then(|it| it.number);
            let number = number.map(|it| rank(&numbers, |other| *other <= it));
            let recent = match (date, number) {
                (Some(date), _) if has_dates => date,
                (_, Some(number)) if has_numbers => number,
                _ if trend > CLEAR => place,
                _ if trend < -CLEAR => 1.0 - place,
                (Some(date), _) => date,
                _ => 0.5,
            };
            self.of.push(recent);
            self.known.push(has_dates || has_numbers || trend.abs() > CLEAR);
            self.place.push(place);
        }
    }
}

fn rank<T>(sorted: &[T], upto: impl Fn(&T) -> bool) -> f32 {
    sorted.partition_point(upto) as f32 / sorted.len().max(1) as f32
}

/// Returns from -1, where values descend, to 1, where they ascend.
fn trend(values: &[f64]) -> f32 {
    let steps = values.windows(2).map(|it| (it[1] > it[0]) as i32 - (it[1] < it[0]) as i32);
    steps.sum::<i32>() as f32 / (values.len().max(2) - 1) as f32
}
