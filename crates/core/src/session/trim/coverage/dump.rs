//! Temporary.
use super::material::{Kind, Material, without_number};
use super::stale::stale_lines;
use super::worth::{Facts, distances, is_definition, kind_bin, line_source, traces};
use crate::session::tool::ToolKind;
use std::collections::HashMap;
use std::fmt::Write;

pub(super) fn dump(m: &Material<'_>, facts: &Facts, path: &str) {
    let units = m.units.len() as i32;
    let stale = stale_lines(m);
    let mut out = String::new();
    let traces = traces(m, facts);
    let mut names: Vec<(&str, usize)> = vec![("", 0); m.atoms.len()];
    for ((kind, text), &n) in &m.names {
        names[n as usize] = (text.as_str(), kind_bin(*kind));
    }
    // extra per atom
    let n = m.atoms.len();
    let mut first = vec![-1i32; n];
    let mut live = vec![0u32; n];
    let mut in_first_unit = vec![0u8; n];
    let mut agent_recent = vec![0u32; n];
    let mut nvals = vec![0f32; n];
    for b in &m.blocks {
        let agent = matches!(b.kind, Kind::Assistant | Kind::Call(_));
        for l in b.lines.clone() {
            for &a in m.atoms_of(l) {
                let a = a as usize;
                if first[a] < 0 {
                    first[a] = b.unit as i32;
                }
                if !stale[l] {
                    live[a] += 1;
                }
                if b.unit == 0 {
                    in_first_unit[a] = 1;
                }
                if agent && b.unit as i32 >= units - 8 {
                    agent_recent[a] += 1;
                }
                nvals[a] += 1.0 / m.atoms_of(l).len() as f32;
            }
        }
    }
    let file_of = |canon: &str| -> Option<u32> {
        let mut parts = canon.rsplitn(3, '/');
        let (base, parent) = (parts.next().unwrap_or_default(), parts.next());
        let key = parent.map_or(base.to_owned(), |p| format!("{p}/{base}"));
        m.file_names.get(&key).copied()
    };
    writeln!(out, "{} {} {}", units, m.blocks.len(), m.lines.len()).unwrap();
    for (i, t) in traces.iter().enumerate() {
        let (name, kind) = names[i];
        let file = if kind == 0 { file_of(name) } else { None };
        let (fe, fr) = file.map_or((-2, -2), |f| {
            (facts.edited[f as usize], facts.read[f as usize])
        });
        let s = t.by_source;
        writeln!(out, "{kind}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            m.atoms[i].1, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], t.blocks, t.by_agent, t.last, t.in_error,
            t.from_end, t.capped_from_end, t.recent.count_ones(), t.lines, t.edited_file, t.smallest_block, t.at_edge as u8,
            t.overlap, t.overlap_around, t.file_mentioned, first[i], live[i], in_first_unit[i], agent_recent[i], fe, fr, nvals[i], t.recent, name.replace(['\t','\n','\r'], " ")).unwrap();
    }
    std::fs::write(format!("{path}.atoms"), &out).unwrap();
    // lines
    let mut out = String::new();
    let mut counts = vec![0u32; m.keys];
    let mut last = vec![(usize::MAX, 0usize); m.keys];
    let mut edited: HashMap<(u32, u32), i32> = HashMap::new();
    let mut nedits = vec![0u32; m.files];
    let mut any = vec![0u32; m.keys];
    for (number, b) in m.blocks.iter().enumerate() {
        if let (Kind::Call(ToolKind::Edit | ToolKind::Write), Some(f)) = (b.kind, b.file) {
            nedits[f as usize] += 1;
        }
        for l in b.lines.clone() {
            let Some(k) = m.lines[l].key else { continue };
            any[k as usize] += 1;
            if line_source(b.kind).is_none() {
                continue;
            }
            counts[k as usize] += 1;
            last[k as usize] = (number, l);
            if let (Kind::Call(ToolKind::Edit), Some(f)) = (b.kind, b.file) {
                edited.insert((f, k), b.unit as i32);
            }
        }
    }
    // latest edit position per file: keys of latest edit call
    let mut latest_edit: HashMap<u32, std::collections::HashSet<u32>> = HashMap::new();
    let mut last_edit_file = None;
    let mut touch = vec![-1i32; m.files];
    for b in &m.blocks {
        if let Some(f) = b.file {
            if matches!(b.kind, Kind::Call(_)) {
                touch[f as usize] = b.unit as i32;
            }
            if b.kind == Kind::Call(ToolKind::Edit) || b.kind == Kind::Call(ToolKind::Write) {
                latest_edit.insert(
                    f,
                    m.lines[b.lines.clone()]
                        .iter()
                        .filter_map(|l| l.key)
                        .collect(),
                );
                last_edit_file = Some(f);
            }
        }
    }
    let distances = distances(m);
    // signed distance to latest edit
    let mut signed: HashMap<usize, i32> = HashMap::new();
    for b in &m.blocks {
        let Some(f) = b.file else { continue };
        if !matches!(
            b.kind,
            Kind::Result(ToolKind::Read) | Kind::Call(ToolKind::Write)
        ) {
            continue;
        }
        let Some(ks) = latest_edit.get(&f) else {
            continue;
        };
        let pos: Vec<usize> = b
            .lines
            .clone()
            .filter(|&l| m.lines[l].key.is_some_and(|k| ks.contains(&k)))
            .collect();
        if pos.is_empty() || pos.len() == b.lines.len() {
            continue;
        }
        let (lo, hi) = (pos[0] as i32, pos[pos.len() - 1] as i32);
        for l in b.lines.clone() {
            let l2 = l as i32;
            let d = if l2 < lo {
                l2 - lo
            } else if l2 > hi {
                l2 - hi
            } else {
                0
            };
            signed.insert(l, d);
        }
    }
    let mut keytext: Vec<&str> = vec![""; m.keys];
    for (t, &k) in &m.key_names {
        keytext[k as usize] = t;
    }
    let unedited_after = |f: u32| -> usize {
        // other files read later than this file's read and not edited since
        let r = facts.read[f as usize];
        (0..m.files)
            .filter(|&g| g as u32 != f && facts.read[g] > r && facts.edited[g] < facts.read[g])
            .count()
    };
    let touched_after = |f: u32| {
        (0..m.files)
            .filter(|&g| touch[g] > touch[f as usize])
            .count()
    };
    let mut ua: HashMap<u32, (usize, usize)> = HashMap::new();
    for (k, &(number, l)) in last.iter().enumerate() {
        if number == usize::MAX {
            continue;
        }
        let b = &m.blocks[number];
        let src = line_source(b.kind).unwrap_or(9);
        let d = distances.get(&l).map_or(-1, |&d| d as i64);
        let sd = signed.get(&l).copied().unwrap_or(9999);
        let (fe, fr, ne, (u, ta), lef, tch) = match b.file {
            Some(f) => (
                facts.edited[f as usize],
                facts.read[f as usize],
                nedits[f as usize],
                *ua.entry(f)
                    .or_insert_with(|| (unedited_after(f), touched_after(f))),
                (last_edit_file == Some(f)) as u8,
                touch[f as usize],
            ),
            None => (-2, -2, 0, (0, 0), 2, -2),
        };
        let text = m.lines[l].text;
        let ie = b
            .file
            .and_then(|f| edited.get(&(f, k as u32)).copied())
            .unwrap_or(-1);
        let indent = text.len() - text.trim_start().len();
        let ment = if b.file.is_some() {
            facts.relevance.mentioned(b)
        } else {
            -2
        };
        let ext = b
            .base
            .as_deref()
            .and_then(|s| s.rsplit_once('.'))
            .map_or("", |x| x.1);
        let ext = match ext {
            "md" | "txt" | "rst" => 1,
            "json" | "yaml" | "yml" | "toml" | "lock" => 2,
            "css" | "scss" | "html" => 3,
            "" => 0,
            _ => 4,
        };
        writeln!(out, "{k}\t{src}\t{}\t{fe}\t{fr}\t{d}\t{sd}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{ment}\t{ie}\t{}\t{u}\t{ta}\t{lef}\t{tch}\t{ne}\t{}\t{indent}\t{}\t{ext}\t{}\t{}\t{}",
            b.unit, counts[k], is_definition(text) as u8, without_number(text).chars().count(), facts.from_end[number], facts.capped_from_end[number], b.lines.len(), facts.relevance.own[l], facts.relevance.around[l], stale[l] as u8, l - b.lines.start, m.atoms_of(l).len(), m.lines[l].tokens, any[k], keytext[k].replace(['\t','\n','\r'], " ")).unwrap();
    }
    std::fs::write(format!("{path}.lines"), &out).unwrap();
}
