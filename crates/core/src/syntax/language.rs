//! The languages whose syntax is known: one row each.
//!
//! A row names a grammar, its queries (data, in `crates/core/queries`) and a few
//! knobs for what a query cannot say. To add a language: a row here, a feature
//! in `Cargo.toml`, and a directory of queries with an example.

use std::sync::OnceLock;

use super::error::SyntaxError;
use super::query::Compiled;
use super::style::{Comment, ImportStyle, SignatureStyle, Visibility};

/// One language: grammar, queries and knobs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Language {
    /// Name as [`language_of`](crate::repo::language_of) gives it.
    pub(super) id: &'static str,
    /// Other names that mean this grammar.
    pub(super) aliases: &'static [&'static str],
    pub(super) grammar: fn() -> tree_sitter::Language,
    pub(super) queries: &'static [&'static str],
    pub(super) comment: Comment,
    pub(super) visibility: Visibility,
    pub(super) signatures: SignatureStyle,
    pub(super) imports: ImportStyle,
    /// What is cut from the end of a signature.
    pub(super) trim: &'static [&'static str],
    /// A language to try when this one finds errors: a C header may be C++.
    pub(super) retry: Option<&'static str>,
}

/// A language with the place of its compiled queries.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) language: &'static Language,
    compiled: &'static OnceLock<Result<Compiled, SyntaxError>>,
}

impl Entry {
    /// Returns the queries; the first call of a process compiles them.
    pub(super) fn compiled(self) -> Result<&'static Compiled, SyntaxError> {
        let compiled = self.compiled.get_or_init(|| Compiled::new(self.language));
        compiled.as_ref().map_err(Clone::clone)
    }
}

/// Returns the entry of a language by its name or one of its aliases.
pub(super) fn find(name: &str) -> Option<Entry> {
    let mut entries = LANGUAGES.iter().zip(&COMPILED);
    let is_named = |language: &Language| language.id == name || language.aliases.contains(&name);
    let (language, compiled) = entries.find(|(language, _)| is_named(language))?;
    Some(Entry { language, compiled })
}

/// The compiled queries of each row.
static COMPILED: [OnceLock<Result<Compiled, SyntaxError>>; LANGUAGES.len()] =
    [const { OnceLock::new() }; LANGUAGES.len()];

/// Returns the languages of this build that are outlined, in the order of the table.
///
/// ```
/// # #[cfg(feature = "lang-rust")]
/// assert!(loadline::syntax::languages().any(|language| language == "rust"));
/// ```
pub fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.id)
}

/// Returns how one line becomes a comment in a language, known or not.
pub(super) fn comment_of(name: &str) -> Comment {
    if let Some(entry) = find(name) {
        return entry.language.comment;
    }
    match name {
        "dockerfile" | "makefile" | "cmake" | "elixir" | "fish" | "graphql" | "gitignore"
        | "gitattributes" | "hcl" | "julia" | "nim" | "nix" | "perl" | "powershell" | "python"
        | "bash" | "r" | "ruby" | "toml" | "yaml" => HASH,
        "elm" | "haskell" | "lua" | "sql" => DASHES,
        "html" | "markdown" | "mdx" | "vue" | "xml" => ANGLE,
        "clojure" | "ini" | "lisp" | "scheme" => Comment { open: ";", close: "" },
        "erlang" | "latex" => Comment { open: "%", close: "" },
        "css" => BLOCK,
        _ => SLASHES,
    }
}

const SLASHES: Comment = Comment { open: "//", close: "" };
const HASH: Comment = Comment { open: "#", close: "" };
const DASHES: Comment = Comment { open: "--", close: "" };
const ANGLE: Comment = Comment { open: "<!--", close: " -->" };
const BLOCK: Comment = Comment { open: "/*", close: " */" };

/// Reads the queries of a language's directory.
macro_rules! queries {
    ($($path:literal),*) => {
        &[$(include_str!(concat!("../../queries/", $path, ".scm"))),*]
    };
}

/// What most languages share; a row says what is its own.
const fn plain(
    id: &'static str,
    grammar: fn() -> tree_sitter::Language,
    queries: &'static [&'static str],
) -> Language {
    Language {
        id,
        aliases: &[],
        grammar,
        queries,
        comment: SLASHES,
        visibility: Visibility::All,
        signatures: SignatureStyle::Text,
        imports: ImportStyle::Text,
        trim: &["{", ";", "=", ","],
        retry: None,
    }
}

/// What JavaScript and TypeScript share.
#[cfg(any(feature = "lang-javascript", feature = "lang-typescript"))]
const fn script(
    id: &'static str,
    grammar: fn() -> tree_sitter::Language,
    queries: &'static [&'static str],
) -> Language {
    Language {
        visibility: Visibility::Export,
        signatures: SignatureStyle::Script,
        ..plain(id, grammar, queries)
    }
}

const LANGUAGES: &[Language] = &[
    #[cfg(feature = "lang-rust")]
    Language {
        visibility: Visibility::Rust,
        imports: ImportStyle::Tree,
        ..plain(
            "rust",
            || tree_sitter_rust::LANGUAGE.into(),
            queries!["rust/outline", "rust/imports", "rust/references"],
        )
    },
    #[cfg(feature = "lang-python")]
    Language {
        comment: HASH,
        visibility: Visibility::Underscore,
        trim: &[],
        ..plain(
            "python",
            || tree_sitter_python::LANGUAGE.into(),
            queries!["python/outline", "python/imports", "python/references"],
        )
    },
    #[cfg(feature = "lang-javascript")]
    Language {
        aliases: &["jsx"],
        ..script(
            "javascript",
            || tree_sitter_javascript::LANGUAGE.into(),
            queries![
                "javascript/outline",
                "javascript/own",
                "javascript/imports",
                "javascript/references"
            ],
        )
    },
    #[cfg(feature = "lang-typescript")]
    Language {
        // Some have JSX in files that are not named for it.
        retry: Some("tsx"),
        ..script("typescript", || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), TYPESCRIPT)
    },
    #[cfg(feature = "lang-typescript")]
    script("tsx", || tree_sitter_typescript::LANGUAGE_TSX.into(), TYPESCRIPT),
    #[cfg(feature = "lang-go")]
    Language {
        visibility: Visibility::UpperCase,
        ..plain(
            "go",
            || tree_sitter_go::LANGUAGE.into(),
            queries!["go/outline", "go/imports", "go/references"],
        )
    },
    #[cfg(feature = "lang-java")]
    Language {
        visibility: Visibility::Word(&["public", "protected"]),
        ..plain(
            "java",
            || tree_sitter_java::LANGUAGE.into(),
            queries!["java/outline", "java/imports", "java/references"],
        )
    },
    #[cfg(feature = "lang-c")]
    Language {
        visibility: Visibility::Cpp,
        retry: Some("cpp"),
        ..plain(
            "c",
            || tree_sitter_c::LANGUAGE.into(),
            queries!["c/outline", "c/imports", "c/references"],
        )
    },
    #[cfg(feature = "lang-cpp")]
    Language {
        visibility: Visibility::Cpp,
        ..plain(
            "cpp",
            || tree_sitter_cpp::LANGUAGE.into(),
            queries!["cpp/outline", "c/outline", "c/imports", "c/references", "cpp/references"],
        )
    },
    #[cfg(feature = "lang-csharp")]
    Language {
        visibility: Visibility::Word(&["public", "protected"]),
        trim: &["{", ";", "=", "=>"],
        ..plain(
            "csharp",
            || tree_sitter_c_sharp::LANGUAGE.into(),
            queries!["csharp/outline", "csharp/imports", "csharp/references"],
        )
    },
    #[cfg(feature = "lang-ruby")]
    Language {
        comment: HASH,
        visibility: Visibility::Ruby,
        imports: ImportStyle::Ruby,
        trim: &["end", ";", "="],
        ..plain(
            "ruby",
            || tree_sitter_ruby::LANGUAGE.into(),
            queries!["ruby/outline", "ruby/imports", "ruby/references"],
        )
    },
    #[cfg(feature = "lang-php")]
    Language {
        visibility: Visibility::NotWord(&["private", "protected"]),
        imports: ImportStyle::Tree,
        ..plain(
            "php",
            || tree_sitter_php::LANGUAGE_PHP.into(),
            queries!["php/outline", "php/imports", "php/references"],
        )
    },
    #[cfg(feature = "lang-bash")]
    Language {
        comment: HASH,
        visibility: Visibility::Underscore,
        ..plain(
            "bash",
            || tree_sitter_bash::LANGUAGE.into(),
            queries!["bash/outline", "bash/imports", "bash/references"],
        )
    },
    #[cfg(feature = "lang-lua")]
    Language {
        comment: DASHES,
        visibility: Visibility::NotWord(&["local"]),
        trim: &["end", ";"],
        ..plain(
            "lua",
            || tree_sitter_lua::LANGUAGE.into(),
            queries!["lua/outline", "lua/imports", "lua/references"],
        )
    },
    #[cfg(feature = "lang-json")]
    Language {
        aliases: &["jsonc"],
        trim: &[":"],
        ..plain("json", || tree_sitter_json::LANGUAGE.into(), queries!["json/outline"])
    },
    #[cfg(feature = "lang-yaml")]
    Language {
        comment: HASH,
        trim: &[":", "|", ">"],
        ..plain("yaml", || tree_sitter_yaml::LANGUAGE.into(), queries!["yaml/outline"])
    },
    #[cfg(feature = "lang-toml")]
    Language {
        comment: HASH,
        trim: &["="],
        ..plain("toml", || tree_sitter_toml_ng::LANGUAGE.into(), queries!["toml/outline"])
    },
    #[cfg(feature = "lang-markdown")]
    Language {
        aliases: &["mdx"],
        comment: ANGLE,
        trim: &[],
        ..plain("markdown", || tree_sitter_md::LANGUAGE.into(), queries!["markdown/outline"])
    },
    #[cfg(feature = "lang-html")]
    Language {
        comment: ANGLE,
        ..plain(
            "html",
            || tree_sitter_html::LANGUAGE.into(),
            queries!["html/outline", "html/imports"],
        )
    },
    #[cfg(feature = "lang-css")]
    Language {
        comment: BLOCK,
        ..plain("css", || tree_sitter_css::LANGUAGE.into(), queries!["css/outline", "css/imports"])
    },
];

/// TypeScript is JavaScript and more, and so are its queries.
#[cfg(feature = "lang-typescript")]
const TYPESCRIPT: &[&str] = queries![
    "javascript/outline",
    "javascript/imports",
    "javascript/references",
    "typescript/outline",
    "typescript/imports",
    "typescript/references"
];
