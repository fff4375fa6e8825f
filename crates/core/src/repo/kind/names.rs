//! The names that say what a file is.
//!
//! Tables only. Those that begin with `COMPAT` repeat the reference
//! implementation of file scoring and must not grow; the others are added.

/// File names up to the first dot that are entry points in any directory.
pub(super) const ENTRY_STEMS: &[&str] = &["index", "main", "app", "server"];

/// Whole file names that are entry points in any directory.
pub(super) const ENTRY_NAMES: &[&str] = &[
    "Program.cs",
    "Main.java",
    "Application.java",
    "Main.kt",
    "Application.kt",
    "__init__.py",
    "__main__.py",
    "lib.rs",
    "manage.py",
    "mod.rs",
    "wsgi.py",
    "asgi.py",
    "config.ru",
];

/// What the path of a configuration file may begin with, after a dot or not.
pub(super) const COMPAT_CONFIG_PREFIXES: &[&str] = &[
    "babel", "eslint", "prettier", "jest", "vitest", "webpack", "tsconfig", "rollup", "vite",
];

/// Configuration files at the root.
pub(super) const COMPAT_ROOT_CONFIGS: &[&str] = &[
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pyproject.toml",
    "Makefile",
    "Dockerfile",
];

/// More configuration files at the root.
pub(super) const ROOT_CONFIGS: &[&str] = &[
    "CMakeLists.txt",
    "Containerfile",
    "GNUmakefile",
    "Gemfile",
    "Justfile",
    "Package.swift",
    "Pipfile",
    "Rakefile",
    "biome.json",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "build.zig",
    "bunfig.toml",
    "composer.json",
    "compose.yaml",
    "compose.yml",
    "deno.json",
    "deno.jsonc",
    "docker-compose.yaml",
    "docker-compose.yml",
    "go.work",
    "jsconfig.json",
    "justfile",
    "lerna.json",
    "meson.build",
    "mix.exs",
    "nx.json",
    "pnpm-workspace.yaml",
    "pom.xml",
    "pubspec.yaml",
    "requirements.txt",
    "rust-toolchain.toml",
    "settings.gradle",
    "settings.gradle.kts",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "turbo.json",
];

/// Parts of a path that make it a test.
pub(super) const COMPAT_TESTS: &[&str] = &[".test.", ".spec.", "__tests__/", "__test__/"];

/// Directories of tests.
pub(super) const TEST_DIRECTORIES: &[&str] = &[
    "test",
    "tests",
    "spec",
    "specs",
    "testdata",
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "androidTest",
    "e2e",
];

/// How the name of a test begins and ends.
pub(super) const TEST_NAMES: &[(&str, &str)] = &[
    ("", "_test.go"),
    ("test_", ".py"),
    ("", "_test.py"),
    ("tests.py", ""),
    ("conftest.py", ""),
    ("", "Test.java"),
    ("", "Tests.java"),
    ("", "TestCase.java"),
    ("", "IT.java"),
    ("", "Test.kt"),
    ("", "Tests.kt"),
    ("", "Spec.scala"),
    ("", "Test.scala"),
    ("", "Spec.groovy"),
    ("", "Test.cs"),
    ("", "Tests.cs"),
    ("", "_spec.rb"),
    ("", "_test.rb"),
    ("test_", ".rb"),
    ("", "Test.php"),
    ("", "Tests.swift"),
    ("", "_test.rs"),
    ("", "_tests.rs"),
    ("tests.rs", ""),
    ("test.rs", ""),
    ("", "_test.c"),
    ("", "_test.cc"),
    ("", "_test.cpp"),
    ("", "_unittest.cc"),
    ("", "_test.dart"),
    ("", "_test.exs"),
    ("", "_spec.lua"),
];

/// Files of package managers, by name, that the reference leaves out.
pub(super) const COMPAT_LOCKS: &[&str] = &[
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "Cargo.lock",
    "go.sum",
];

/// More files of package managers.
pub(super) const LOCKS: &[&str] = &[
    "Gemfile.lock",
    "Package.resolved",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "bun.lockb",
    "composer.lock",
    "deno.lock",
    "flake.lock",
    "go.work.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "packages.lock.json",
    "pdm.lock",
    "pixi.lock",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
];

/// Directories that hold code: a build directory below one is not build output.
pub(super) const SOURCE_DIRECTORIES: &[&str] = &["src", "lib", "pkg", "internal", "cmd", "crates"];

/// Directories that hold what was built, unless they lie in a source directory.
pub(super) const BUILD_DIRECTORIES: &[&str] = &["build", "dist", "target", "coverage", "out"];

/// Directories that hold what nobody here has written.
pub(super) const FOREIGN_DIRECTORIES: &[&str] = &[
    ".gradle",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".tox",
    ".venv",
    "Pods",
    "__generated__",
    "__pycache__",
    "bower_components",
    "node_modules",
    "site-packages",
    "third_party",
    "thirdparty",
    "vendor",
    "venv",
];

/// Parts of a file name that only generated files have.
pub(super) const GENERATED_PARTS: &[&str] = &[
    ".gen.",
    ".generated.",
    ".min.js",
    ".min.mjs",
    ".min.css",
    ".bundle.js",
    ".js.map",
    ".css.map",
    ".pb.go",
    ".pb.h",
    ".pb.cc",
    ".pb.gw.go",
    "_pb2.py",
    "_pb2_grpc.py",
    "_pb.js",
    "_pb.d.ts",
    ".g.cs",
    ".g.dart",
    ".freezed.dart",
    ".Designer.cs",
    ".designer.cs",
    "_generated.",
    "zz_generated.",
];

/// Languages that are written for people, as `language_of` calls them.
pub(super) const DOC_LANGUAGES: &[&str] = &["asciidoc", "latex", "markdown", "mdx", "rst", "text"];

/// Names without an extension that are written for people, in upper case.
pub(super) const DOC_NAMES: &[&str] = &[
    "AUTHORS",
    "CHANGELOG",
    "CHANGES",
    "CONTRIBUTING",
    "CONTRIBUTORS",
    "COPYING",
    "HISTORY",
    "LICENCE",
    "LICENSE",
    "MAINTAINERS",
    "NEWS",
    "NOTICE",
    "README",
    "TODO",
];

/// Languages that hold values only, as `language_of` calls them.
pub(super) const DATA_LANGUAGES: &[&str] = &[
    "csv", "ini", "json", "json5", "jsonc", "toml", "xml", "yaml",
];
