//! The weights of the two models, read from `data/continuation.txt`.

use std::sync::LazyLock;

const TABLE: &str = include_str!("../../../../data/continuation.txt");

static MODELS: LazyLock<[Model; 2]> = LazyLock::new(|| read(TABLE));

/// A logistic model over binned features.
#[derive(Debug, Default)]
pub(super) struct Model {
    intercept: f32,
    /// By feature, by bin.
    weights: Vec<Vec<f32>>,
}

impl Model {
    /// The model of atoms.
    pub(super) fn atoms() -> &'static Model {
        &MODELS[0]
    }

    /// The model of lines.
    pub(super) fn lines() -> &'static Model {
        &MODELS[1]
    }

    /// Returns how likely something with these features is to be referred to.
    pub(super) fn likelihood(&self, features: &[(usize, usize)]) -> f64 {
        let weight = |&(feature, bin): &(usize, usize)| {
            let row = self.weights.get(feature);
            row.and_then(|row| row.get(bin)).copied().unwrap_or(0.0)
        };
        let sum: f32 = self.intercept + features.iter().map(weight).sum::<f32>();
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
        let numbers: Vec<f32> = numbers
            .split(' ')
            .filter_map(|it| it.parse().ok())
            .collect();
        match name {
            "atom" | "line" => {
                current = usize::from(name == "line");
                models[current].intercept = numbers.first().copied().unwrap_or_default();
            }
            feature => {
                let feature: usize = feature.parse().unwrap_or_default();
                let weights = &mut models[current].weights;
                weights.resize(weights.len().max(feature + 1), Vec::new());
                weights[feature] = numbers;
            }
        }
    }
    models
}
