//! Holds every number of the ranking in one place.

/// How much each signal counts; the defaults were measured, see docs/ranking.md.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskWeights {
    /// Times that a word of the task's first line counts more.
    pub title: f64,
    /// BM25: how soon a word that occurs again says nothing new.
    pub k1: f64,
    /// BM25: how much long passages are held back.
    pub b: f64,
    /// Part of the body score that stems make up; whole words the rest.
    pub stems: f64,
    /// What the neighbours of a passage add to it.
    pub smooth: f64,
    /// Factor for tests.
    pub test: f64,
    /// Factor for documentation, configuration, data and generated files.
    pub non_code: f64,
    /// What the second best passage adds to a file.
    pub second: f64,
    /// What the third best passage adds to a file.
    pub third: f64,
    /// Words of the task in the path.
    pub path: f64,
    /// Names of the task that the file defines.
    pub names: f64,
    /// Messages of commits to the file that resemble the task.
    pub messages: f64,
    /// Part of a passage's score that is its own; its file makes up the rest.
    pub own: f64,
    /// Names of the task that the passage defines.
    pub own_names: f64,
    /// Part taken off a passage of comments only.
    pub comments: f64,
    /// Factor for each 60 lines of a file that are chosen already.
    pub decay: f64,
    /// Part of the budget for files that would not be seen otherwise.
    pub breadth: f64,
    /// The most lines of such a file.
    pub breadth_lines: f64,
    /// Lines of the windows in which words are counted.
    pub window: f64,
    /// The task names the file itself.
    pub mention: f64,
    /// Factor for examples and benchmarks.
    pub example: f64,
    /// Factor for words that hold sentences together.
    pub stop: f64,
    /// Factor for tests that stand in the middle of code.
    pub inner_test: f64,
    /// Factor for words of the task in a row, looked for as one.
    pub compound: f64,
}

impl Default for TaskWeights {
    fn default() -> TaskWeights {
        TaskWeights {
            title: 2.0,
            k1: 1.2,
            b: 0.75,
            stems: 0.5,
            smooth: 0.3,
            test: 0.2,
            non_code: 0.1,
            second: 0.5,
            third: 0.25,
            path: 0.7,
            names: 0.25,
            messages: 0.4,
            own: 0.35,
            own_names: 0.25,
            comments: 0.4,
            decay: 0.95,
            breadth: 0.12,
            breadth_lines: 15.0,
            window: 60.0,
            mention: 1.0,
            example: 0.3,
            stop: 0.05,
            inner_test: 0.3,
            compound: 0.4,
        }
    }
}

impl TaskWeights {
    /// Returns the weight of that name, to be set.
    pub fn by_name(&mut self, name: &str) -> Option<&mut f64> {
        macro_rules! fields {
            ($($field:ident),*) => {
                match name {
                    $(stringify!($field) => Some(&mut self.$field),)*
                    _ => None,
                }
            };
        }
        fields!(
            title,
            k1,
            b,
            stems,
            smooth,
            test,
            non_code,
            second,
            third,
            path,
            names,
            messages,
            own,
            own_names,
            comments,
            decay,
            breadth,
            breadth_lines,
            window,
            mention,
            example,
            stop,
            inner_test,
            compound
        )
    }
}
