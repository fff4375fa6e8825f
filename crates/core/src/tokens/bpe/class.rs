//! The character classes of OpenAI's split patterns.

use unicode_general_category::{GeneralCategory, get_general_category};

/// What a character is to the split patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// An upper-case or title-case letter (Lu, Lt).
    Upper,
    /// A lower-case letter (Ll).
    Lower,
    /// A letter that is neither: Lm, Lo.
    Letter,
    /// A combining mark (M).
    Mark,
    /// Any number (N).
    Number,
    /// `\r` or `\n`.
    Newline,
    /// Any other white space.
    Space,
    /// Everything else.
    Other,
}

impl Class {
    /// Tells whether this is `\p{L}`.
    pub(super) fn is_letter(self) -> bool {
        matches!(self, Class::Upper | Class::Lower | Class::Letter)
    }

    /// Tells whether this is `[^\s\p{L}\p{N}]`.
    pub(super) fn is_symbol(self) -> bool {
        matches!(self, Class::Other | Class::Mark)
    }

    /// Tells whether this is `[^\r\n\p{L}\p{N}]`, which may open a word.
    pub(super) fn opens_word(self) -> bool {
        matches!(self, Class::Other | Class::Mark | Class::Space)
    }

    /// Tells whether this is `\s`.
    pub(super) fn is_space(self) -> bool {
        matches!(self, Class::Space | Class::Newline)
    }
}

const ASCII: [Class; 128] = {
    let mut table = [Class::Other; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Number,
            b'\r' | b'\n' => Class::Newline,
            b' ' | b'\t' | 0x0B | 0x0C => Class::Space,
            _ => Class::Other,
        };
        byte += 1;
    }
    table
};

/// Returns the class of an ASCII byte, or `None` for the bytes of longer characters.
pub(super) fn of_ascii(byte: u8) -> Option<Class> {
    ASCII.get(usize::from(byte)).copied()
}

/// Returns the class of any character.
pub(super) fn of(character: char) -> Class {
    use GeneralCategory::*;
    if let Ok(byte) = u8::try_from(character)
        && let Some(class) = of_ascii(byte)
    {
        return class;
    }
    if character.is_whitespace() {
        return Class::Space;
    }
    match get_general_category(character) {
        UppercaseLetter | TitlecaseLetter => Class::Upper,
        LowercaseLetter => Class::Lower,
        ModifierLetter | OtherLetter => Class::Letter,
        NonspacingMark | SpacingMark | EnclosingMark => Class::Mark,
        DecimalNumber | LetterNumber | OtherNumber => Class::Number,
        _ => Class::Other,
    }
}
