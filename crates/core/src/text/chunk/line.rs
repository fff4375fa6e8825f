//! Judges what a single line looks like, without a parser.
//!
//! Good enough to cut a text at sensible places and to guess names; where it
//! must be right, outlines are made by grammars in `syntax`.

/// What a line looks like.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::text) struct Line {
    pub(in crate::text) blank: bool,
    /// Columns of white space before the text.
    pub(in crate::text) indent: u32,
    /// Whether a definition begins here.
    pub(in crate::text) defines: bool,
    /// Whether it is a comment or an attribute, which belong to what follows.
    pub(in crate::text) leads: bool,
    pub(in crate::text) comment: bool,
    /// Whether it belongs to a test inside of code.
    pub(in crate::text) tests: bool,
    /// Whether it only closes what was opened before.
    pub(in crate::text) closes: bool,
}

impl Line {
    pub(in crate::text) fn look(line: &str, language: &str) -> Line {
        let text = line.trim_start();
        let indent = indent(line);
        let text = text.trim_end();
        let comment = is_comment(text, language);
        Line {
            blank: text.is_empty(),
            indent,
            defines: false,
            leads: comment || is_attribute(text, language),
            comment,
            tests: false,
            closes: is_closer(text),
        }
    }
}

/// Columns of white space before the text; a tab counts as four.
pub(crate) fn indent(line: &str) -> u32 {
    let text = line.trim_start();
    line[..line.len() - text.len()].bytes().map(|byte| if byte == b'\t' { 4 } else { 1 }).sum()
}

fn is_comment(text: &str, language: &str) -> bool {
    let hash = matches!(
        language,
        "python"
            | "ruby"
            | "bash"
            | "yaml"
            | "toml"
            | "makefile"
            | "perl"
            | "r"
            | "elixir"
            | "php"
            | "dockerfile"
            | "cmake"
            | "ini"
            | "julia"
            | "nim"
            | "powershell"
            | "fish"
    );
    let dashes = matches!(language, "lua" | "sql" | "haskell" | "elm");
    let slashes = !hash || language == "php";
    (hash && text.starts_with('#') && !text.starts_with("#["))
        || (dashes && text.starts_with("--"))
        || (slashes
            && (text.starts_with("//")
                || text.starts_with("/*")
                || text.starts_with("* ")
                || text == "*"
                || text.starts_with("*/")
                || text.starts_with("**/")))
}

fn is_attribute(text: &str, language: &str) -> bool {
    match language {
        "rust" => text.starts_with("#[") || text.starts_with("#!["),
        "csharp" => text.starts_with('[') && text.ends_with(']'),
        "php" => text.starts_with("#["),
        "cpp" | "c" => text.starts_with("template") || text.starts_with("[["),
        _ => text.starts_with('@'),
    }
}

fn is_closer(text: &str) -> bool {
    if text.is_empty() || text.len() > 6 {
        return false;
    }
    matches!(text, "end" | "end;" | "fi" | "done" | "esac")
        || (text.bytes().all(|byte| b"}]);,".contains(&byte)) && text != "," && text != ";")
}

/// Words that stand before what defines.
const MODIFIERS: &[&str] = &[
    "pub",
    "export",
    "default",
    "async",
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "override",
    "virtual",
    "sealed",
    "partial",
    "readonly",
    "unsafe",
    "extern",
    "inline",
    "declare",
    "open",
    "data",
    "suspend",
    "const",
    "constexpr",
    "explicit",
    "friend",
    "local",
    "synchronized",
    "native",
    "new",
];

/// Words that define, by the first letter of what may follow.
const KEYWORDS: &[&str] = &[
    "def",
    "class",
    "fn",
    "func",
    "function",
    "struct",
    "enum",
    "trait",
    "impl",
    "interface",
    "type",
    "module",
    "mod",
    "namespace",
    "union",
    "record",
    "object",
    "protocol",
    "extension",
    "macro_rules!",
    "defmodule",
    "defp",
    "defmacro",
    "fun",
    "sub",
    "proc",
    "procedure",
    "package",
];

/// Returns the name that a line defines, empty where it has none, as in `impl X for Y`.
pub(in crate::text) fn definition_name<'a>(line: &'a str, language: &str) -> Option<&'a str> {
    let text = line.trim();
    if text.len() < 4 || text.len() > 400 {
        return None;
    }
    if !is_code(language) {
        return None;
    }
    let first = text.as_bytes()[0];
    if !(first.is_ascii_alphabetic() || first == b'_' || first == b'~' || first == b'#') {
        return None;
    }
    if first == b'#' {
        let rest = text.strip_prefix("#define")?;
        return Some(name_at(rest.trim_start()));
    }
    let mut rest = text;
    let mut modified = false;
    loop {
        let end = rest.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(rest.len());
        let word = &rest[..end];
        if KEYWORDS.contains(&word) && rest[end..].starts_with([' ', '\t', '(']) {
            if word == "package" || (word == "type" && language == "python") {
                return None;
            }
            return keyword_name(word, &rest[end..], language);
        }
        let bare = word.split('(').next().unwrap_or(word);
        if word == "pub" || MODIFIERS.contains(&bare) {
            modified = true;
            if rest[end..].starts_with('(') && word == "pub" {
                let close = rest.find(')')?;
                rest = rest[close + 1..].trim_start();
            } else {
                rest = rest[end..].trim_start();
            }
            if rest.is_empty() {
                return None;
            }
            continue;
        }
        break;
    }
    let indented = line.starts_with([' ', '\t']);
    match language {
        "c" | "cpp" => c_function(text, rest, indented, language),
        "java" | "csharp" | "kotlin" | "php" => method(rest, modified),
        "javascript" | "typescript" | "jsx" | "tsx" | "vue" | "svelte" => {
            script(text, rest, modified, indented)
        }
        "rust" => constant(text, rest),
        "go" => (!indented && (text.starts_with("var ") || text.starts_with("const ")))
            .then(|| name_at(text.split_once(' ').map_or("", |(_, rest)| rest))),
        _ => None,
    }
}

fn is_code(language: &str) -> bool {
    !matches!(
        language,
        "" | "markdown"
            | "text"
            | "rst"
            | "json"
            | "jsonc"
            | "json5"
            | "yaml"
            | "toml"
            | "xml"
            | "csv"
            | "ini"
            | "html"
            | "css"
            | "scss"
            | "less"
            | "asciidoc"
            | "latex"
            | "mdx"
            | "diff"
            | "gitignore"
            | "gitattributes"
    )
}

fn keyword_name<'a>(word: &str, rest: &'a str, language: &str) -> Option<&'a str> {
    let mut rest = rest.trim_start();
    if word == "func" && language == "go" && rest.starts_with('(') {
        rest = rest.split_once(')')?.1.trim_start();
    }
    if word == "def" {
        rest = rest.strip_prefix("self.").unwrap_or(rest);
    }
    if word == "enum" || word == "function" {
        rest = rest.strip_prefix("class ").unwrap_or(rest);
        rest = rest.strip_prefix("* ").unwrap_or(rest);
        rest = rest.strip_prefix('*').unwrap_or(rest);
        rest = rest.strip_prefix('&').unwrap_or(rest);
    }
    if word == "impl" {
        return Some("");
    }
    let name = name_at(rest);
    if matches!(word, "type" | "record" | "object" | "module" | "extension" | "union" | "fun") {
        // Also plain words that begin a statement: `type = 1`, `module.exports = x`.
        let after = rest[name.len()..].trim_start();
        if name.is_empty() || after.starts_with('.') {
            return None;
        }
    }
    Some(name)
}

fn c_function<'a>(text: &'a str, rest: &'a str, indented: bool, language: &str) -> Option<&'a str> {
    if indented && language == "c" {
        return None;
    }
    let open = text.find('(')?;
    if text.ends_with(';') || text.ends_with(':') && !text.contains("::") {
        return None;
    }
    let before = text[..open].trim_end();
    if before.contains(['=', '.', '!', '?', '"']) || before.contains("->") {
        return None;
    }
    let name = name_before(before);
    let statement = ["if", "for", "while", "switch", "return", "else", "catch", "sizeof", "do"];
    if name.is_empty() || statement.contains(&name) || rest.starts_with("return ") {
        return None;
    }
    let typed = before.len() > name.len();
    if indented
        && (!typed
            || !(text.ends_with('{')
                || text.ends_with(')')
                || text.ends_with("const")
                || text.ends_with(',')))
    {
        return None;
    }
    (typed || !indented && language == "c").then_some(name)
}

fn method(rest: &str, modified: bool) -> Option<&str> {
    if !modified {
        return None;
    }
    match rest.find('(') {
        Some(open) if !rest[..open].contains('=') => {
            let name = name_before(rest[..open].trim_end());
            (!name.is_empty()).then_some(name)
        }
        _ => {
            // A field or a property.
            let head = rest.split(['=', ';', '{']).next().unwrap_or(rest).trim_end();
            let name = name_before(head);
            (!name.is_empty()).then_some(name)
        }
    }
}

fn script<'a>(text: &'a str, rest: &'a str, modified: bool, indented: bool) -> Option<&'a str> {
    if !indented
        && (text.starts_with("const ")
            || text.starts_with("export ")
            || text.starts_with("let ")
            || text.starts_with("var "))
    {
        let named = rest.strip_prefix("let ").or(rest.strip_prefix("var ")).unwrap_or(rest);
        let name = name_at(named);
        return (!name.is_empty()).then_some(name);
    }
    for arrow in ["= function", "= async function", ": function", "=> {"] {
        if let Some(place) = text.find(arrow) {
            if arrow == "=> {" {
                let head = text[..place].split_once(" = ")?.0;
                return (!head.contains(['(', ' '])).then(|| name_before(head.trim_end()));
            }
            let name = name_before(text[..place].trim_end());
            return (!name.is_empty()).then_some(name);
        }
    }
    let open = rest.find('(')?;
    let name = name_at(rest);
    let statement =
        ["if", "for", "while", "switch", "return", "catch", "function", "await", "super"];
    if name.len() != open || name.is_empty() || statement.contains(&name) {
        return None;
    }
    let body = text.ends_with('{') && !text.ends_with("=> {") && !text.contains("function");
    (body || modified && indented).then_some(name)
}

fn constant<'a>(text: &'a str, rest: &'a str) -> Option<&'a str> {
    let is_constant = text.contains("const ") || text.contains("static ");
    let head = rest.split(':').next().unwrap_or(rest);
    let name = name_at(head);
    (is_constant && rest.contains(": ") && name.len() == head.len()).then_some(name)
}

/// The name at the start of a text; the last part of `a.b.c` or `a::b`.
fn name_at(text: &str) -> &str {
    let text = text.trim_start_matches(['*', '&']);
    let end = text.find(|c: char| !(is_name(c) || c == '.' || c == ':')).unwrap_or(text.len());
    let whole = text[..end].trim_end_matches(['.', ':']);
    whole.rsplit(['.', ':']).next().unwrap_or(whole)
}

/// The name at the end of a text.
fn name_before(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !is_name(c))
        .map_or(0, |place| place + text[place..].chars().next().map_or(1, char::len_utf8));
    let name = &text[start..];
    match name.as_bytes().first() {
        Some(byte) if byte.is_ascii_digit() => "",
        _ => name,
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '?' || c == '!'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_languages() {
        for (language, line, want) in [
            ("python", "    async def f_x(self):", Some("f_x")),
            ("python", "class A(B):", Some("A")),
            ("python", "type = 1", None),
            ("python", "    return f(x)", None),
            ("rust", "pub(crate) fn f<T>(x: T) {", Some("f")),
            ("rust", "impl<T> A for B<T> {", None),
            ("rust", "impl A for B {", Some("")),
            ("rust", "pub const MAX: usize = 3;", Some("MAX")),
            ("rust", "    f(x);", None),
            ("go", "func (c *Context) JSON(code int) {", Some("JSON")),
            ("go", "type Engine struct {", Some("Engine")),
            ("go", "var x = 1", Some("x")),
            ("go", "\tx := f()", None),
            ("c", "static int add(int a, int b) {", Some("add")),
            ("c", "void f(void)", Some("f")),
            ("c", "    g(x);", None),
            ("c", "#define MAX(a) 1", Some("MAX")),
            ("cpp", "    basic_json& operator=(basic_json other)", None),
            ("cpp", "    void dump(int indent) const", Some("dump")),
            ("java", "    public static <T> T from(Class<T> c) {", Some("from")),
            ("java", "    private final int size;", Some("size")),
            ("java", "    return x(1);", None),
            ("csharp", "    public string Name { get; set; }", Some("Name")),
            ("php", "    protected function runTest($a)", Some("runTest")),
            ("php", "    public $name = 1;", Some("$name")),
            ("ruby", "  def self.call?(env)", Some("call?")),
            ("ruby", "module Jekyll", Some("Jekyll")),
            ("javascript", "module.exports = f", None),
            ("javascript", "app.use = function use(fn) {", Some("use")),
            ("javascript", "const a = (b) => {", Some("a")),
            ("javascript", "  render(a, b) {", Some("render")),
            ("javascript", "  if (a) {", None),
            ("typescript", "export default async function run() {", Some("run")),
            ("typescript", "export interface A {", Some("A")),
            ("markdown", "class of things", None),
        ] {
            assert_eq!(definition_name(line, language), want, "{language} {line}");
        }
    }

    #[test]
    fn comments_attributes_and_closers() {
        assert!(Line::look("  # a", "python").comment);
        assert!(!Line::look("# a", "c").comment);
        assert!(Line::look(" * a", "java").comment);
        assert!(!Line::look("#[test]", "rust").comment);
        assert!(Line::look("#[test]", "rust").leads);
        assert!(Line::look("  });", "javascript").closes);
        assert!(Line::look("end", "ruby").closes);
        assert!(!Line::look("", "c").closes);
        assert_eq!(Line::look("\t\tx", "go").indent, 8);
    }
}
