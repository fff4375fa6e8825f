//! Rewrites JavaScript and TypeScript signatures in one uniform style.
//!
//! Functions come as declarations, as arrows in constants and as methods; all of
//! them read `name(a: A, b?): R` here. Default values are left out, as the signatures
//! tier asks for.

use tree_sitter::Node;

use super::capture::Found;
use super::extract::Placed;
use super::outline::DefinitionKind;
use super::signature::{name, one_line};
use super::source::Source;

/// Writes a signature, or `None` where the text itself will do.
pub(super) fn signature(
    source: &Source<'_>,
    placed: &Placed<'_, '_>,
    exported: bool,
) -> Option<String> {
    let found = placed.found;
    let export = if exported { "export " } else { "" };
    let name = name(source, found);
    match found.kind {
        DefinitionKind::Function => {
            let fact = function(source, name, function_node(found.node));
            Some(format!("{export}{}", fact.line()))
        }
        DefinitionKind::Method => Some(function(source, name, function_node(found.node)).member()),
        DefinitionKind::Constant | DefinitionKind::Variable => {
            let head = source.text(&(placed.range.start..found.node.start_byte()));
            let word = declaration_word(head);
            let kind = type_text(source, found.node.child_by_field_name("type"));
            Some(format!("{export}{word} {name}{}", colon(kind.as_deref())))
        }
        DefinitionKind::Class if found.name.is_empty() => Some(format!("{export}class {name}")),
        _ if exported => {
            let text = source.without_omitted(found.node.start_byte()..cut(found));
            let text = one_line(&text);
            let text = text.trim_end_matches(['{', ';']).trim_end();
            Some(format!("{export}{text}"))
        }
        _ => None,
    }
}

fn cut(found: &Found<'_>) -> usize {
    found.body.unwrap_or(found.node.end_byte())
}

/// The node that has the parameters: itself, or the value of a variable.
fn function_node(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "variable_declarator" | "public_field_definition" | "field_definition" => {
            node.child_by_field_name("value").unwrap_or(node)
        }
        _ => node,
    }
}

/// The word that declares a variable; others may stand between it and the name.
fn declaration_word(head: &str) -> &'static str {
    let words = ["const", "let", "var"];
    let mut declared = head.split_whitespace();
    let known = declared.find_map(|word| words.into_iter().find(|known| *known == word));
    known.unwrap_or("const")
}

fn function(source: &Source<'_>, name: String, node: Node<'_>) -> Function {
    let mut cursor = node.walk();
    let is_async = node.children(&mut cursor).any(|child| child.kind() == "async");
    Function {
        name,
        parameters: parameters(source, node),
        return_type: type_text(source, node.child_by_field_name("return_type")),
        is_async,
    }
}

fn parameters(source: &Source<'_>, node: Node<'_>) -> Vec<Parameter> {
    if let Some(single) = node.child_by_field_name("parameter") {
        return vec![parameter(source, single)];
    }
    let Some(list) = node.child_by_field_name("parameters") else {
        return Vec::new();
    };
    let mut cursor = list.walk();
    let children = list.named_children(&mut cursor);
    let children = children.filter(|child| child.kind() != "comment");
    children.map(|child| parameter(source, child)).collect()
}

fn parameter(source: &Source<'_>, node: Node<'_>) -> Parameter {
    let pattern = node
        .child_by_field_name("pattern")
        .or_else(|| node.child_by_field_name("left"))
        .unwrap_or(node);
    let mark = if node.kind() == "optional_parameter" { "?" } else { "" };
    Parameter {
        name: one_line(&source.without_omitted(pattern.byte_range())) + mark,
        type_text: type_text(source, node.child_by_field_name("type")),
    }
}

/// The text of a type annotation without its colon.
fn type_text(source: &Source<'_>, annotation: Option<Node<'_>>) -> Option<String> {
    let text = one_line(&source.without_omitted(annotation?.byte_range()));
    Some(text.trim_start_matches(':').trim_start().to_owned())
}

/// A function or method.
struct Function {
    name: String,
    parameters: Vec<Parameter>,
    return_type: Option<String>,
    is_async: bool,
}

/// A parameter; its name begins with `...` where it takes the rest.
struct Parameter {
    name: String,
    type_text: Option<String>,
}

impl Function {
    /// `[async ]function name(p: T, q): R`.
    fn line(&self) -> String {
        let word = if self.is_async { "async function" } else { "function" };
        format!("{word} {}", self.member())
    }

    /// `name(p: T, q): R`.
    fn member(&self) -> String {
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
fn colon(type_text: Option<&str>) -> String {
    type_text.map(|type_text| format!(": {type_text}")).unwrap_or_default()
}
