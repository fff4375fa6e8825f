//! Reads the two additive models of `data/continuation.txt`.

use std::sync::LazyLock;

const TABLE: &str = include_str!("../../../../data/continuation.txt");

static MODELS: LazyLock<[Model; 2]> = LazyLock::new(|| read(TABLE));

/// The value of a time that never was.
pub(super) const NEVER: f32 = 10_000.0;
/// The value of a time that has no meaning, such as when no file was read.
pub(super) const NONE: f32 = 20_000.0;

/// How likely something is, by the sum of what each of its features adds.
#[derive(Debug, Default)]
pub(super) struct Model {
    intercept: f32,
    features: Vec<Steps>,
}

/// What a feature adds: a function that changes at some limits only.
#[derive(Debug, Default)]
struct Steps {
    limits: Vec<f32>,
    /// One more than limits.
    values: Vec<f32>,
}

impl Model {
    /// The model of mentions.
    pub(super) fn mentions() -> &'static Model {
        &MODELS[0]
    }

    /// The model of lines.
    pub(super) fn lines() -> &'static Model {
        &MODELS[1]
    }

    /// Returns how likely something with these features is to be referred to.
    pub(super) fn likelihood(&self, features: &[f32]) -> f64 {
        let added = self.features.iter().zip(features).map(|(steps, &value)| {
            let step = steps.limits.partition_point(|&limit| value > limit);
            steps.values.get(step).copied().unwrap_or_default()
        });
        let sum = self.intercept + added.sum::<f32>();
        1.0 / (1.0 + f64::from(-sum).exp())
    }
}

fn read(table: &str) -> [Model; 2] {
    let mut models = [Model::default(), Model::default()];
    let mut current = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, numbers)) = line.split_once(' ') else {
            continue;
        };
        let mut numbers = numbers.split(' ').filter_map(|it| it.parse().ok());
        let first: f32 = numbers.next().unwrap_or_default();
        if let "mention" | "line" = name {
            current = usize::from(name == "line");
            models[current].intercept = first;
            continue;
        }
        let mut steps = Steps { limits: Vec::new(), values: vec![first] };
        while let (Some(limit), Some(value)) = (numbers.next(), numbers.next()) {
            steps.limits.push(limit);
            steps.values.push(value);
        }
        models[current].features.push(steps);
    }
    models
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_every_feature() {
        assert_eq!(Model::mentions().features.len(), super::super::trace::FEATURES);
        assert_eq!(Model::lines().features.len(), super::super::current::FEATURES);
        for steps in MODELS.iter().flat_map(|model| &model.features) {
            assert_eq!(steps.values.len(), steps.limits.len() + 1);
            assert!(steps.limits.is_sorted());
        }
    }

    #[test]
    fn what_was_said_last_is_likelier_than_what_was_read_long_ago() {
        let [model, _] = read("mention -1\nage 2 3 0.5 8 -2\nblocks 0 1 1\nline 0");
        assert!((model.likelihood(&[3.0, 1.0]) - 1.0 / (1.0 + (-1f64).exp())).abs() < 1e-6);
        assert!(model.likelihood(&[0.0, 2.0]) > model.likelihood(&[9.0, 2.0]));
    }
}
