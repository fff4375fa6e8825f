//! Data, text, pages and styles: one small source each, and its outline.

use super::check;

#[cfg(feature = "lang-json")]
#[test]
fn json_is_outlined() {
    check(
        "json",
        r##"
{
  "name": "x",
  "version": "1.0",
  "scripts": { "build": "tsc", "test": "vitest" },
  "files": ["a", "b"],
  "long": [
    1
  ]
}
"##,
        r##"
+ key name: "name": "x" [2]
+ key version: "version": "1.0" [3]
+ key scripts: "scripts" [4]
  + key build: "build": "tsc" [4]
  + key test: "test": "vitest" [4]
+ key files: "files": ["a", "b"] [5]
+ key long: "long" [6-8]
"##,
    );
}

#[cfg(feature = "lang-yaml")]
#[test]
fn yaml_is_outlined() {
    check(
        "yaml",
        r##"
# Pipeline
name: ci
on:
  push:
    branches: [main]
  pull_request:
jobs:
  test:
    runs-on: x
list:
  - a
text: |
  abc
  def
"##,
        r##"
+ key name: name: ci [1<2]
+ key on: on [3-6]
  + key push: push: branches: [main] [4-5]
  + key pull_request: pull_request [6]
+ key jobs: jobs [7-9]
  + key test: test: runs-on: x [8-9]
+ key list: list: - a [10-11]
+ key text: text [12-14]
"##,
    );
}

#[cfg(feature = "lang-toml")]
#[test]
fn toml_is_outlined() {
    check(
        "toml",
        r##"
title = "x"
[package]
name = "a"
version = "1"
[dependencies]
serde = { version = "1" }
[[bin]]
name = "b"
[empty]
"##,
        r##"
+ key title: title = "x" [1]
+ key package: [package] [2-4]
  + key name: name = "a" [3]
  + key version: version = "1" [4]
+ key dependencies: [dependencies] [5-6]
  + key serde: serde = { version = "1" } [6]
+ key bin: [[bin]] [7-8]
  + key name: name = "b" [8]
+ key empty: [empty] [9]
"##,
    );
}

#[cfg(feature = "lang-markdown")]
#[test]
fn markdown_is_outlined() {
    check(
        "markdown",
        r##"
# Title

Intro.

## Usage

```sh
# not a heading
```

### Deep *one*

## Other
text

Setext
------
"##,
        r##"
+ heading Title: # Title [1-17]
  + heading Usage: ## Usage [5-11]
    + heading Deep *one*: ### Deep *one* [11]
  + heading Other: ## Other [13-17]
    + heading Setext: ## Setext [16-17]
"##,
    );
}

#[cfg(feature = "lang-html")]
#[test]
fn html_is_outlined() {
    check(
        "html",
        r##"
<!DOCTYPE html>
<html><head><title>Shop</title>
<link rel="stylesheet" href="a.css">
<script src="a.js"></script>
</head>
<body>
<h1>Welcome</h1>
<div id="app" class="x"><p>hi</p></div>
<h2>Sub <b>x</b></h2>
</body></html>
"##,
        r##"
+ heading Shop: <title>Shop</title> [2]
+ heading Welcome: <h1>Welcome</h1> [7]
+ element app: <div id="app" class="x"> [8]
+ heading Sub: <h2>Sub <b>x</b></h2> [9]
imports a.css a.js
"##,
    );
}

#[cfg(feature = "lang-css")]
#[test]
fn css_is_outlined() {
    check(
        "css",
        r##"
@import "base.css";
@import url("x.css");
:root { --a: 1; }
.card, .box > a:hover { color: red; }
@media (max-width: 100px) { .b { color: blue; } }
@keyframes spin { from { a: b } }
"##,
        r##"
+ selector :root: :root [3]
+ selector .card, .box > a:hover: .card, .box > a:hover [4]
+ selector (max-width: 100px): @media (max-width: 100px) [5]
+ selector spin: @keyframes spin [6]
imports base.css x.css
"##,
    );
}
