//! Sorts characters into the classes of Claude's tokenizer.
//!
//! Derived from Unicode data where a category predicts the measured counts,
//! and listed where none does. The lists come from ctok.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::char::canonical_combining_class;

/// The class that decides which characters form a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Letters with case or of alphabetic scripts.
    Word,
    /// Combining marks with no letter before them, which open a word of their own.
    StrayMark,
    /// ASCII and Arabic digits.
    Digit,
    /// ASCII punctuation and symbols, and a few others.
    Punctuation,
    /// White space.
    Space,
    /// Everything that stands on its own: ideographs, emoji, other symbols.
    Hard,
}

/// Symbols outside ASCII that behave like ASCII punctuation; no rule predicts them.
const PUNCTUATION: &str = "—»«•°„–−£§€…√→（№†└│།·─═█";
/// Symbols of the CJK block that behave like the ideographs around them.
const IDEOGRAPHIC_SYMBOLS: &str = "〄〒〓〠〶〷〾〿";
/// Upper-case letters, newer than most Unicode tables, with their lower case.
const NEW_PAIRS: [(char, char); 2] = [('\u{1c89}', '\u{1c8a}'), ('\u{a7cb}', '\u{264}')];

/// Returns the class of a character at the start of a run.
pub(super) fn at_start(character: char) -> Class {
    match of(character) {
        Class::Word if is_stray_mark(character) => Class::StrayMark,
        class => class,
    }
}

/// Returns the class of a character inside a run.
pub(super) fn of(character: char) -> Class {
    if character.is_ascii() {
        return of_ascii(character as u8);
    }
    if NEW_PAIRS.iter().any(|&(upper, lower)| character == upper || character == lower) {
        return Class::Word;
    }
    let category = get_general_category(character);
    if is_separator_category(category) {
        Class::Space
    } else if is_symbol_letter(character) {
        Class::Word
    } else if matches!(character, '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}') {
        Class::Digit
    } else if PUNCTUATION.contains(character) {
        Class::Punctuation
    } else if is_selector(character) {
        Class::Hard
    } else if is_mark(category) {
        if is_basic(character) && character.is_alphabetic() { Class::Word } else { Class::Hard }
    } else if is_letter(category) && !is_hard_letter(character) {
        Class::Word
    } else {
        Class::Hard
    }
}

/// Returns the class of an ASCII character.
pub(super) const fn of_ascii(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => Class::Word,
        b'0'..=b'9' => Class::Digit,
        b' ' | b'\t'..=b'\r' => Class::Space,
        b'!'..=b'~' => Class::Punctuation,
        _ => Class::Hard,
    }
}

/// Which kind a character of a hard run is; a run is cut where the kind changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HardKind {
    /// Takes borders like punctuation.
    Punctuation,
    /// Takes borders like a number.
    Number,
    /// Takes none.
    Letter,
}

/// Returns the kind of a hard character.
pub(super) fn hard_kind(character: char) -> HardKind {
    if is_like_punctuation(character) {
        HardKind::Punctuation
    } else if is_border_digit(character) {
        HardKind::Number
    } else {
        HardKind::Letter
    }
}

/// Tells whether a character takes border markers as punctuation does.
pub(super) fn is_like_punctuation(character: char) -> bool {
    use GeneralCategory::*;
    if !is_basic(character) {
        return false;
    }
    if is_separator_mark(character) {
        return true;
    }
    let category = get_general_category(character);
    let ideographic = ('\u{3001}'..='\u{303f}').contains(&character)
        && (is_punctuation(category) || IDEOGRAPHIC_SYMBOLS.contains(character));
    let symbol = is_punctuation(category)
        || matches!(category, MathSymbol | CurrencySymbol | ModifierSymbol | OtherSymbol)
        || matches!(category, Format | Unassigned);
    symbol && !ideographic
}

/// Tells whether a digit takes a border marker: any but ASCII's, in the basic plane.
pub(super) fn is_border_digit(character: char) -> bool {
    match get_general_category(character) {
        GeneralCategory::OtherNumber => is_basic(character),
        GeneralCategory::DecimalNumber => !character.is_ascii() && is_basic(character),
        _ => false,
    }
}

/// Tells whether a text is digits of one category: all decimal, or all other numbers.
pub(super) fn is_digit_run(body: &str) -> bool {
    use GeneralCategory::{DecimalNumber, OtherNumber};
    let mut categories = body.chars().map(get_general_category);
    let first = categories.next();
    matches!(first, Some(DecimalNumber | OtherNumber))
        && categories.all(|category| Some(category) == first)
}

/// Tells whether a character is a variation selector, which rides on what it follows.
pub(super) fn is_selector(character: char) -> bool {
    ('\u{fe00}'..='\u{fe0f}').contains(&character)
}

/// Tells whether a character is upper case and has a lower case.
pub(super) fn is_upper(character: char) -> bool {
    // U+03F4 is a capital to Unicode but costs what a caseless letter costs.
    character != '\u{3f4}'
        && (NEW_PAIRS.iter().any(|&(upper, _)| upper == character)
            || character.is_uppercase() && !is_own_lower(character))
}

/// Tells whether a character is lower case.
pub(super) fn is_lower(character: char) -> bool {
    character.is_lowercase() || NEW_PAIRS.iter().any(|&(_, lower)| lower == character)
}

/// Returns the lower case of a character.
pub(super) fn lower(character: char) -> impl Iterator<Item = char> {
    let own = match NEW_PAIRS.iter().find(|&&(upper, _)| upper == character) {
        Some(&(_, lower)) => Some(lower),
        None if character == '\u{3f4}' => Some(character),
        None => None,
    };
    let mapped = own.is_none().then(|| character.to_lowercase());
    own.into_iter().chain(mapped.into_iter().flatten())
}

/// Tells whether lower-casing leaves a character as it is.
pub(super) fn is_own_lower(character: char) -> bool {
    lower(character).eq([character])
}

/// Tells whether a letter or mark has neither case, so that no case marker can stand for it.
pub(super) fn is_caseless(character: char) -> bool {
    let category = get_general_category(character);
    let new = NEW_PAIRS.iter().any(|&(upper, lower)| character == upper || character == lower);
    (new || is_letter(category) || is_mark(category))
        && !is_lower(character)
        && (!is_upper(character) || is_own_lower(character))
}

/// A mark with nothing before it that could carry it. Syriac vowels act as letters there.
fn is_stray_mark(character: char) -> bool {
    !matches!(character, '\u{711}' | '\u{730}'..='\u{73f}')
        && canonical_combining_class(character) != 0
        && !is_separator_mark(character)
}

/// A mark that closes a word: not alphabetic, and no variation selector.
fn is_separator_mark(character: char) -> bool {
    is_basic(character)
        && is_mark(get_general_category(character))
        && !is_selector(character)
        && !character.is_alphabetic()
}

/// Letters by category that stand on their own: ideographs, Hangul, all beyond the basic plane.
fn is_hard_letter(character: char) -> bool {
    !is_basic(character)
        || matches!(
            character,
            '\u{4e00}'..='\u{9fff}'
                | '\u{3400}'..='\u{4dbf}'
                | '\u{f900}'..='\u{faff}'
                | '\u{ac00}'..='\u{d7a3}'
                | '\u{3005}'
                | '\u{3006}'
                | '\u{3031}'..='\u{3035}'
                | '\u{303b}'
                | '\u{303c}'
        )
}

/// Symbols and numerals that behave as letters: Runic golden numbers, Roman
/// numerals, circled letters, Bamum numbers.
fn is_symbol_letter(character: char) -> bool {
    matches!(
        character,
        '\u{16ee}'..='\u{16f0}'
            | '\u{2160}'..='\u{2188}'
            | '\u{24b6}'..='\u{24e9}'
            | '\u{a6e6}'..='\u{a6ef}'
    )
}

fn is_basic(character: char) -> bool {
    u32::from(character) < 0x1_0000
}

fn is_letter(category: GeneralCategory) -> bool {
    use GeneralCategory::*;
    matches!(
        category,
        UppercaseLetter | LowercaseLetter | TitlecaseLetter | ModifierLetter | OtherLetter
    )
}

fn is_mark(category: GeneralCategory) -> bool {
    use GeneralCategory::*;
    matches!(category, NonspacingMark | SpacingMark | EnclosingMark)
}

fn is_punctuation(category: GeneralCategory) -> bool {
    use GeneralCategory::*;
    matches!(
        category,
        ConnectorPunctuation
            | DashPunctuation
            | OpenPunctuation
            | ClosePunctuation
            | InitialPunctuation
            | FinalPunctuation
            | OtherPunctuation
    )
}

fn is_separator_category(category: GeneralCategory) -> bool {
    use GeneralCategory::*;
    matches!(category, SpaceSeparator | LineSeparator | ParagraphSeparator)
}
