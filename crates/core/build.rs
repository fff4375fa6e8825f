//! Lays out the vocabularies of `data/` as tables that are ready to search.
//!
//! A vocabulary of 200,000 tokens takes tens of milliseconds to index, more
//! than most counts take. Done here, once, the tables become read-only data of
//! the binary: nothing is built at start-up, and only the pages that a text
//! really touches are ever loaded.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::{env, error, fs};

#[path = "src/tokens/hash.rs"]
mod hash;

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokens/hash.rs");
    println!("cargo::rerun-if-changed=data");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut vocabularies = Vec::new();
    for name in ["o200k", "cl100k"] {
        let tokens = tokens_of(&fs::read(format!("data/{name}.merges"))?);
        vocabularies.push((name, tokens));
    }
    let pool = Pool::of(vocabularies.iter().flat_map(|(_, tokens)| tokens));
    fs::write(out.join("pool.bytes"), &pool.bytes)?;
    for (name, tokens) in &vocabularies {
        bpe_tables(name, tokens, &pool, &out)?;
    }
    for name in ["claude-3", "claude-4.7"] {
        piece_trie(name, &out)?;
    }
    Ok(())
}

/// The bytes of all tokens. The vocabularies have most tokens in common, and
/// half of the tokens begin or end a longer one, so they share its bytes:
/// written one after the other they would need more than twice as many.
struct Pool<'a> {
    bytes: Vec<u8>,
    starts: HashMap<&'a [u8], usize>,
}

impl<'a> Pool<'a> {
    fn of(tokens: impl Iterator<Item = &'a Vec<u8>>) -> Pool<'a> {
        let distinct: HashSet<&[u8]> = tokens.map(Vec::as_slice).collect();
        let mut longest_first: Vec<&[u8]> = distinct.iter().copied().collect();
        longest_first.sort_unstable_by_key(|token| (Reverse(token.len()), *token));
        let mut pool = Pool { bytes: Vec::new(), starts: HashMap::new() };
        for token in longest_first {
            if pool.starts.contains_key(token) {
                continue;
            }
            let start = pool.bytes.len();
            pool.bytes.extend_from_slice(token);
            pool.starts.insert(token, start);
            for cut in 1..token.len() {
                let (head, tail) = token.split_at(cut);
                for (part, at) in [(head, start), (tail, start + cut)] {
                    if distinct.contains(part) {
                        pool.starts.entry(part).or_insert(at);
                    }
                }
            }
        }
        pool
    }
}

/// Writes NAME.spans (per token where it begins in the pool, and its length in
/// the top byte), NAME.slots (a hash table of ranks), NAME.lengths (which
/// lengths tokens with a given beginning have) and NAME.shorter (the length of
/// the longest other token that each token begins with).
fn bpe_tables(name: &str, tokens: &[Vec<u8>], pool: &Pool<'_>, out: &Path) -> Result<()> {
    let table = |kind: &str| out.join(format!("{name}.{kind}"));
    let mut spans = Vec::new();
    let mut lengths = vec![0_u128; 1 << 14];
    for token in tokens {
        spans.push(u32::try_from(pool.starts[&token[..]] | token.len() << 24)?);
        if token.len() > 2 {
            lengths[hash::beginning(token)] |= 1 << (token.len() - 1);
        }
    }
    let lengths: Vec<u8> = lengths.iter().flat_map(|entry| entry.to_le_bytes()).collect();
    write_words(&table("spans"), &spans)?;
    write_words(&table("slots"), &slots(tokens)?)?;
    fs::write(table("lengths"), lengths)?;
    Ok(fs::write(table("shorter"), shorter(tokens))?)
}

/// For every token the length of its longest proper prefix that is a token, or zero.
fn shorter(tokens: &[Vec<u8>]) -> Vec<u8> {
    let known: HashSet<&[u8]> = tokens.iter().map(Vec::as_slice).collect();
    let prefix = |token: &Vec<u8>| {
        let mut ends = (1..token.len()).rev();
        ends.find(|&end| known.contains(&token[..end])).unwrap_or(0) as u8
    };
    tokens.iter().map(prefix).collect()
}

/// Spells out every token from the pair it is merged from.
fn tokens_of(merges: &[u8]) -> Vec<Vec<u8>> {
    let (single, pairs) = merges.split_at(256);
    let mut tokens: Vec<Vec<u8>> = single.iter().map(|&byte| vec![byte]).collect();
    let rank = |bytes: &[u8]| {
        usize::from(bytes[0]) | usize::from(bytes[1]) << 8 | usize::from(bytes[2]) << 16
    };
    for pair in pairs.chunks_exact(6) {
        let token = [&tokens[rank(&pair[..3])][..], &tokens[rank(&pair[3..])][..]].concat();
        tokens.push(token);
    }
    tokens
}

/// Lays ranks out by hash with linear probing, three slots of five in use. A
/// slot holds the rank plus one in its low 18 bits and 14 bits of the hash
/// above; zero is empty. A search goes on to the right and meets an empty slot
/// at the very end, so it never has to turn around.
fn slots(tokens: &[Vec<u8>]) -> Result<Vec<u32>> {
    let mut slots = vec![0_u32; tokens.len() * 5 / 3 + 1];
    for (rank, token) in tokens.iter().enumerate() {
        let hash = hash::hash(token);
        let mut at = hash::slot(hash, tokens.len());
        while slots[at] != 0 {
            at += 1;
            if at + 1 == slots.len() {
                slots.push(0);
            }
        }
        slots[at] = u32::try_from(rank + 1)? | (hash as u32) << 18;
    }
    Ok(slots)
}

fn write_words(path: &Path, words: &[u32]) -> Result<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(fs::write(path, bytes)?)
}

/// Writes NAME.trie: per node, in breadth-first order, a word with the number
/// of its first child and, as the top bit, whether a piece ends here; then
/// NAME.labels: the byte that leads to each node. The root's children are all
/// 256 bytes, so that the first step needs no search.
fn piece_trie(name: &str, out: &Path) -> Result<()> {
    let pieces = pieces_of(&fs::read(format!("data/{name}.pieces"))?);
    let mut level: Vec<&[Vec<u8>]> = vec![&pieces];
    let (mut nodes, mut labels) = (Vec::new(), vec![0_u8]);
    for depth in 0.. {
        let mut next = Vec::new();
        for &group in &level {
            let ends = group.first().is_some_and(|piece| piece.len() == depth);
            nodes.push(u32::try_from(labels.len())? | u32::from(ends) << 31);
            let longer = &group[usize::from(ends)..];
            if depth == 0 {
                for byte in 0..=255 {
                    let from = longer.partition_point(|piece| piece[0] < byte);
                    let to = longer.partition_point(|piece| piece[0] <= byte);
                    next.push(&longer[from..to]);
                    labels.push(byte);
                }
                continue;
            }
            for children in longer.chunk_by(|left, right| left[depth] == right[depth]) {
                labels.push(children[0][depth]);
                next.push(children);
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    nodes.push(u32::try_from(labels.len())?);
    write_words(&out.join(format!("{name}.trie")), &nodes)?;
    Ok(fs::write(out.join(format!("{name}.labels")), labels)?)
}

/// Undoes the front coding: shared length, length of the rest, the rest.
fn pieces_of(mut coded: &[u8]) -> Vec<Vec<u8>> {
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    let mut before = Vec::new();
    while let [shared, length, rest @ ..] = coded {
        let (own, rest) = rest.split_at(usize::from(*length));
        before.truncate(usize::from(*shared));
        before.extend_from_slice(own);
        pieces.push(before.clone());
        coded = rest;
    }
    pieces
}
