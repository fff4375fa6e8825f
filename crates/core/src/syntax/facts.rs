//! Writes the TypeScript form of the signatures tier, from plain facts.
//!
//! The form is fixed down to the space, so that summaries made elsewhere from
//! the same facts compare equal. [`super::render`] feeds it from outlines;
//! callers with facts of their own use [`render_facts`].

/// What a file exports and imports. Only what is exported belongs here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScriptFacts {
    /// Path of the file as it is shown.
    pub path: String,
    /// Lines of the file.
    pub lines: u32,
    /// Exported functions.
    pub functions: Vec<FunctionFact>,
    /// Exported classes.
    pub classes: Vec<ClassFact>,
    /// Exported constants.
    pub constants: Vec<ConstantFact>,
    /// Sources of the imports.
    pub imports: Vec<String>,
}

/// A function or method.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionFact {
    /// Its name.
    pub name: String,
    /// Its parameters in order.
    pub parameters: Vec<ParameterFact>,
    /// Type that it returns, where it says so.
    pub return_type: Option<String>,
    /// Whether it is asynchronous.
    pub is_async: bool,
}

/// A parameter of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParameterFact {
    /// Its name, with `...` where it takes the rest.
    pub name: String,
    /// Its type, where it has one.
    pub type_text: Option<String>,
}

/// A class with its public methods.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassFact {
    /// Its name.
    pub name: String,
    /// Its public methods in order.
    pub methods: Vec<FunctionFact>,
}

/// A constant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConstantFact {
    /// Its name.
    pub name: String,
    /// Its type, where it has one.
    pub type_text: Option<String>,
}

/// Writes the summary of a file in the TypeScript form.
///
/// ```
/// use loadline::syntax::{FunctionFact, ScriptFacts, render_facts};
/// let facts = ScriptFacts {
///     path: "a.ts".to_owned(),
///     lines: 3,
///     functions: vec![FunctionFact {
///         name: "run".to_owned(),
///         is_async: true,
///         ..FunctionFact::default()
///     }],
///     ..ScriptFacts::default()
/// };
/// assert_eq!(render_facts(&facts), "// FILE: a.ts (3 lines)\nexport async function run()");
/// ```
pub fn render_facts(facts: &ScriptFacts) -> String {
    let mut lines = vec![format!("// FILE: {} ({} lines)", facts.path, facts.lines)];
    let functions = facts.functions.iter();
    lines.extend(functions.map(|function| format!("export {}", function.line())));
    for class in &facts.classes {
        let methods = class.methods.iter().map(FunctionFact::member).collect();
        lines.push(class_line(&format!("export class {}", class.name), methods));
    }
    for constant in &facts.constants {
        let type_text = colon(constant.type_text.as_deref());
        lines.push(format!("export const {}{type_text}", constant.name));
    }
    let sources = facts.imports.iter().map(String::as_str).collect();
    lines.extend(imports_line("//", "", sources));
    lines.join("\n")
}

impl FunctionFact {
    /// `[async ]function name(p: T, q): R`.
    pub(super) fn line(&self) -> String {
        let word = if self.is_async {
            "async function"
        } else {
            "function"
        };
        format!("{word} {}", self.member())
    }

    /// `name(p: T, q): R`.
    pub(super) fn member(&self) -> String {
        let parameters = self.parameters.iter().map(|parameter| {
            let type_text = colon(parameter.type_text.as_deref());
            format!("{}{type_text}", parameter.name)
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let returns = colon(self.return_type.as_deref());
        format!("{}({parameters}){returns}", self.name)
    }
}

/// `: T`, or nothing where there is no type.
pub(super) fn colon(type_text: Option<&str>) -> String {
    type_text
        .map(|type_text| format!(": {type_text}"))
        .unwrap_or_default()
}

/// A class and its methods on one line; without methods two spaces remain.
pub(super) fn class_line(head: &str, methods: Vec<String>) -> String {
    format!("{head} {{ {} }}", methods.join("; "))
}

/// `// N imports from: a, b`, or nothing for no imports.
pub(super) fn imports_line(open: &str, close: &str, sources: Vec<&str>) -> Option<String> {
    let count = sources.len();
    let sources = sources.join(", ");
    (count > 0).then(|| format!("{open} {count} imports from: {sources}{close}"))
}
