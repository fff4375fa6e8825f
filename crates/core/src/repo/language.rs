//! Names the language of a file, by its name.
//!
//! The names also serve as hints after a Markdown fence, so they are lower
//! case and the ones that highlighters know.

use std::cmp::Ordering;
use std::path::Path;

/// Whole file names, in lower case and sorted.
const FILE_NAMES: &[(&str, &str)] = &[
    (".bash_profile", "bash"),
    (".bashrc", "bash"),
    (".gitattributes", "gitattributes"),
    (".gitignore", "gitignore"),
    (".profile", "bash"),
    (".zshrc", "bash"),
    ("build", "python"),
    ("build.bazel", "python"),
    ("cargo.lock", "toml"),
    ("cmakelists.txt", "cmake"),
    ("composer.lock", "json"),
    ("containerfile", "dockerfile"),
    ("dockerfile", "dockerfile"),
    ("gemfile", "ruby"),
    ("gnumakefile", "makefile"),
    ("go.mod", "go"),
    ("jenkinsfile", "groovy"),
    ("justfile", "makefile"),
    ("makefile", "makefile"),
    ("pipfile", "toml"),
    ("poetry.lock", "toml"),
    ("rakefile", "ruby"),
    ("uv.lock", "toml"),
    ("vagrantfile", "ruby"),
    ("workspace", "python"),
];

/// Extensions, in lower case and sorted.
const EXTENSIONS: &[(&str, &str)] = &[
    ("adoc", "asciidoc"),
    ("asm", "asm"),
    ("astro", "astro"),
    ("awk", "awk"),
    ("bash", "bash"),
    ("bat", "batch"),
    ("bazel", "python"),
    ("bzl", "python"),
    ("c", "c"),
    ("cc", "cpp"),
    ("cfg", "ini"),
    ("cjs", "javascript"),
    ("clj", "clojure"),
    ("cljs", "clojure"),
    ("cmake", "cmake"),
    ("cmd", "batch"),
    ("conf", "ini"),
    ("cpp", "cpp"),
    ("cs", "csharp"),
    ("csproj", "xml"),
    ("css", "css"),
    ("csv", "csv"),
    ("cts", "typescript"),
    ("cu", "cuda"),
    ("cxx", "cpp"),
    ("d", "d"),
    ("dart", "dart"),
    ("diff", "diff"),
    ("dockerfile", "dockerfile"),
    ("el", "lisp"),
    ("elm", "elm"),
    ("erl", "erlang"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("f90", "fortran"),
    ("fish", "fish"),
    ("fs", "fsharp"),
    ("fsx", "fsharp"),
    ("glsl", "glsl"),
    ("go", "go"),
    ("gql", "graphql"),
    ("gradle", "groovy"),
    ("graphql", "graphql"),
    ("groovy", "groovy"),
    ("h", "c"),
    ("hcl", "hcl"),
    ("hh", "cpp"),
    ("hpp", "cpp"),
    ("hrl", "erlang"),
    ("hs", "haskell"),
    ("htm", "html"),
    ("html", "html"),
    ("hxx", "cpp"),
    ("ini", "ini"),
    ("ipynb", "json"),
    ("java", "java"),
    ("jl", "julia"),
    ("js", "javascript"),
    ("json", "json"),
    ("json5", "json5"),
    ("jsonc", "jsonc"),
    ("jsonl", "json"),
    ("jsx", "jsx"),
    ("kt", "kotlin"),
    ("kts", "kotlin"),
    ("less", "less"),
    ("lisp", "lisp"),
    ("lua", "lua"),
    ("m", "objectivec"),
    ("markdown", "markdown"),
    ("md", "markdown"),
    ("mdx", "mdx"),
    ("mjs", "javascript"),
    ("mk", "makefile"),
    ("ml", "ocaml"),
    ("mli", "ocaml"),
    ("mm", "objectivec"),
    ("mts", "typescript"),
    ("nim", "nim"),
    ("nix", "nix"),
    ("patch", "diff"),
    ("php", "php"),
    ("pl", "perl"),
    ("pm", "perl"),
    ("properties", "ini"),
    ("proto", "protobuf"),
    ("ps1", "powershell"),
    ("py", "python"),
    ("pyi", "python"),
    ("r", "r"),
    ("rake", "ruby"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("rst", "rst"),
    ("s", "asm"),
    ("sass", "sass"),
    ("scala", "scala"),
    ("scm", "scheme"),
    ("scss", "scss"),
    ("sh", "bash"),
    ("sol", "solidity"),
    ("sql", "sql"),
    ("svelte", "svelte"),
    ("svg", "xml"),
    ("swift", "swift"),
    ("tex", "latex"),
    ("tf", "hcl"),
    ("tfvars", "hcl"),
    ("toml", "toml"),
    ("ts", "typescript"),
    ("tsv", "csv"),
    ("tsx", "tsx"),
    ("txt", "text"),
    ("v", "verilog"),
    ("vb", "vbnet"),
    ("vim", "vim"),
    ("vue", "vue"),
    ("wgsl", "wgsl"),
    ("xml", "xml"),
    ("xsd", "xml"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("zig", "zig"),
    ("zsh", "bash"),
];

/// Returns the language of a file by its name, or `None` where the name says nothing.
///
/// Case does not matter. `Dockerfile.dev` is a Dockerfile.
///
/// ```
/// use loadline::repo::language_of;
/// assert_eq!(language_of("src/main.rs".as_ref()), Some("rust"));
/// assert_eq!(language_of("Makefile".as_ref()), Some("makefile"));
/// assert_eq!(language_of("LICENSE".as_ref()), None);
/// ```
pub fn language_of(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.as_encoded_bytes();
    let extension = path
        .extension()
        .map(|extension| extension.as_encoded_bytes());
    find(FILE_NAMES, name)
        .or_else(|| find(EXTENSIONS, extension?))
        .or_else(|| find(FILE_NAMES, path.file_stem()?.as_encoded_bytes()))
}

fn find(table: &[(&str, &'static str)], name: &[u8]) -> Option<&'static str> {
    let compare = |row: &str| -> Ordering {
        let lower = name.iter().map(u8::to_ascii_lowercase);
        row.bytes().cmp(lower)
    };
    let index = table.binary_search_by(|(row, _)| compare(row)).ok()?;
    table.get(index).map(|(_, language)| *language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_lower_case() {
        for table in [FILE_NAMES, EXTENSIONS] {
            assert!(table.is_sorted_by(|left, right| left.0 < right.0));
            for (name, language) in table {
                assert_eq!(name.to_lowercase(), *name);
                assert_eq!(language.to_lowercase(), *language);
                assert_eq!(find(table, name.as_bytes()), Some(*language));
            }
        }
    }

    #[test]
    fn f117_hints_follow_the_extension() {
        for (path, want) in [
            ("a/b.cs", Some("csharp")),
            ("b.py", Some("python")),
            ("b.js", Some("javascript")),
            ("b.d.ts", Some("typescript")),
            ("B.JAVA", Some("java")),
            ("b.go", Some("go")),
            ("b.rs", Some("rust")),
            ("Dockerfile.dev", Some("dockerfile")),
            ("dev.Dockerfile", Some("dockerfile")),
            ("CMakeLists.txt", Some("cmake")),
            ("Cargo.lock", Some("toml")),
            (".rs", None),
            ("rs", None),
            ("", None),
            ("a.unknown", None),
        ] {
            assert_eq!(language_of(Path::new(path)), want, "{path}");
        }
    }
}
