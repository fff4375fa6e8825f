//! Decides which sources may be packed, and reads their text.
//!
//! A source that fails costs a note and its place among the excluded; the
//! others go on. Files are read only below the root, links followed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use super::group::Groups;
use super::references::references;
use super::times::Times;
use super::{Cancel, Excluded, PackSource, SourceKind, SourceOptions};
use crate::Remark;
use crate::cache::FileStamp;
use crate::pack::render::Origin;
use crate::pack::source::read_now;
use crate::pack::{PackError, Reason};
use crate::repo::{Decoded, Filter, decode, denied, display_path, language_of};
use crate::text::Nesting;

/// A source whose text is known.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) kind: SourceKind,
    /// Where its lines are.
    pub(super) group: usize,
    /// The number of its first line.
    pub(super) first: u32,
    pub(super) text: String,
    /// The lines that a search found, where the text is more than those.
    pub(super) hit: Option<(u32, u32)>,
    pub(super) relevance: Option<f64>,
    pub(super) changed_ns: Option<i64>,
    pub(super) is_pinned: bool,
}

/// The sources that may be packed, and the others.
#[derive(Debug, Default)]
pub(super) struct Admitted {
    pub(super) texts: Vec<Text>,
    pub(super) groups: Groups,
    pub(super) excluded: Vec<Excluded>,
    pub(super) notes: Vec<Remark>,
}

/// A definition of up to so many lines is shown for a hit in it.
const MOST_LINES: u32 = 120;
/// The relevance of a source of which none is known.
const UNKNOWN_RELEVANCE: f64 = 0.5;
/// Said of a file whose sources contradict one another.
const DIFFER: &str = "sources differ in what its lines are; shown apart";

/// Why a source is not packed: a reason for programs, a remark for people.
type Refusal = (Reason, String);

/// Looks at each source, in the order given.
pub(super) fn admit(
    sources: Vec<PackSource>,
    options: &SourceOptions,
    cancel: &Cancel,
) -> Result<Admitted, PackError> {
    let gate = Gate::new(&sources, options)?;
    let mut admitted = Admitted::default();
    for (number, mut source) in best_first(sources, options).into_iter().enumerate() {
        cancel.check()?;
        if source.path.trim().is_empty() && !source.kind.is_file() {
            source.path = format!("{} {}", source.kind.name(), number + 1);
        }
        let refusal = if number < options.max_sources {
            gate.pass(&source, &mut admitted).err()
        } else {
            let most = options.max_sources;
            Some((Reason::OverBudget, format!("only the best {most} sources are packed")))
        };
        if let Some((reason, why)) = refusal {
            admitted.refuse(&source, number, reason, why);
        }
    }
    if let Some(repository) = &options.repository {
        for source in references(&admitted, repository, options)? {
            // What cannot be read was not asked for, so nobody misses it.
            let _ = gate.pass(&source, &mut admitted);
        }
    }
    Ok(admitted)
}

/// Puts the most relevant sources first where there are too many; else they stay as they are.
fn best_first(mut sources: Vec<PackSource>, options: &SourceOptions) -> Vec<PackSource> {
    if sources.len() > options.max_sources {
        sources.sort_by(|one, other| {
            let relevance = |source: &PackSource| source.relevance.unwrap_or(UNKNOWN_RELEVANCE);
            let priority = |source: &PackSource| source.kind.priority(&options.priority);
            let by_relevance = relevance(other).total_cmp(&relevance(one));
            by_relevance.then(priority(other).cmp(&priority(one)))
        });
    }
    sources
}

impl Admitted {
    /// Whether a line of a file is in a text.
    pub(super) fn shows(&self, path: &str, line: u32) -> bool {
        self.texts.iter().any(|text| {
            let lines = u32::try_from(text.text.lines().count()).unwrap_or(u32::MAX);
            let covers = text.first <= line && line - text.first < lines;
            covers && self.groups.list[text.group].path == path
        })
    }

    /// Lets lines of a file in, grown to the definition that they stand in.
    fn grow(
        &mut self,
        source: &PackSource,
        path: &Path,
        hit: (u32, u32),
        changed_ns: Option<i64>,
        whole: &Whole,
    ) {
        let shown = display_path(path).replace('\\', "/");
        let (group, differs) = self.groups.add_file(&shown, language_of(path), 1, &whole.text);
        if differs {
            self.notes.push(Remark::new(shown, DIFFER));
        }
        self.groups.nest(group, whole.nesting.clone());
        let (first, last) = whole.nesting.definition_of(hit, MOST_LINES);
        let lines = whole.text.split_inclusive('\n').skip(first as usize - 1);
        self.texts.push(Text {
            kind: source.kind,
            group,
            first,
            text: lines.take((last + 1 - first) as usize).collect(),
            hit: Some(hit),
            relevance: source.relevance,
            changed_ns,
            is_pinned: source.is_pinned,
        });
    }

    fn refuse(&mut self, source: &PackSource, number: usize, reason: Reason, why: String) {
        let path = display_path(Path::new(&source.path));
        let subject = if path.is_empty() { format!("source {}", number + 1) } else { path.clone() };
        self.notes.push(Remark::new(subject, why));
        self.excluded.push(Excluded {
            kind: source.kind,
            path,
            lines: source.lines,
            reason,
            score: None,
            tokens: None,
        });
    }
}

/// The text of a source.
#[derive(Default)]
struct Content {
    text: String,
    changed_ns: Option<i64>,
    /// How many lines its file has, where it was read.
    lines: Option<u32>,
}

/// What sources are judged by.
struct Gate<'a> {
    options: &'a SourceOptions,
    times: Times,
    /// The files that the repository is asked for.
    filter: Option<Filter>,
    /// The root as it was given and as it is without links.
    roots: Vec<PathBuf>,
    /// The files that sources name lines of.
    files: RefCell<HashMap<PathBuf, Option<Rc<Whole>>>>,
}

/// A file of which a source names lines.
struct Whole {
    text: String,
    nesting: Nesting,
    changed_ns: Option<i64>,
}

impl Whole {
    /// Whether the file still says what the source says of its lines.
    fn agrees(&self, source: &PackSource, (first, last): (u32, u32)) -> bool {
        let mut lines = self.text.lines().skip(first as usize - 1);
        let Some(content) = &source.content else {
            return lines.nth((last - first) as usize).is_some();
        };
        let content = String::from_utf8_lossy(content);
        content.lines().all(|line| lines.next().is_some_and(|it| it.trim() == line.trim()))
    }
}

impl Gate<'_> {
    fn new<'a>(sources: &[PackSource], options: &'a SourceOptions) -> Result<Gate<'a>, PackError> {
        let walk = options.repository.as_ref().map(|repository| &repository.walk);
        let filter = walk.map(|walk| Filter::new(&walk.include, &walk.exclude)).transpose()?;
        let given = options.root.clone();
        let real = given.as_ref().and_then(|root| root.canonicalize().ok());
        let asked = |source: &PackSource| source.kind.is_file() && source.changed_ns.is_none();
        let times = if options.rank.weights.recency > 0.0 && sources.iter().any(asked) {
            Times::below(real.as_deref(), options)
        } else {
            Times::default()
        };
        Ok(Gate {
            options,
            times,
            filter,
            roots: real.into_iter().chain(given).collect(),
            files: RefCell::default(),
        })
    }

    /// Lets a source in, or says why not.
    fn pass(&self, source: &PackSource, admitted: &mut Admitted) -> Result<(), Refusal> {
        let is_file = source.kind.is_file();
        if let Some((first, last)) = source.lines
            && (first == 0 || last < first)
        {
            let why = format!("lines {first}-{last} are not a valid range");
            return Err((Reason::Unreadable, why));
        }
        let path = if is_file { self.relative(&source.path)? } else { PathBuf::from(&source.path) };
        if is_file && self.filter.as_ref().is_some_and(|filter| !filter.wants(&path)) {
            let why = "not among what --include and --exclude ask for";
            return Err((Reason::NoMatch, why.to_owned()));
        }
        if let Some(what) = denied(&path) {
            return Err((Reason::Denied, format!("not packed: it holds {what}")));
        }
        let found = if is_file { self.find(&path)? } else { None };
        if let (Some(found), Some(lines)) = (&found, source.lines)
            && let Some(whole) = self.whole(found, &path)
            && whole.agrees(source, lines)
        {
            let changed_ns = source.changed_ns.or(whole.changed_ns);
            admitted.grow(source, &path, lines, changed_ns, &whole);
            return Ok(());
        }
        let Content { text, changed_ns, lines } = self.text(source, found)?;
        if let (Some((first, last)), Some(lines)) = (source.lines, lines)
            && last > lines
        {
            let note = format!("lines {first}-{last}: it has only {lines}");
            admitted.notes.push(Remark::new(display_path(&path), note));
        }
        let text = self.redacted(text);
        let first = match (source.lines, is_file) {
            (Some((first, _)), true) => first,
            _ => 1,
        };
        let count = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        if first.checked_add(count).is_none() {
            return Err((Reason::Unreadable, "it has too many lines".to_owned()));
        }
        let (shown, language) = (display_path(&path), language_of(&path));
        let shown = shown.replace('\\', "/");
        let group = if is_file {
            let (group, differs) = admitted.groups.add_file(&shown, language, first, &text);
            if differs {
                admitted.notes.push(Remark::new(shown, DIFFER));
            }
            group
        } else {
            let group = admitted.groups.add_text(&shown, language, first, &text);
            let origin = match source.kind {
                SourceKind::ToolResult => Origin::ToolResult,
                _ => Origin::Other,
            };
            admitted.groups.call(group, origin);
            group
        };
        admitted.texts.push(Text {
            kind: source.kind,
            group,
            first,
            text,
            hit: None,
            relevance: source.relevance,
            changed_ns,
            is_pinned: source.is_pinned,
        });
        Ok(())
    }

    /// Reads the file that a source names lines of, once; none where it cannot be read.
    fn whole(&self, found: &Path, path: &Path) -> Option<Rc<Whole>> {
        let mut files = self.files.borrow_mut();
        if let Some(whole) = files.get(found) {
            return whole.clone();
        }
        let read = self.read(found, None).ok();
        let whole = read.map(|content| {
            let text = self.redacted(content.text);
            let nesting = Nesting::new(&text, language_of(path));
            Rc::new(Whole { nesting, text, changed_ns: content.changed_ns })
        });
        files.insert(found.to_owned(), whole.clone());
        whole
    }

    fn redacted(&self, text: String) -> String {
        match &self.options.secrets {
            Some(secrets) => secrets.redact(&text).0.into_owned(),
            None => text,
        }
    }

    /// The path from the root; one that leads elsewhere is refused.
    fn relative(&self, path: &str) -> Result<PathBuf, Refusal> {
        let outside = |why: &str| (Reason::Denied, format!("not packed: {why}"));
        let given = Path::new(path.trim());
        let below = self.roots.iter().find_map(|root| given.strip_prefix(root).ok());
        let mut relative = PathBuf::new();
        for component in below.unwrap_or(given).components() {
            match component {
                Component::Normal(part) => relative.push(part),
                Component::CurDir => {}
                Component::ParentDir => return Err(outside("its path contains `..`")),
                Component::RootDir | Component::Prefix(_) => {
                    return Err(outside("its path leads out of the root"));
                }
            }
        }
        // A path from another system may climb with the other separator.
        if path.split(['/', '\\']).any(|part| part == "..") {
            return Err(outside("its path contains `..`"));
        }
        if relative.as_os_str().is_empty() {
            Err((Reason::Empty, "skipped: it has no path".to_owned()))
        } else {
            Ok(relative)
        }
    }

    /// The file below the root, where there is a root.
    fn find(&self, path: &Path) -> Result<Option<PathBuf>, Refusal> {
        let (Some(real), Some(_)) = (self.roots.first(), &self.options.root) else {
            return Ok(None);
        };
        let found = real.join(path).canonicalize().map_err(unreadable)?;
        // A link may lead to what must not be shown under another name.
        if let Some(what) = denied(&found) {
            return Err((Reason::Denied, format!("not packed: it holds {what}")));
        }
        if found.starts_with(real) {
            Ok(Some(found))
        } else {
            let why = "not packed: it is a link out of the root";
            Err((Reason::Denied, why.to_owned()))
        }
    }

    /// The text of a source and when it changed.
    fn text(&self, source: &PackSource, found: Option<PathBuf>) -> Result<Content, Refusal> {
        let content = match (&source.content, found) {
            (Some(content), _) if content.contains(&0) => {
                let reason = Reason::Binary { kind: None };
                return Err((reason, "skipped: it is binary".to_owned()));
            }
            (Some(content), found) => {
                let changed_ns = found.and_then(|path| self.times.of(&path, modified_ns(&path)?));
                Content {
                    text: String::from_utf8_lossy(content).into_owned(),
                    changed_ns,
                    lines: None,
                }
            }
            (None, Some(path)) => self.read(&path, source.lines)?,
            (None, None) => Content::default(),
        };
        if content.text.trim().is_empty() {
            Err((Reason::Empty, "skipped: it has no content".to_owned()))
        } else {
            Ok(Content { changed_ns: source.changed_ns.or(content.changed_ns), ..content })
        }
    }

    fn read(&self, path: &Path, lines: Option<(u32, u32)>) -> Result<Content, Refusal> {
        let metadata = fs::metadata(path).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err((Reason::Unreadable, "it is not a file".to_owned()));
        }
        let most = self.options.max_file_size;
        if metadata.len() > most {
            let why = format!("{} bytes, over the limit of {most}", metadata.len());
            return Err((Reason::Unreadable, why));
        }
        let mut stamp = FileStamp::new(path, &metadata);
        let bytes = read_now(&mut stamp, Some(most)).map_err(|why| (Reason::Unreadable, why))?;
        let text = match decode(&bytes) {
            Decoded::Text { text, .. } => text.into_owned(),
            Decoded::Binary(kind) => {
                let reason = Reason::Binary { kind: None };
                return Err((reason, format!("skipped: it is binary ({kind})")));
            }
        };
        let total = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let text = match lines {
            None => text,
            Some((first, _)) if first > total && total > 0 => {
                let why = format!("skipped: it has {total} lines, and none with number {first}");
                return Err((Reason::Empty, why));
            }
            Some((first, last)) => {
                let skip = first as usize - 1;
                let take = (last - first) as usize + 1;
                text.split_inclusive('\n').skip(skip).take(take).collect()
            }
        };
        Ok(Content { text, changed_ns: self.times.of(path, stamp.modified_ns), lines: Some(total) })
    }
}

fn modified_ns(path: &Path) -> Option<i64> {
    let metadata = fs::metadata(path).ok()?;
    Some(FileStamp::new(path, &metadata).modified_ns)
}

fn unreadable(error: io::Error) -> Refusal {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "file not found below the root".to_owned(),
        _ => format!("cannot read it: {error}"),
    };
    (Reason::Unreadable, why)
}
