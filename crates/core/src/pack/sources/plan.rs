//! Cuts sources into chunks, ranks them and removes duplicates.

use std::collections::{BTreeSet, HashMap};

use super::admit::{Admitted, Text};
use super::group::Group;
use super::write::ChosenLines;
use super::{Cancel, Excluded, SourceChunk, SourceKind, SourceOptions, SourceStats};
use crate::Remark;
use crate::pack::ranking::weighted::Part;
use crate::pack::ranking::{
    RankWeights, WeightedChunk, WeightedRanking, WeightedScore, rank_weighted,
};
use crate::pack::render::{Block, Document, Tier};
use crate::pack::{PackError, Reason, changes};
use crate::syntax::SyntaxError;
use crate::text::{ChunkSource, Deduped, Piece, Removal, chunk, chunk_outline, dedup};
use crate::tokens::Tokens;

/// A chunk that may be shown.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) kind: SourceKind,
    pub(super) group: usize,
    pub(super) lines: (u32, u32),
    /// What its text costs, without a frame.
    pub(super) tokens: Tokens,
    pub(super) signals: WeightedScore,
    /// Which part of how many it is, where something was too large for one chunk.
    pub(super) part: Option<(u32, u32)>,
    /// The lines in it that a search found, where it is more than those.
    pub(super) hit: Option<(u32, u32)>,
    /// Whether it comes before all others.
    pub(super) is_pinned: bool,
}

/// The rendition of a hit whose definition does not fit.
pub(super) const NEAR_HIT: &str = "near the hit";
/// Lines around a hit that are shown then.
const NEIGHBOURS: u32 = 3;

impl Candidate {
    /// The lines that a rendition shows.
    pub(super) fn shown_as(&self, rendition: usize) -> (u32, u32) {
        if rendition == 0 {
            return self.lines;
        }
        let (first, last) = self.hit.unwrap_or(self.lines);
        let first = first.saturating_sub(NEIGHBOURS).max(self.lines.0);
        (first, last.saturating_add(NEIGHBOURS).min(self.lines.1))
    }

    /// About what some of its lines cost.
    pub(super) fn tokens_of(&self, (first, last): (u32, u32)) -> Tokens {
        let all = u64::from(self.lines.1 + 1 - self.lines.0);
        let near = u64::from((last + 1).saturating_sub(first) + 2 * NEIGHBOURS).min(all);
        Tokens::new(self.tokens.get() * near / all.max(1))
    }
}

/// What is to be shown.
#[derive(Debug)]
pub(super) struct Plan {
    /// What stands before all chunks.
    pub(super) head: Document,
    pub(super) groups: Vec<Group>,
    /// The chunks without duplicates, by rank.
    pub(super) candidates: Vec<Candidate>,
    /// The lines shown, by the number of their candidate.
    pub(super) chosen: ChosenLines,
    /// Why the others are not shown, by the number of their candidate.
    pub(super) reasons: HashMap<usize, Reason>,
    pub(super) excluded: Vec<Excluded>,
    pub(super) notes: Vec<Remark>,
    pub(super) stats: SourceStats,
    /// The weights that chunks were ranked with.
    weights: RankWeights,
}

/// A chunk before it is ranked.
struct Cut {
    kind: SourceKind,
    group: usize,
    tokens: Tokens,
    ranked: WeightedChunk,
    part: Option<(u32, u32)>,
    hit: Option<(u32, u32)>,
    is_pinned: bool,
}

/// Plans a pack of what was admitted.
pub(super) fn plan(
    admitted: Admitted,
    options: &SourceOptions,
    cancel: &Cancel,
) -> Result<Plan, PackError> {
    let mut plan = Plan {
        head: Document { name: options.name.clone(), ..Document::default() },
        stats: SourceStats {
            sources: admitted.texts.len() + admitted.excluded.len(),
            admitted: admitted.texts.len(),
            ..SourceStats::default()
        },
        groups: admitted.groups.list,
        candidates: Vec::new(),
        chosen: ChosenLines::new(),
        reasons: HashMap::new(),
        excluded: admitted.excluded,
        notes: admitted.notes,
        weights: RankWeights::default(),
    };
    if let (Some(root), Some(repository)) = (&options.root, &options.repository) {
        plan.head.before.extend(changes::diff(root, repository, &mut plan.notes)?);
    }
    let cuts = plan.cut(&admitted.texts, options, cancel)?;
    cancel.check()?;
    let ranking = plan.rank(&cuts, options)?;
    cancel.check()?;
    plan.remove_duplicates(cuts, ranking, options);
    Ok(plan)
}

impl Plan {
    /// Cuts each text into chunks, numbered as in their file.
    fn cut(
        &mut self,
        texts: &[Text],
        options: &SourceOptions,
        cancel: &Cancel,
    ) -> Result<Vec<Cut>, PackError> {
        let mut cuts = Vec::new();
        for text in texts {
            cancel.check()?;
            let group = &self.groups[text.group];
            let outline = chunk_outline(group.language, &text.text);
            let source = ChunkSource {
                path: &group.path,
                language: group.language,
                outline: outline.as_ref().map(Result::as_ref),
            };
            let count = |text: &str| options.counter.count(text);
            let chunked = chunk(&text.text, &source, &options.chunk, count)?;
            // A text without a grammar is not expected to have structure.
            let is_unknown = matches!(outline, Some(Err(SyntaxError::UnknownLanguage { .. })));
            if group.language.is_some() && !is_unknown {
                self.notes.extend(chunked.notes);
            }
            let shift = text.first - 1;
            cuts.extend(chunked.chunks.into_iter().map(|chunk| Cut {
                kind: text.kind,
                group: text.group,
                tokens: match chunk.marker {
                    Some(_) => options.counter.count(&chunk.text),
                    None => chunk.tokens,
                },
                part: chunk.part,
                is_pinned: text.is_pinned,
                hit: text.hit.filter(|hit| {
                    let lines = (chunk.first + shift, chunk.last + shift);
                    lines.0 <= hit.0 && hit.1 <= lines.1 && lines != *hit
                }),
                ranked: WeightedChunk {
                    path: group.path.clone(),
                    first: chunk.first + shift,
                    last: chunk.last + shift,
                    lines: Some(group.last()),
                    search_score: text.relevance,
                    changed_ns: text.changed_ns,
                    priority: Some(text.kind.priority(&options.priority)),
                    part: place_of(chunk.kind),
                    text: chunk.text,
                },
            }));
        }
        self.stats.chunks = cuts.len();
        Ok(cuts)
    }

    /// Ranks chunks, and leaves out those below the threshold.
    fn rank(
        &mut self,
        cuts: &[Cut],
        options: &SourceOptions,
    ) -> Result<WeightedRanking, PackError> {
        let chunks: Vec<WeightedChunk> = cuts.iter().map(|cut| cut.ranked.clone()).collect();
        let mut ranking = rank_weighted(&chunks, &options.query, &options.rank)?;
        self.notes.append(&mut ranking.notes);
        self.weights = ranking.weights;
        let ranked: BTreeSet<usize> = ranking.scores.iter().map(|score| score.chunk).collect();
        let low = (0..cuts.len()).filter(|number| !ranked.contains(number));
        for cut in low.map(|number| &cuts[number]) {
            self.exclude(cut, Reason::BelowThreshold, None);
        }
        Ok(ranking)
    }

    /// Leaves the best of equal chunks, and joins those that overlap.
    fn remove_duplicates(
        &mut self,
        cuts: Vec<Cut>,
        ranking: WeightedRanking,
        options: &SourceOptions,
    ) {
        let ranked: Vec<&Cut> = ranking.scores.iter().map(|score| &cuts[score.chunk]).collect();
        let pieces: Vec<Piece> = ranked
            .iter()
            .zip(&ranking.scores)
            .map(|(cut, score)| piece(cut, score, &self.groups))
            .collect();
        let groups: HashMap<String, usize> = pieces
            .iter()
            .zip(&ranked)
            .map(|(piece, cut)| (piece.path.clone(), cut.group))
            .collect();
        let read = |key: &str, lines: (u32, u32)| self.groups[*groups.get(key)?].text(lines);
        let count = |text: &str| options.counter.count(text);
        let deduped = match &options.dedup {
            Some(dedup_options) => dedup(pieces, dedup_options, read, count),
            None => Deduped { kept: pieces, ..Deduped::default() },
        };
        self.stats.saved_tokens = deduped.saved;
        let mut gone = BTreeSet::new();
        for removed in &deduped.removed {
            gone.insert(removed.piece);
            let (cut, by) = (ranked[removed.piece], place(ranked[removed.by]));
            let reason = match removed.why {
                Removal::Merged => {
                    self.stats.merged += 1;
                    continue;
                }
                Removal::Duplicate => {
                    self.stats.duplicates += 1;
                    Reason::Duplicate { of: by }
                }
                Removal::Overlap => {
                    self.stats.overlaps += 1;
                    Reason::Overlap { with: by }
                }
            };
            self.exclude(cut, reason, Some(ranking.scores[removed.piece].score));
        }
        let left = (0..ranked.len()).filter(|number| !gone.contains(number));
        let kept = left.zip(deduped.kept).map(|(number, piece)| {
            let (cut, lines) = (ranked[number], (piece.first, piece.last));
            let is_whole = lines == (cut.ranked.first, cut.ranked.last);
            Candidate {
                kind: cut.kind,
                group: cut.group,
                lines,
                tokens: piece.tokens,
                signals: ranking.scores[number],
                part: cut.part.filter(|_| is_whole),
                hit: cut.hit.filter(|_| is_whole),
                is_pinned: cut.is_pinned,
            }
        });
        self.candidates = kept.collect();
    }

    /// A file with some of its lines.
    pub(super) fn block(&self, number: usize, ranges: Vec<(u32, u32)>, body: String) -> Block {
        let group = &self.groups[number];
        let parts = ranges.iter().map(|range| self.part_of(number, *range)).collect();
        // Sources are parts of files whose length is not known.
        let block = Block::new(&group.path, group.language, Tier::Chunks, body);
        Block { ranges, parts, origin: group.origin, ..block }
    }

    /// Which part of something the lines are, where they are exactly one.
    fn part_of(&self, group: usize, lines: (u32, u32)) -> Option<(u32, u32)> {
        let mut of_group = self.candidates.iter().filter(|it| it.group == group);
        of_group.find(|it| it.lines == lines)?.part
    }

    fn exclude(&mut self, cut: &Cut, reason: Reason, score: Option<f64>) {
        self.excluded.push(Excluded {
            kind: cut.kind,
            path: cut.ranked.path.clone(),
            lines: Some((cut.ranked.first, cut.ranked.last)),
            reason,
            score,
            tokens: Some(cut.tokens),
        });
    }

    /// What became of everything: the chunks shown, best first, and the others.
    pub(super) fn account(&mut self) -> (Vec<SourceChunk>, Vec<Excluded>) {
        let mut chunks = Vec::new();
        let mut excluded = std::mem::take(&mut self.excluded);
        for (number, candidate) in self.candidates.iter().enumerate() {
            let path = self.groups[candidate.group].path.clone();
            let Some(lines) = self.chosen.get(&number) else {
                let reason = self.reasons.remove(&number);
                excluded.push(Excluded {
                    kind: candidate.kind,
                    path,
                    lines: Some(candidate.lines),
                    reason: reason.unwrap_or(Reason::OverBudget),
                    score: Some(candidate.signals.score),
                    tokens: Some(candidate.tokens),
                });
                continue;
            };
            chunks.push(SourceChunk {
                kind: candidate.kind,
                path,
                lines: *lines,
                is_cut: *lines != candidate.lines,
                tokens: candidate.tokens,
                score: candidate.signals.score,
                signals: candidate.signals,
                parts: candidate.signals.contributions(&self.weights),
            });
        }
        excluded.sort_by(|left, right| {
            let lines = left.lines.cmp(&right.lines);
            left.path.cmp(&right.path).then(lines)
        });
        self.stats.shown = chunks.len();
        (chunks, excluded)
    }
}

fn piece(cut: &Cut, score: &WeightedScore, groups: &[Group]) -> Piece {
    let group = &groups[cut.group];
    Piece {
        source: cut.kind.share().to_owned(),
        path: format!("{}\0{}", group.path, cut.group),
        language: group.language.map(str::to_owned),
        first: cut.ranked.first,
        last: cut.ranked.last,
        score: score.score,
        tokens: cut.tokens,
        text: cut.ranked.text.clone(),
    }
}

/// Names a chunk: `src/a.rs:3-9`.
fn place(cut: &Cut) -> String {
    let WeightedChunk { path, first, last, .. } = &cut.ranked;
    format!("{path}:{first}-{last}")
}

/// Which part of a file a chunk of this kind is.
fn place_of(kind: &str) -> Part {
    match kind {
        "preamble" => Part::Imports,
        "class" | "interface" | "struct" | "trait" | "enum" | "type" => Part::TypeHeader,
        _ => Part::Other,
    }
}
