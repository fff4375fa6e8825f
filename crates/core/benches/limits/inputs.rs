//! Sources that look real, of any size, the same in every run.

use loadline::pack::{PackSource, SourceKind};
use loadline::text::{ChunkError, ChunkOptions, ChunkSource, Chunked, Piece, chunk, chunk_outline};
use loadline::tokens::Counter;

/// What is asked of packs and rankings.
pub(crate) const QUERY: &str = "sessions expire too early when the cache is refreshed";

/// A hundred sources of all kinds and five languages; one in ten repeats another.
pub(crate) fn mixed_sources() -> Vec<PackSource> {
    let source = |number: usize| {
        let original = if number % 10 == 9 { number - 5 } else { number };
        let (_, ending, writer) = LANGUAGES[original % LANGUAGES.len()];
        let kind = SourceKind::ALL[(number / LANGUAGES.len()) % SourceKind::ALL.len()];
        let text = text(writer, 1_000 + 400 * (original % 13), original as u64);
        PackSource::new(kind, format!("src/part{number}/file{number}.{ending}"))
            .content(text)
            .relevance((number * 37 % 100) as f64 / 100.0)
            .changed_ns(number as i64 * 86_400_000_000_000)
    };
    (0..100).map(source).collect()
}

/// Cuts a text as a pack does, parsing included.
pub(crate) fn cut(language: &str, text: &str, counter: &Counter) -> Result<Chunked, ChunkError> {
    let outlined = chunk_outline(Some(language), text);
    let source = ChunkSource {
        path: "bench",
        language: Some(language),
        outline: outlined.as_ref().map(Result::as_ref),
    };
    let count = |text: &str| counter.count(text);
    chunk(text, &source, &ChunkOptions::default(), count)
}

/// The chunks of sources.
pub(crate) fn pieces(sources: &[PackSource], counter: &Counter) -> Result<Vec<Piece>, ChunkError> {
    let mut pieces = Vec::new();
    for source in sources {
        let text = String::from_utf8_lossy(source.content.as_deref().unwrap_or_default());
        let row = LANGUAGES.iter().find(|row| source.path.ends_with(row.1));
        let language = row.map_or("", |row| row.0);
        let chunks = cut(language, &text, counter)?.chunks.into_iter();
        pieces.extend(chunks.map(|chunk| Piece {
            source: source.kind.share().to_owned(),
            path: source.path.clone(),
            language: Some(language.to_owned()),
            first: chunk.first,
            last: chunk.last,
            score: source.relevance.unwrap_or_default(),
            tokens: chunk.tokens,
            text: chunk.text,
        }));
    }
    Ok(pieces)
}

/// A language with what writes one unit of it.
pub(crate) type Writer = fn(&mut Words) -> String;

/// Languages by the names that the library knows, with an ending for paths.
pub(crate) const LANGUAGES: [(&str, &str, Writer); 5] = [
    ("rust", "rs", rust),
    ("python", "py", python),
    ("typescript", "ts", typescript),
    ("go", "go", go),
    ("markdown", "md", markdown),
];

/// Writes whole units of a language until they are `bytes` long.
pub(crate) fn text(writer: Writer, bytes: usize, seed: u64) -> String {
    let mut words = Words { state: seed };
    let mut text = String::with_capacity(bytes + 4_000);
    while text.len() < bytes {
        text.push_str(&writer(&mut words));
    }
    text
}

const NAMES: [&str; 32] = [
    "session", "token", "budget", "window", "cache", "store", "parser", "reader", "writer",
    "buffer", "request", "response", "header", "index", "query", "passage", "chunk", "score",
    "signal", "weight", "limit", "path", "file", "line", "range", "count", "user", "account",
    "order", "invoice", "clock", "timer",
];

const VERBS: [&str; 16] = [
    "load", "save", "parse", "render", "count", "merge", "split", "check", "expire", "refresh",
    "resolve", "collect", "encode", "decode", "filter", "rank",
];

/// Words in an order that looks random and is always the same.
pub(crate) struct Words {
    state: u64,
}

impl Words {
    fn number(&mut self, below: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % below
    }

    fn name(&mut self) -> &'static str {
        NAMES[self.number(NAMES.len())]
    }

    fn verb(&mut self) -> &'static str {
        VERBS[self.number(VERBS.len())]
    }

    fn function(&mut self) -> String {
        format!("{}_{}_{}", self.verb(), self.name(), self.number(1000))
    }

    fn class(&mut self) -> String {
        let capital = |word: &str| format!("{}{}", word[..1].to_uppercase(), &word[1..]);
        let (first, second) = (capital(self.name()), capital(self.name()));
        format!("{first}{second}{}", self.number(1000))
    }

    fn sentence(&mut self) -> String {
        let count = 6 + self.number(10);
        let words: Vec<&str> = (0..count)
            .map(|place| match place % 3 {
                0 => self.verb(),
                1 => "the",
                _ => self.name(),
            })
            .collect();
        format!("{}.", words.join(" "))
    }
}

fn rust(words: &mut Words) -> String {
    let class = words.class();
    let mut text = format!(
        "/// {}\n#[derive(Clone, Debug)]\npub struct {class} {{\n    {}: Vec<u32>,\n    pub {}: Option<String>,\n}}\n\nimpl {class} {{\n",
        words.sentence(),
        words.name(),
        words.name(),
    );
    for _ in 0..3 + words.number(4) {
        let (field, other, call) = (words.name(), words.name(), words.function());
        text.push_str(&format!(
            "    /// {}\n    pub fn {}(&self, {field}: &str, limit: usize) -> Result<Vec<String>, Error> {{\n        let mut {other}s = Vec::with_capacity(limit);\n        for (number, line) in {field}.lines().enumerate().take(limit) {{\n            if line.is_empty() || number % {} == 0 {{\n                continue;\n            }}\n            // {}\n            let found = self.{call}(line, &[number, {}]).map_err(|error| Error::new(error))?;\n            {other}s.push(format!(\"{{found}}: {{line}}\"));\n        }}\n        Ok({other}s)\n    }}\n\n",
            words.sentence(),
            words.function(),
            2 + words.number(9),
            words.sentence(),
            words.number(100),
        ));
    }
    text.push_str("}\n\n");
    text
}

fn python(words: &mut Words) -> String {
    let mut text =
        format!("class {}(Base):\n    \"\"\"{}\"\"\"\n\n", words.class(), words.sentence());
    for _ in 0..3 + words.number(4) {
        let (field, other, call) = (words.name(), words.name(), words.function());
        text.push_str(&format!(
            "    @property\n    def {}(self, {field}, limit={}):\n        \"\"\"{}\"\"\"\n        {other}s = []\n        for number, line in enumerate({field}.splitlines()):\n            if not line or number % {} == 0:\n                continue\n            # {}\n            found = self.{call}(line, [number, {}], key=\"{other}\")\n            {other}s.append(f\"{{found}}: {{line}}\")\n        return {{\"{field}\": {other}s, \"limit\": limit}}\n\n",
            words.function(),
            words.number(100),
            words.sentence(),
            2 + words.number(9),
            words.sentence(),
            words.number(100),
        ));
    }
    text.push('\n');
    text
}

fn typescript(words: &mut Words) -> String {
    let class = words.class();
    let mut text = format!(
        "/** {} */\nexport interface {class}Options {{\n  {}: string;\n  {}?: number[];\n}}\n\nexport class {class} {{\n",
        words.sentence(),
        words.name(),
        words.name(),
    );
    for _ in 0..3 + words.number(4) {
        let (field, other, call) = (words.name(), words.name(), words.function());
        text.push_str(&format!(
            "  /** {} */\n  async {}({field}: string, options: {class}Options): Promise<string[]> {{\n    const {other}s: string[] = [];\n    for (const [number, line] of {field}.split(\"\\n\").entries()) {{\n      if (!line || number % {} === 0) {{\n        continue;\n      }}\n      // {}\n      const found = await this.{call}(line, [number, {}], {{ key: \"{other}\" }});\n      {other}s.push(`${{found}}: ${{line}}`);\n    }}\n    return {other}s.filter((item) => item.length > {});\n  }}\n\n",
            words.sentence(),
            words.function(),
            2 + words.number(9),
            words.sentence(),
            words.number(100),
            words.number(50),
        ));
    }
    text.push_str("}\n\n");
    text
}

fn go(words: &mut Words) -> String {
    let class = words.class();
    let mut text = format!(
        "// {class} {}\ntype {class} struct {{\n\t{}s []string\n\tlimit int\n}}\n\n",
        words.sentence(),
        words.name(),
    );
    for _ in 0..3 + words.number(4) {
        let (field, other, call) = (words.name(), words.name(), words.function());
        text.push_str(&format!(
            "// {}\nfunc (c *{class}) {}({field} string, limit int) ([]string, error) {{\n\t{other}s := make([]string, 0, limit)\n\tfor number, line := range strings.Split({field}, \"\\n\") {{\n\t\tif line == \"\" || number%{} == 0 {{\n\t\t\tcontinue\n\t\t}}\n\t\t// {}\n\t\tfound, err := c.{call}(line, []int{{number, {}}})\n\t\tif err != nil {{\n\t\t\treturn nil, fmt.Errorf(\"{other}: %w\", err)\n\t\t}}\n\t\t{other}s = append({other}s, found)\n\t}}\n\treturn {other}s, nil\n}}\n\n",
            words.sentence(),
            words.function(),
            2 + words.number(9),
            words.sentence(),
            words.number(100),
        ));
    }
    text
}

fn markdown(words: &mut Words) -> String {
    let mut text = format!("## {}\n\n", words.sentence().trim_end_matches('.'));
    for _ in 0..2 + words.number(4) {
        let lines: Vec<String> = (0..2 + words.number(4)).map(|_| words.sentence()).collect();
        text.push_str(&format!("### {}\n\n{}\n\n", words.class(), lines.join("\n")));
        text.push_str(&format!(
            "```sh\nloadline {} --{} {}\n```\n\n| {} | {} |\n|---|---|\n| {} | {} |\n\n- {}\n- [{}]({}.md)\n\n",
            words.verb(),
            words.name(),
            words.number(1000),
            words.name(),
            words.name(),
            words.number(100),
            words.name(),
            words.sentence(),
            words.name(),
            words.name(),
        ));
    }
    text
}
