//! Outlines as bytes, for the cache.
//!
//! A version, the strings (each once), then numbers that refer to them, then a
//! checksum. Bytes that are damaged, of another version or of a language that
//! this build does not know are no outline; the caller parses again.

use std::collections::HashMap;

use super::language::find;
use super::outline::{Definition, DefinitionKind, Import, ImportKind, Outline};

/// Grows whenever the format or what an outline means changes.
const VERSION: u8 = 1;
const CHECKSUM: usize = 8;

impl Outline {
    /// Writes the outline in a compact form for a cache.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.string(self.language);
        writer.number(u64::from(self.lines));
        writer.number(u64::from(self.has_errors));
        writer.list(&self.definitions, Writer::definition);
        writer.list(&self.imports, Writer::import);
        writer.list(&self.exports, |writer, name| writer.string(name));
        writer.list(&self.references, |writer, (name, line)| {
            writer.string(name);
            writer.number(u64::from(*line));
        });
        writer.finish()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote, or `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Outline> {
        let (version, rest) = bytes.split_first()?;
        let (body, sum) = rest.split_at_checked(rest.len().checked_sub(CHECKSUM)?)?;
        if *version != VERSION || checksum(body) != sum {
            return None;
        }
        let mut reader = Reader {
            rest: body,
            strings: Vec::new(),
        };
        reader.read_strings()?;
        let outline = Outline {
            language: find(reader.string()?)?.language.id,
            lines: reader.small()?,
            has_errors: reader.number()? != 0,
            definitions: reader.list(Reader::definition)?,
            imports: reader.list(Reader::import)?,
            exports: reader.list(|reader| reader.string().map(str::to_owned))?,
            references: reader
                .list(|reader| Some((reader.string()?.to_owned(), reader.small()?)))?,
        };
        reader.rest.is_empty().then_some(outline)
    }
}

fn checksum(body: &[u8]) -> Vec<u8> {
    let hash = blake3::hash(body);
    hash.as_bytes().iter().copied().take(CHECKSUM).collect()
}

#[derive(Default)]
struct Writer<'a> {
    strings: Vec<&'a str>,
    places: HashMap<&'a str, u64>,
    numbers: Vec<u8>,
}

impl<'a> Writer<'a> {
    fn number(&mut self, value: u64) {
        write_number(&mut self.numbers, value);
    }

    fn string(&mut self, text: &'a str) {
        let strings = &mut self.strings;
        let place = *self.places.entry(text).or_insert_with(|| {
            strings.push(text);
            strings.len() as u64 - 1
        });
        self.number(place);
    }

    fn list<T>(&mut self, items: &'a [T], mut write: impl FnMut(&mut Self, &'a T)) {
        self.number(items.len() as u64);
        for item in items {
            write(self, item);
        }
    }

    fn definition(&mut self, item: &'a Definition) {
        let kind = DefinitionKind::ALL
            .iter()
            .position(|(kind, _)| *kind == item.kind);
        self.string(&item.name);
        self.number(kind.unwrap_or(0) as u64);
        self.string(&item.signature);
        self.number(u64::from(item.exported));
        self.number(u64::from(item.lead_line));
        self.number(u64::from(item.first_line));
        self.number(u64::from(item.last_line));
        self.string(item.doc.as_deref().unwrap_or_default());
        self.number(item.parent.map_or(0, |parent| parent as u64 + 1));
    }

    fn import(&mut self, item: &'a Import) {
        self.string(&item.source);
        self.list(&item.names, |writer, name| writer.string(name));
        self.number(u64::from(item.line));
        let kind = ImportKind::ALL.iter().position(|kind| *kind == item.kind);
        self.number(kind.unwrap_or(0) as u64);
    }

    fn finish(self) -> Vec<u8> {
        let mut body = Vec::new();
        write_number(&mut body, self.strings.len() as u64);
        for text in &self.strings {
            write_number(&mut body, text.len() as u64);
            body.extend_from_slice(text.as_bytes());
        }
        body.extend_from_slice(&self.numbers);
        let sum = checksum(&body);
        [&[VERSION], body.as_slice(), sum.as_slice()].concat()
    }
}

/// Seven bits per byte, the lowest first; the high bit says that more follow.
fn write_number(bytes: &mut Vec<u8>, value: u64) {
    let mut rest = value;
    while rest >= 0x80 {
        bytes.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

struct Reader<'a> {
    rest: &'a [u8],
    strings: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u64> {
        let mut value: u64 = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn length(&mut self) -> Option<usize> {
        let length: usize = self.number()?.try_into().ok()?;
        // Every entry takes at least a byte, so a longer list is a lie.
        (length <= self.rest.len()).then_some(length)
    }

    fn read_strings(&mut self) -> Option<()> {
        for _ in 0..self.length()? {
            let length = self.length()?;
            let (text, rest) = self.rest.split_at_checked(length)?;
            self.rest = rest;
            self.strings.push(std::str::from_utf8(text).ok()?);
        }
        Some(())
    }

    fn string(&mut self) -> Option<&'a str> {
        let place: usize = self.number()?.try_into().ok()?;
        self.strings.get(place).copied()
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.length()?).map(|_| read(self)).collect()
    }

    fn definition(&mut self) -> Option<Definition> {
        let name = self.string()?.to_owned();
        let kind: usize = self.number()?.try_into().ok()?;
        Some(Definition {
            name,
            kind: DefinitionKind::ALL.get(kind)?.0,
            signature: self.string()?.to_owned(),
            exported: self.number()? != 0,
            lead_line: self.small()?,
            first_line: self.small()?,
            last_line: self.small()?,
            doc: Some(self.string()?.to_owned()).filter(|doc| !doc.is_empty()),
            parent: match self.number()? {
                0 => None,
                place => Some(usize::try_from(place - 1).ok()?),
            },
        })
    }

    fn import(&mut self) -> Option<Import> {
        Some(Import {
            source: self.string()?.to_owned(),
            names: self.list(|reader| reader.string().map(str::to_owned))?,
            line: self.small()?,
            kind: *ImportKind::ALL.get(usize::try_from(self.number()?).ok()?)?,
        })
    }
}
