//! Text in encodings other than UTF-8, and text in none.

use super::*;

fn utf16(text: &str, mark: &[u8], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(bytes);
    mark.iter().copied().chain(units).collect()
}

#[test]
fn f076_wide_text_is_read_with_and_without_a_mark() {
    let world = empty();
    let text = "class Größe {}\r\n// a comment of some length\r\n";
    let (little, big) = (u16::to_le_bytes, u16::to_be_bytes);
    world.work().write("a.cs", utf16(text, b"\xff\xfe", little));
    world.work().write("b.cs", utf16(&format!("{text}// b\n"), b"\xfe\xff", big));
    world.work().write("c.cs", utf16(&format!("{text}// c\n"), b"", little));
    world.work().write("d.cs", utf16(&format!("{text}// d\n"), b"", big));
    world.work().write("e.cs", [b"\xef\xbb\xbf", text.as_bytes(), b"// e\n"].concat());
    // Half a character, and half a pair.
    world.work().write("f.cs", [utf16(text, b"\xff\xfe", little), vec![0x3d, 0xd8, b'x']].concat());
    let document = check(&world, &[]);
    assert_eq!(paths(&document, "files").len(), 6);
    assert_eq!(content(&document).matches("class Größe {}").count(), 6);
    assert!(!content(&document).contains('\u{feff}'));
}

#[test]
fn f076_older_encodings_are_read() {
    let world = empty();
    for (name, bytes) in [
        ("latin1.txt", b"Les \xe9l\xe8ves fran\xe7ais re\xe7oivent des g\xe2teaux \xe0 No\xebl.\n".as_slice()),
        ("sjis.txt", b"\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96{\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\x81B\n"),
        ("gbk.txt", b"\xd5\xe2\xca\xc7\xd2\xbb\xb8\xf6\xbc\xf2\xcc\xe5\xd6\xd0\xce\xc4\xb5\xc4\xbe\xe4\xd7\xd3\n"),
    ] {
        world.work().write(name, bytes);
    }
    let document = check(&world, &[]);
    for text in ["élèves français", "これは日本語の文章です。", "这是一个简体中文的句子"]
    {
        assert!(content(&document).contains(text), "{text}: {}", content(&document));
    }
}

#[test]
fn f076_broken_utf8_gets_replacement_characters() {
    let world = empty();
    let broken =
        ["größer und süßer ".as_bytes(), b"\xff\xc3 \xe2\x82 ", "schön\n".as_bytes()].concat();
    world.work().write("a.txt", broken);
    // Overlong slashes, half a surrogate, and a code beyond the last.
    world.work().write(
        "b.txt",
        b"ok \xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6 \xc0\xaf \xed\xa0\x80 \xf5\x80\x80\x80\n",
    );
    let document = check(&world, &[]);
    assert_eq!(paths(&document, "files"), ["a.txt", "b.txt"]);
    assert!(content(&document).contains("größer und süßer \u{fffd}"));
}
