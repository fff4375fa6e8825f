//! Keeps turns by their score: the first, the last, then the highest that fit.
//!
//! What does not stay is summarised in one line each. Turns below 70 stay as
//! well if there is room left: a budget that is not used helps nobody
//! (continuation recall .796 against .672 with the gate).

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::piece::{Piece, assemble, begin_with_user, pieces, system_tokens, turn_count};
use super::shrink::Shrinker;
use super::{Outcome, TrimOptions};
use crate::Remark;
use crate::budget::Allocation;
use crate::fit::{Chosen, Compose, Item, Policy, fit, fit_prefix};
use crate::session::cost::{BLOCK_TOKENS, turns_tokens};
use crate::session::draft::Draft;
use crate::session::error::SessionError;
use crate::session::marker::Marker;
use crate::session::score::{ScoreTurnOptions, scores_only};
use crate::session::summary::{SUMMARY_HEADING, Summarize, SummaryLine, SummaryTurn, summarize};
use crate::session::tool::{ToolKind, headline};
use crate::session::transcript::{Content, Transcript};
use crate::tokens::Tokens;

/// Turns at the end that stay, unless the caller says how many.
const KEEP_LAST: usize = 5;

/// The least room in which a turn of the end is worth cutting into.
const LEAST_ROOM: u64 = 300;

/// The most tokens that are reserved for the summary.
const SUMMARY: u64 = 600;

/// How much more a turn counts that stays for another reason than its score.
const PRESERVED: f64 = 1_000.0;
const LAST: f64 = 2_000.0;

/// Chooses turns within the budget.
pub(super) fn draft(
    transcript: &Transcript,
    options: &TrimOptions,
    external: Option<&dyn Summarize>,
) -> Result<Outcome, SessionError> {
    let (pieces, remarks) = pieces(transcript, &options.counter);
    let mut plan = Plan::new(transcript, options, pieces, remarks);
    let policy = Policy {
        // Every turn is shown in short before one is shown whole.
        floor_score: Some(f64::NEG_INFINITY),
        least_room: Tokens::new(BLOCK_TOKENS + 1),
        ..Policy::default()
    };
    let allocation = Allocation::of(options.budget);
    let fitted = fit(plan.items(), &allocation, &policy, &mut plan)?;
    let kept: Vec<usize> = fitted.written.kept;
    plan.remark_missing(&kept);
    let (summary, failure) = plan.summary(&kept, external);
    if let Some(reason) = failure {
        let message = format!("{reason}; summarised by rule instead");
        plan.remarks.push(Remark::new("summarizer", message));
    }
    let spare = options.budget.saturating_sub(fitted.tokens);
    let note = plan.note(&summary, &kept, fitted.written.note.saturating_add(spare));
    Ok(Outcome {
        draft: plan.assemble(&fitted.written.forms, note.text),
        remarks: plan.remarks,
        summary: note.summary,
    })
}

/// How a piece is shown.
#[derive(Clone, Copy)]
enum Form {
    Whole,
    /// With its long results cut.
    Short,
    /// With its largest blocks cut until it costs no more.
    AtMost(Tokens),
}

/// A choice of pieces.
struct Written {
    draft: Draft,
    /// The pieces that stay, and what is shown of them.
    kept: Vec<usize>,
    forms: Vec<(usize, usize)>,
    /// What the words in the place of the others cost.
    note: Tokens,
}

/// What stands in the place of pieces that do not stay.
struct Note {
    text: Option<String>,
    summary: Option<String>,
}

/// Everything that decides what stays.
struct Plan<'a> {
    transcript: &'a Transcript,
    options: &'a TrimOptions,
    shrinker: Shrinker<'a>,
    pieces: Vec<Piece>,
    /// The first piece as it stays.
    first: Option<Piece>,
    scores: Vec<f64>,
    /// From which piece on all are to stay.
    last: usize,
    /// Per piece: the ways to show it, most detail first.
    forms: Vec<Vec<(Form, Tokens)>>,
    /// Pieces as they were shown before, by number and form.
    shown: HashMap<(usize, usize), Piece>,
    system: Tokens,
    remarks: Vec<Remark>,
}

impl<'a> Plan<'a> {
    fn new(
        transcript: &'a Transcript,
        options: &'a TrimOptions,
        pieces: Vec<Piece>,
        remarks: Vec<Remark>,
    ) -> Plan<'a> {
        let shrinker = Shrinker::new(transcript, options);
        let system = system_tokens(transcript, &options.counter);
        let room = options.budget.saturating_sub(system);
        let first = pieces.first().map(|first| {
            let quarter = Tokens::new(options.budget.get() / 4).min(room);
            let shrunk = shrinker.shrink(first, quarter);
            shrunk.unwrap_or_else(|| shrinker.smallest(first))
        });
        let keep_last = options.keep_last.unwrap_or(KEEP_LAST);
        let mut plan = Plan {
            scores: scores(transcript, options, &pieces),
            last: pieces.len().saturating_sub(keep_last).max(1),
            forms: Vec::new(),
            shown: HashMap::new(),
            transcript,
            options,
            shrinker,
            pieces,
            first,
            system,
            remarks,
        };
        plan.make_forms();
        plan
    }

    /// Lists the ways to show each piece.
    ///
    /// The last ones stay verbatim if they fit together, else their results are cut,
    /// and only if that is not enough they are cut further.
    fn make_forms(&mut self) {
        let numbers = 0..self.pieces.len();
        let short: Vec<Piece> =
            numbers.clone().map(|it| self.shrinker.short_results(&self.pieces[it])).collect();
        let total = |pieces: &[Piece]| {
            let last = pieces.iter().skip(self.last);
            Tokens::saturating_sum(last.map(|piece| piece.tokens))
        };
        let first = self.first.as_ref().map_or(Tokens::ZERO, |it| it.tokens);
        let held = [self.system, first, self.most_for_note()];
        let left = (self.options.budget).saturating_sub(Tokens::saturating_sum(held));
        let (is_whole, is_short) = (total(&self.pieces) <= left, total(&short) <= left);
        let forms = |number: usize| {
            let (whole, short) = (self.pieces[number].tokens, short[number].tokens);
            let is_last = number >= self.last;
            let mut forms = vec![(Form::Whole, whole)];
            if is_last && is_whole {
                return forms;
            }
            let cuts = |most: Tokens, least: u64| {
                let smaller = move |it: &u64| Some(it * 4 / 5).filter(|it| *it > least);
                let cuts = std::iter::successors(smaller(&most.get()), smaller);
                cuts.map(Tokens::new).map(|it| (Form::AtMost(it), it))
            };
            if short < whole {
                forms.extend(cuts(whole, short.get()));
                forms.push((Form::Short, short));
            }
            if is_last && !is_short {
                forms.extend(cuts(short, LEAST_ROOM));
            }
            forms
        };
        self.forms = numbers.map(forms).collect();
        for (number, piece) in short.into_iter().enumerate() {
            let is_short = |(form, _): &(Form, Tokens)| matches!(form, Form::Short);
            if let Some(form) = self.forms[number].iter().position(is_short) {
                self.shown.insert((number, form), piece);
            }
        }
    }

    /// The items of `fit`: all pieces but the first, which always stays.
    fn items(&self) -> Vec<Item<Reverse<usize>>> {
        let patterns = &self.options.preserve;
        let item = |number: usize| {
            let mut matching = self.pieces[number].matching(self.transcript, patterns);
            let reason = if number >= self.last {
                LAST + number as f64
            } else if matching.next().is_some() {
                PRESERVED
            } else {
                0.0
            };
            let item = Item::new(Reverse(number), self.scores[number] + reason);
            let forms = self.forms[number].iter();
            forms.fold(item, |item, (_, tokens)| item.rendition("turn", *tokens))
        };
        (1..self.pieces.len()).map(item).collect()
    }

    /// Makes a piece as it is to be shown, once.
    fn make(&mut self, (number, form): (usize, usize)) {
        if self.shown.contains_key(&(number, form)) {
            return;
        }
        let whole = &self.pieces[number];
        let shrunk = match self.forms[number][form].0 {
            Form::AtMost(most) => self.shrinker.shrink(whole, most),
            Form::Whole | Form::Short => Some(whole.clone()),
        };
        let piece = shrunk.unwrap_or_else(|| self.shrinker.smallest(whole));
        self.shown.insert((number, form), piece);
    }

    fn assemble(&self, forms: &[(usize, usize)], text: Option<String>) -> Draft {
        let pieces = forms.iter().filter_map(|form| self.shown.get(form));
        assemble(self.transcript, self.first.iter().chain(pieces), text)
    }

    /// Summarises the pieces that do not stay, and quotes the lines to preserve.
    ///
    /// The second value says why the summarizer failed, if it did.
    fn summary(
        &self,
        kept: &[usize],
        external: Option<&dyn Summarize>,
    ) -> (Vec<SummaryLine>, Option<String>) {
        let gone: Vec<usize> =
            (1..self.pieces.len()).filter(|it| kept.binary_search(it).is_err()).collect();
        let turns: Vec<SummaryTurn> = gone.iter().map(|it| self.summary_turn(*it)).collect();
        if turns.is_empty() {
            return (Vec::new(), None);
        }
        let (summary, failure) = summarize(&turns, external);
        let patterns = &self.options.preserve;
        let preserved = gone.iter().flat_map(|number| {
            let lines = self.pieces[*number].matching(self.transcript, patterns);
            lines.map(|line| SummaryLine { text: line.to_owned(), score: u32::MAX })
        });
        (preserved.chain(summary).collect(), failure)
    }

    /// Writes the lines of a summary that matter most, as many as fit, in order, and how
    /// to recall the rest.
    fn note(&self, summary: &[SummaryLine], kept: &[usize], most: Tokens) -> Note {
        let mut best: Vec<usize> = (0..summary.len()).collect();
        best.sort_by_key(|it| (Reverse(summary[*it].score), Reverse(*it)));
        let (handle, turn) = (self.options.handle.as_deref(), None);
        let kept = kept.iter().map(|number| &self.pieces[*number]);
        let stays = turn_count(self.first.iter().chain(kept));
        let total = turn_count(&self.pieces);
        let is_told = handle.is_some() || !begin_with_user(self.transcript, &self.pieces);
        let lines = |taken: usize| {
            let mut taken = best[..taken].to_vec();
            taken.sort_unstable();
            let lines = taken.into_iter().map(|it| summary[it].text.as_str());
            // A heading alone says nothing.
            let heading = (lines.len() > 0).then_some(SUMMARY_HEADING);
            heading.into_iter().chain(lines).collect::<Vec<_>>().join("\n")
        };
        let write = |taken: usize| {
            let things = match taken {
                0 => "turns".to_owned(),
                taken => format!("turns, a line of {taken} others"),
            };
            let recall = is_told.then(|| Marker { handle, turn }.kept(stays, total, &things));
            let lines = Some(lines(taken)).filter(|it| !it.is_empty());
            lines.into_iter().chain(recall).collect::<Vec<_>>().join("\n")
        };
        let most = most.saturating_sub(Tokens::new(BLOCK_TOKENS));
        let fitted = fit_prefix(summary.len(), most, &self.options.counter, write);
        let taken = fitted.map_or(0, |it| it.taken);
        Note {
            text: Some(write(taken)).filter(|text| !text.is_empty()),
            summary: (taken > 0).then(|| lines(taken)),
        }
    }

    /// What is reserved for a summary and how to recall the rest.
    fn most_for_note(&self) -> Tokens {
        let all: Vec<usize> = (1..self.pieces.len()).collect();
        let recall = self.note(&[], &all, Tokens::ZERO).text.unwrap_or_default();
        let summary = SUMMARY.min(self.options.budget.get() / 16);
        let recall = self.options.counter.count(&recall);
        recall.saturating_add(Tokens::new(summary + BLOCK_TOKENS + 1))
    }

    fn remark_missing(&mut self, kept: &[usize]) {
        let missing = (self.last..self.pieces.len()).filter(|it| kept.binary_search(it).is_err());
        let missing: Vec<usize> = missing.collect();
        if let Some(first) = missing.first() {
            let turn = self.pieces[*first].first_turn() + 1;
            let (count, last) = (missing.len(), self.pieces.len() - self.last);
            self.remarks.push(Remark::new(
                format!("turn {turn}"),
                format!("{count} of the last {last} turns do not fit; they are summarised"),
            ));
        }
    }

    fn summary_turn(&self, number: usize) -> SummaryTurn {
        let piece = &self.pieces[number];
        let turn = piece.first_turn();
        let mut texts: Vec<&str> = Vec::new();
        let mut did = None;
        for content in piece.contents(self.transcript) {
            match content {
                Content::Text(text) => texts.push(text),
                Content::Call(call) if did.is_none() => {
                    let (_, path) = ToolKind::of(&call.name, &call.arguments);
                    did = Some(headline(&call.arguments, path.as_deref()));
                }
                _ => {}
            }
        }
        SummaryTurn {
            turn,
            role: self.transcript.turns[turn].role,
            text: if texts.is_empty() { did.unwrap_or_default() } else { texts.join("\n") },
            score: self.scores[number] as u32,
        }
    }
}

impl Compose for Plan<'_> {
    type Written = Written;
    type Error = SessionError;

    fn write(&mut self, chosen: Chosen<'_>) -> Result<Written, SessionError> {
        let forms: Vec<(usize, usize)> = chosen.iter().map(|(item, it)| (item + 1, it)).collect();
        forms.iter().for_each(|form| self.make(*form));
        let kept: Vec<usize> = forms.iter().map(|(number, _)| *number).collect();
        let pieces = forms.iter().filter_map(|form| self.shown.get(form));
        let tokens = pieces.chain(&self.first).map(|piece| piece.tokens);
        let held = Tokens::saturating_sum(tokens).saturating_add(self.system);
        let most = self.options.budget.saturating_sub(held);
        let (summary, _) = self.summary(&kept, None);
        let note = self.note(&summary, &kept, most.min(self.most_for_note()));
        let draft = self.assemble(&forms, note.text.clone());
        let count = |text: &String| {
            let tokens = self.options.counter.count(text);
            tokens.saturating_add(Tokens::new(BLOCK_TOKENS))
        };
        Ok(Written { draft, kept, forms, note: note.text.as_ref().map_or(Tokens::ZERO, count) })
    }

    fn tokens(&self, written: &Written) -> Tokens {
        let turns = written.draft.turns(self.transcript);
        turns_tokens(&self.options.counter, &turns)
    }
}

/// A unit scores what the turn scores that it begins with.
fn scores(transcript: &Transcript, options: &TrimOptions, pieces: &[Piece]) -> Vec<f64> {
    let score_options = ScoreTurnOptions {
        keep_last: options.keep_last.unwrap_or(KEEP_LAST),
        ..ScoreTurnOptions::default()
    };
    let scores = scores_only(transcript, &score_options);
    let by_turn: BTreeMap<usize, u32> = scores.into_iter().collect();
    let score = |piece: &Piece| by_turn.get(&piece.first_turn()).copied().unwrap_or(0);
    pieces.iter().map(|piece| f64::from(score(piece))).collect()
}
