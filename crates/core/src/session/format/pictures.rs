//! Pictures and other documents in sessions: how many tokens they cost, and their data,
//! so that one format can write what another said.
//!
//! Formats differ only in the names under which the data stands, so one search finds it
//! in all of them. Providers count by size: Anthropic by area, OpenAI and Gemini by tiles.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::SessionFormat;
use super::json::value;
use crate::session::cost::IMAGE_TOKENS;
use crate::session::transcript::{Block, Content, Images, Transcript};

/// Letters of base64 that hold the head of a picture; some cameras write long ones.
const HEAD: usize = 256 << 10;

/// A picture or a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Picture {
    pub(super) mime: String,
    pub(super) data: Data,
}

/// Where the bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Data {
    Base64(String),
    Url(String),
}

/// Returns what a part that is a picture costs.
pub(super) fn image(part: &Value, format: SessionFormat) -> Content {
    Content::Image(images(part, format).tokens.max(1))
}

/// Counts the pictures in a value; one that cannot be measured costs the usual.
pub(super) fn images(value: &Value, format: SessionFormat) -> Images {
    let found = pictures(value);
    let tokens = found.iter().map(|it| it.tokens(format)).fold(0, u64::saturating_add);
    let tokens = if found.is_empty() { IMAGE_TOKENS } else { tokens };
    Images { count: found.len().max(1), tokens }
}

/// Returns the pictures of a block as it stands in its session.
pub(super) fn pictures_of(transcript: &Transcript, block: &Block) -> Vec<Picture> {
    match &block.content {
        Content::Image(_) => pictures(&value(transcript.raw(block))),
        Content::Result(result) if result.images.count > 0 => {
            pictures(&value(transcript.raw(block)))
        }
        _ => Vec::new(),
    }
}

/// Finds the pictures in a value, whatever format it is of.
fn pictures(value: &Value) -> Vec<Picture> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<Picture>) {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let mime = ["media_type", "mimeType", "mime_type", "mime"].into_iter().find_map(text);
    let url = ["url", "image_url", "file_data", "fileUri"].into_iter().find_map(text);
    if let (Some(mime), Some(data)) = (mime, text("data")) {
        let (mime, data) = (mime.to_owned(), Data::Base64(data.to_owned()));
        return found.push(Picture { mime, data });
    }
    if let Some(picture) = url.and_then(|url| from_url(url, mime)) {
        return found.push(picture);
    }
    match value {
        Value::Array(elements) => elements.iter().for_each(|it| collect(it, found)),
        Value::Object(members) => members.values().for_each(|it| collect(it, found)),
        _ => {}
    }
}

fn from_url(url: &str, mime: Option<&str>) -> Option<Picture> {
    if let Some((head, data)) = url.strip_prefix("data:").and_then(|it| it.split_once(',')) {
        let mime = head.strip_suffix(";base64")?.to_owned();
        return Some(Picture { mime, data: Data::Base64(data.to_owned()) });
    }
    let is_url = url.contains("://");
    let mime = mime.unwrap_or("image/png").to_owned();
    is_url.then(|| Picture { mime, data: Data::Url(url.to_owned()) })
}

impl Picture {
    fn is_document(&self) -> bool {
        self.mime == "application/pdf"
    }

    /// The address of the picture, or its data as one.
    fn url(&self) -> String {
        match &self.data {
            Data::Url(url) => url.clone(),
            Data::Base64(data) => format!("data:{};base64,{data}", self.mime),
        }
    }

    /// The picture as a block of Anthropic's API.
    pub(super) fn anthropic(&self) -> Value {
        let source = match &self.data {
            Data::Base64(data) => json!({"type": "base64", "media_type": self.mime, "data": data}),
            Data::Url(url) => json!({"type": "url", "url": url}),
        };
        let kind = if self.is_document() { "document" } else { "image" };
        json!({"type": kind, "source": source})
    }

    /// The picture as a part of OpenAI's chat completions.
    pub(super) fn chat_part(&self) -> Value {
        json!({"type": "image_url", "image_url": {"url": self.url()}})
    }

    /// The picture as a part of an item of OpenAI's Responses API.
    pub(super) fn item_part(&self) -> Value {
        json!({"type": "input_image", "image_url": self.url()})
    }

    /// The picture as a part of Gemini's API.
    pub(super) fn gemini_part(&self) -> Value {
        match &self.data {
            Data::Base64(data) => json!({"inlineData": {"mimeType": self.mime, "data": data}}),
            Data::Url(url) => json!({"fileData": {"mimeType": self.mime, "fileUri": url}}),
        }
    }

    /// The picture as a block of pi, which takes data only.
    pub(super) fn pi_block(&self) -> Option<Value> {
        match &self.data {
            Data::Base64(data) => {
                Some(json!({"type": "image", "mimeType": self.mime, "data": data}))
            }
            Data::Url(_) => None,
        }
    }

    /// The picture as a part of opencode, without ids.
    pub(super) fn opencode_part(&self) -> Value {
        json!({"type": "file", "mime": self.mime, "filename": "picture", "url": self.url()})
    }

    fn tokens(&self, format: SessionFormat) -> u64 {
        let size = match &self.data {
            Data::Base64(data) => size(data),
            Data::Url(_) => None,
        };
        let Some((width, height)) = size.filter(|(width, height)| width * height > 0) else {
            return IMAGE_TOKENS;
        };
        match format {
            SessionFormat::Gemini => by_tiles(width, height, 768, 0, 258),
            SessionFormat::OpenAiChat | SessionFormat::OpenAiResponses | SessionFormat::Codex => {
                // The long side is brought to 2,048, then the short one to 768.
                let (width, height) = within(width, height, 2_048);
                let short = width.min(height).max(1);
                let scaled = |side: u64| if short > 768 { side * 768 / short } else { side };
                by_tiles(scaled(width), scaled(height), 512, 85, 170)
            }
            _ => {
                let (width, height) = within(width, height, 1_568);
                (width * height).div_ceil(750).min(IMAGE_TOKENS)
            }
        }
    }
}

/// Scales a size down so that no side is longer than `most`.
fn within(width: u64, height: u64, most: u64) -> (u64, u64) {
    let long = width.max(height);
    if long <= most { (width, height) } else { (width * most / long, height * most / long) }
}

fn by_tiles(width: u64, height: u64, side: u64, base: u64, each: u64) -> u64 {
    base + width.div_ceil(side).max(1) * height.div_ceil(side).max(1) * each
}

/// Reads the width and height of a PNG, JPEG, GIF or WebP.
fn size(data: &str) -> Option<(u64, u64)> {
    let head = data.get(..data.len().min(HEAD) / 4 * 4)?;
    let bytes = STANDARD.decode(head).ok()?;
    let big = |at: usize, length: usize| {
        let part = bytes.get(at..at + length)?;
        Some(part.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    };
    let little = |at: usize, length: usize| {
        let part = bytes.get(at..at + length)?;
        Some(part.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    };
    if bytes.starts_with(b"\x89PNG") {
        return Some((big(16, 4)?, big(20, 4)?));
    }
    if bytes.starts_with(b"GIF8") {
        return Some((little(6, 2)?, little(8, 2)?));
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return match bytes.get(12..16)? {
            b"VP8 " => Some((little(26, 2)? & 0x3fff, little(28, 2)? & 0x3fff)),
            b"VP8X" => Some((little(24, 3)? + 1, little(27, 3)? + 1)),
            b"VP8L" => {
                let bits = little(21, 4)?;
                Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
            }
            _ => None,
        };
    }
    if !bytes.starts_with(b"\xff\xd8") {
        return None;
    }
    // Segments of a JPEG, up to the one that begins a frame.
    let mut at = 2;
    loop {
        let marker = big(at + 1, 1)?;
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            return Some((big(at + 7, 2)?, big(at + 5, 2)?));
        }
        at += 2 + usize::try_from(big(at + 2, 2)?).ok()?;
    }
}
