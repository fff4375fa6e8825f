//! Writes elements with attributes. Content is not escaped, since models read code
//! better as it is; instead the elements get a name that no content holds.

use super::{Block, Document, Part, Written, written};

pub(super) fn render(document: &Document, blocks: &[&Block]) -> Written {
    let tag = Tag::for_document(document, blocks);
    let mut out = format!("<{} name=\"{}\">\n", tag.of("pack"), escape(&document.name));
    let legend: Vec<&str> = document.remarks().collect();
    if !legend.is_empty() {
        tag.element(&mut out, "legend", "", &legend.join("\n"));
    }
    let part = |out: &mut String, part: &Part| tag.part(out, part);
    let block = |out: &mut String, block: &Block| tag.file(out, block);
    let mut written = written(out, document, blocks, part, block);
    written.text.push_str(&format!("</{}>\n", tag.of("pack")));
    written
}

/// Writes a block under the shortest tag.
pub(super) fn write_block(out: &mut String, block: &Block) {
    let plain = Tag { suffix: String::new() };
    plain.file(out, block);
}

fn attributes(block: &Block) -> String {
    let (path, extent) = (escape(&block.path), escape(&block.extent()));
    let tier = block.tier.name();
    format!(" path=\"{path}\" tier=\"{tier}\" shows=\"{extent}\"")
}

/// What is put behind the names of elements.
struct Tag {
    suffix: String,
}

impl Tag {
    const NAMES: [&'static str; 3] = ["pack", "legend", "file"];

    /// Finds a suffix such that no element of ours begins or ends in any content.
    fn for_document(document: &Document, blocks: &[&Block]) -> Tag {
        let mut tag = Tag { suffix: String::new() };
        let bodies = || {
            let parts = document.parts().map(|part| part.text.as_str());
            let blocks = blocks.iter().map(|block| block.body.as_str());
            blocks.chain(parts).chain(document.remarks())
        };
        // Derived from the content, so that the same content gives the same bytes.
        for attempt in 0_u64.. {
            let names = || {
                let elements = blocks.iter().map(|block| block.origin.element());
                let parts = document.parts().map(|part| part.name);
                Tag::NAMES.into_iter().chain(elements).chain(parts)
            };
            if !bodies().any(|body| tag.occurs_in(body, names())) {
                break;
            }
            let mut hasher = blake3::Hasher::new();
            hasher.update(&attempt.to_le_bytes());
            bodies().for_each(|body| {
                hasher.update(body.as_bytes());
            });
            tag.suffix = format!("-{}", &hasher.finalize().to_hex()[..8]);
        }
        tag
    }

    fn of(&self, name: &str) -> String {
        format!("{name}{}", self.suffix)
    }

    fn occurs_in(&self, body: &str, mut names: impl Iterator<Item = &'static str>) -> bool {
        names.any(|name| {
            let name = self.of(name);
            body.contains(&format!("</{name}")) || body.contains(&format!("<{name}"))
        })
    }

    fn part(&self, out: &mut String, part: &Part) {
        let attribute = part.attribute.as_ref();
        let attribute = attribute.map(|(name, value)| format!(" {name}=\"{}\"", escape(value)));
        self.element(out, part.name, &attribute.unwrap_or_default(), &part.text);
    }

    fn file(&self, out: &mut String, block: &Block) {
        self.element(out, block.origin.element(), &attributes(block), &block.body);
    }

    fn element(&self, out: &mut String, name: &str, attributes: &str, body: &str) {
        let name = self.of(name);
        let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
        out.push_str(&format!("<{name}{attributes}>\n{body}{end}</{name}>\n"));
    }
}

pub(in crate::pack) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
