//! Finds the entry points that manifests name: what is run, and what others import.
//!
//! Names such as `main.rs` are known without a manifest (see [`FileKind`]); here are the
//! files that only `Cargo.toml`, `package.json` or `pyproject.toml` can tell. A manifest
//! that cannot be read names nothing.
//!
//! [`FileKind`]: super::FileKind

use std::collections::HashSet;

use serde_json::Value;

/// What may stand behind the name of a module, and where a bundle has its source.
const ENDINGS: [&str; 9] =
    ["", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", "/index.js", "/index.ts"];
const BUILT: [&str; 4] = ["dist/", "build/", "lib/", "out/"];

/// Returns the files that manifests name; `read` reads the file of that number.
pub(crate) fn named_entry_points(
    paths: &[String],
    read: impl Fn(usize) -> Option<String>,
) -> HashSet<String> {
    let known: HashSet<&str> = paths.iter().map(String::as_str).collect();
    let mut found = HashSet::new();
    for (number, path) in paths.iter().enumerate() {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let names: fn(&str) -> Option<Vec<String>> = match name {
            "Cargo.toml" => cargo,
            "package.json" => npm,
            "pyproject.toml" => python,
            _ => continue,
        };
        let named = read(number).and_then(|text| names(&text)).unwrap_or_default();
        let below = |name: &String| match directory {
            "" => name.clone(),
            directory => format!("{directory}/{name}"),
        };
        let named = named.iter().map(below).filter(|path| known.contains(path.as_str()));
        found.extend(named);
    }
    found
}

fn cargo(text: &str) -> Option<Vec<String>> {
    let manifest: toml::Table = text.parse().ok()?;
    let bins = manifest.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    let targets = bins.chain(manifest.get("lib"));
    let paths = targets.filter_map(|target| target.get("path")?.as_str().map(str::to_owned));
    Some(paths.collect())
}

fn npm(text: &str) -> Option<Vec<String>> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    let mut named = Vec::new();
    for key in ["main", "module", "bin", "exports"] {
        strings(&manifest[key], &mut named);
    }
    let candidates = named.iter().flat_map(|name| {
        let name = name.trim_start_matches("./");
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let sources = BUILT.iter().filter_map(|built| stem.strip_prefix(built));
        let sources = sources.map(|rest| format!("src/{rest}"));
        let all: Vec<String> = sources.chain([name.to_owned()]).collect();
        all.into_iter().flat_map(|stem| ENDINGS.map(|ending| format!("{stem}{ending}")))
    });
    Some(candidates.collect())
}

/// All strings of a value, however deep; `exports` nests by condition.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(values) => values.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}

fn python(text: &str) -> Option<Vec<String>> {
    let manifest: toml::Table = text.parse().ok()?;
    let project = manifest.get("project");
    let poetry = manifest.get("tool").and_then(|tool| tool.get("poetry"));
    let tables =
        [project.and_then(|it| it.get("scripts")), poetry.and_then(|it| it.get("scripts"))];
    let scripts = tables.into_iter().flatten().filter_map(toml::Value::as_table).flatten();
    let modules =
        scripts.filter_map(|(_, target)| Some(target.as_str()?.split(':').next()?.trim()));
    let mut modules: Vec<String> = modules.map(|module| module.replace('.', "/")).collect();
    let names = [project, poetry].into_iter().flatten().filter_map(|it| it.get("name")?.as_str());
    modules.extend(names.map(|name| name.replace('-', "_").to_lowercase()));
    let files = modules.iter().flat_map(|module| {
        let endings = [".py", "/__init__.py", "/__main__.py"];
        let places = ["", "src/"].map(|place| endings.map(|end| format!("{place}{module}{end}")));
        places.into_iter().flatten()
    });
    Some(files.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_name_what_is_run_and_imported() {
        let files = [
            ("Cargo.toml", "[[bin]]\nname = 'a'\npath = 'src/tool.rs'\n"),
            (
                "web/package.json",
                r#"{"main": "dist/start.js", "exports": {".": {"import": "./api.mjs"}}}"#,
            ),
            ("pyproject.toml", "[project]\nname = 'my-kit'\nscripts.kit = 'kit.console:run'\n"),
            ("broken/package.json", "{"),
            ("src/tool.rs", ""),
            ("src/other.rs", ""),
            ("web/src/start.ts", ""),
            ("web/api.mjs", ""),
            ("src/kit/console.py", ""),
            ("my_kit/__init__.py", ""),
        ];
        let paths = files.map(|(path, _)| path.to_owned());
        let found = named_entry_points(&paths, |at| Some(files[at].1.to_owned()));
        let mut found: Vec<&str> = found.iter().map(String::as_str).collect();
        found.sort_unstable();
        let want = [
            "my_kit/__init__.py",
            "src/kit/console.py",
            "src/tool.rs",
            "web/api.mjs",
            "web/src/start.ts",
        ];
        assert_eq!(found, want);
    }
}
