//! Records what was cut before a model saw it, and what was recalled.
//!
//! One row for every output that was shortened, every answer that was, every
//! session that was trimmed, and every recall. Rows hold sizes and handles, never
//! text, so that one ledger can serve all projects.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

use super::error::LedgerError;
use crate::cache::ContentHash;
use crate::fsio::{create_private_directory, open_private};

/// The ledger, inside the directory of the archive.
pub(super) const LEDGER_NAME: &str = "ledger.db";

/// How long a row waits for those of other processes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS cuts (
        id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        what TEXT NOT NULL,
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        tool TEXT NOT NULL,
        rule TEXT NOT NULL,
        before INTEGER NOT NULL,
        after INTEGER NOT NULL,
        handle TEXT NOT NULL,
        hash BLOB NOT NULL
    );
    CREATE INDEX IF NOT EXISTS cuts_shown ON cuts (session, hash);
    CREATE INDEX IF NOT EXISTS cuts_handle ON cuts (handle);
";

const COLUMNS: &str = "at, what, agent, session, tool, rule, before, after, handle, hash";

/// What a row of the ledger tells of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CutKind {
    /// A tool's output that a hook shortened.
    #[default]
    Hook,
    /// An answer of the server.
    Mcp,
    /// A session that was trimmed.
    Trim,
    /// An output that was seen and stayed; a later one like it may point to it.
    Shown,
    /// The window was compacted: what was shown before is gone.
    Compacted,
    /// Something that was cut was recalled: too much had been cut.
    Recall,
}

const KINDS: [(CutKind, &str); 6] = [
    (CutKind::Hook, "hook"),
    (CutKind::Mcp, "mcp"),
    (CutKind::Trim, "trim"),
    (CutKind::Shown, "shown"),
    (CutKind::Compacted, "compacted"),
    (CutKind::Recall, "recall"),
];

impl CutKind {
    /// Returns the name that results use.
    pub fn name(self) -> &'static str {
        let row = KINDS.iter().find(|row| row.0 == self);
        row.map_or("hook", |row| row.1)
    }

    fn named(name: &str) -> CutKind {
        let row = KINDS.iter().find(|row| row.1 == name);
        row.map_or(CutKind::Hook, |row| row.0)
    }
}

/// A row of the ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cut {
    /// When, in nanoseconds since 1970; as a time to the second in documents.
    #[serde(serialize_with = "as_time")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub at: i64,
    /// What happened.
    pub what: CutKind,
    /// The agent, as `loadline hook` names it; empty where none is known.
    pub agent: String,
    /// The agent's name of its session.
    pub session: String,
    /// The tool whose output it was.
    pub tool: String,
    /// The rule that decided.
    pub rule: String,
    /// The tokens before.
    pub before: u64,
    /// The tokens after.
    pub after: u64,
    /// The name that recalls the original.
    pub handle: String,
    /// The content that it was.
    #[serde(skip)]
    pub hash: Option<ContentHash>,
}

impl Cut {
    /// Returns when it happened, to the second: `2026-01-31T12:00:00Z`.
    pub fn time(&self) -> String {
        let time = jiff::Timestamp::from_nanosecond(i128::from(self.at)).unwrap_or_default();
        time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// Makes a row that says no more than that something happened.
    pub fn new(at: i64, what: CutKind) -> Cut {
        Cut { at, what, ..Cut::default() }
    }
}

/// Writes the time of a row.
fn as_time<S: serde::Serializer>(at: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&Cut::new(*at, CutKind::Shown).time())
}

/// The cuts of one tool by one rule, added up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CutTotal {
    /// What happened.
    pub what: CutKind,
    /// The tool.
    pub tool: String,
    /// The rule.
    pub rule: String,
    /// How many rows.
    pub rows: u64,
    /// Their tokens before.
    pub before: u64,
    /// Their tokens after.
    pub after: u64,
    /// How many of them were recalled.
    pub recalled: u64,
}

/// The ledger of cuts, shared by all processes.
///
/// ```
/// use loadline::archive::{Cut, CutKind, CutLedger};
/// let directory = tempfile::tempdir()?;
/// let ledger = CutLedger::open(directory.path())?;
/// ledger.add(&Cut {
///     tool: "Bash".to_owned(),
///     before: 9_000,
///     after: 500,
///     ..Cut::new(1_000, CutKind::Hook)
/// })?;
/// assert_eq!(ledger.totals(0)?[0].before, 9_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CutLedger {
    connection: Connection,
    path: String,
}

impl CutLedger {
    /// Opens the ledger in the directory of an archive, and makes one where it is missing.
    pub fn open(directory: &Path) -> Result<CutLedger, LedgerError> {
        create_private_directory(directory)?;
        let path = directory.join(LEDGER_NAME);
        // SQLite gives its log and index the permissions of the database.
        open_private(&path)?;
        let name = path.display().to_string();
        let open = || {
            let connection = Connection::open(&path)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            connection.pragma_update(None, "synchronous", "normal")?;
            connection.execute_batch(SCHEMA)?;
            Ok(connection)
        };
        match open() {
            Ok(connection) => Ok(CutLedger { connection, path: name }),
            Err(source) => Err(LedgerError::Database { path: name, source }),
        }
    }

    /// Adds a row.
    pub fn add(&self, cut: &Cut) -> Result<(), LedgerError> {
        let hash = cut.hash.as_ref().map(ContentHash::as_bytes);
        let values = params![
            cut.at,
            cut.what.name(),
            cut.agent,
            cut.session,
            cut.tool,
            cut.rule,
            i64::try_from(cut.before).unwrap_or(i64::MAX),
            i64::try_from(cut.after).unwrap_or(i64::MAX),
            cut.handle,
            hash.map_or(&[][..], |hash| &hash[..]),
        ];
        let insert = format!(
            "INSERT INTO cuts ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        );
        self.run(|connection| connection.execute(&insert, values).map(|_| ()))
    }

    /// Adds all rows of another ledger that are not here yet.
    pub(super) fn add_all_of(&self, other: &Path) -> Result<(), LedgerError> {
        let copy = format!(
            "INSERT INTO cuts ({COLUMNS}) SELECT {COLUMNS} FROM old.cuts AS old
             WHERE NOT EXISTS (SELECT 1 FROM main.cuts AS own
                 WHERE own.at = old.at AND own.what = old.what AND own.session = old.session
                   AND own.handle = old.handle AND own.hash = old.hash)
             ORDER BY old.id"
        );
        let path = other.display().to_string();
        self.run(|connection| {
            connection.execute("ATTACH ?1 AS old", [&path])?;
            let copied = connection.execute(&copy, []).map(|_| ());
            connection.execute("DETACH old", [])?;
            copied
        })
    }

    /// Returns the first row of a session that showed a content since its last compaction.
    pub fn shown(&self, session: &str, hash: &ContentHash) -> Result<Option<Cut>, LedgerError> {
        let query = format!(
            "SELECT {COLUMNS} FROM cuts
             WHERE session = ?1 AND hash = ?2 AND what IN ('shown', 'hook')
               AND id > (SELECT coalesce(max(id), 0) FROM cuts
                         WHERE session = ?1 AND what = 'compacted')
             ORDER BY id LIMIT 1"
        );
        let values = params![session, &hash.as_bytes()[..]];
        self.run(|connection| connection.query_row(&query, values, read).optional())
    }

    /// Returns the newest rows that cut or recalled something, newest first.
    pub fn rows(&self, since: i64, most: usize) -> Result<Vec<Cut>, LedgerError> {
        let query = format!(
            "SELECT {COLUMNS} FROM cuts
             WHERE at >= ?1 AND what NOT IN ('shown', 'compacted')
             ORDER BY id DESC LIMIT ?2"
        );
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.run(|connection| {
            let mut statement = connection.prepare(&query)?;
            statement.query_map(params![since, most], read)?.collect()
        })
    }

    /// Returns every row that has a handle, oldest first.
    pub fn of_handle(&self, handle: &str) -> Result<Vec<Cut>, LedgerError> {
        let query = format!("SELECT {COLUMNS} FROM cuts WHERE handle = ?1 ORDER BY id");
        self.run(|connection| {
            let mut statement = connection.prepare(&query)?;
            statement.query_map(params![handle], read)?.collect()
        })
    }

    /// Returns totals by rule and tool since a time, ordered by what they saved.
    pub fn totals(&self, since: i64) -> Result<Vec<CutTotal>, LedgerError> {
        const QUERY: &str = "
            SELECT what, tool, rule, count(*), sum(before), sum(after),
                   sum(handle != '' AND EXISTS (SELECT 1 FROM cuts AS later
                       WHERE later.handle = cuts.handle AND later.what = 'recall'))
            FROM cuts
            WHERE at >= ?1 AND what NOT IN ('shown', 'compacted', 'recall')
            GROUP BY what, tool, rule
            ORDER BY sum(before) - sum(after) DESC, what, tool, rule";
        self.run(|connection| {
            let mut statement = connection.prepare(QUERY)?;
            let totals = statement.query_map(params![since], |row| {
                Ok(CutTotal {
                    what: CutKind::named(&row.get::<_, String>(0)?),
                    tool: row.get(1)?,
                    rule: row.get(2)?,
                    rows: count(row, 3)?,
                    before: count(row, 4)?,
                    after: count(row, 5)?,
                    recalled: count(row, 6)?,
                })
            })?;
            totals.collect()
        })
    }

    fn run<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        work(&self.connection)
            .map_err(|source| LedgerError::Database { path: self.path.clone(), source })
    }
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    Ok(number.unsigned_abs())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Cut> {
    let hash: Vec<u8> = row.get(9)?;
    Ok(Cut {
        at: row.get(0)?,
        what: CutKind::named(&row.get::<_, String>(1)?),
        agent: row.get(2)?,
        session: row.get(3)?,
        tool: row.get(4)?,
        rule: row.get(5)?,
        before: count(row, 6)?,
        after: count(row, 7)?,
        handle: row.get(8)?,
        hash: hash.try_into().ok().map(ContentHash::from_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(what: CutKind, content: &str, handle: &str) -> Cut {
        Cut {
            at: 5,
            what,
            agent: "claude-code".to_owned(),
            session: "s1".to_owned(),
            tool: "Bash".to_owned(),
            rule: "command".to_owned(),
            before: 9_000,
            after: 500,
            handle: handle.to_owned(),
            hash: Some(ContentHash::of(content.as_bytes())),
        }
    }

    #[test]
    fn rows_come_back_newest_first() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = CutLedger::open(directory.path()).unwrap();
        let (first, second) = (cut(CutKind::Hook, "a", "h1"), cut(CutKind::Trim, "b", "h2"));
        ledger.add(&first).unwrap();
        ledger.add(&cut(CutKind::Shown, "c", "")).unwrap();
        ledger.add(&second).unwrap();
        let again = CutLedger::open(directory.path()).unwrap();
        assert_eq!(again.rows(0, 9).unwrap(), [second, first.clone()]);
        assert_eq!(again.rows(6, 9).unwrap(), []);
        assert_eq!(again.of_handle("h1").unwrap(), [first]);
    }

    #[test]
    fn what_was_shown_is_gone_after_a_compaction() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = CutLedger::open(directory.path()).unwrap();
        let hash = ContentHash::of(b"a file");
        assert_eq!(ledger.shown("s1", &hash).unwrap(), None);
        ledger.add(&cut(CutKind::Shown, "a file", "")).unwrap();
        assert!(ledger.shown("s1", &hash).unwrap().is_some());
        assert_eq!(ledger.shown("s2", &hash).unwrap(), None);
        ledger.add(&cut(CutKind::Compacted, "", "")).unwrap();
        assert_eq!(ledger.shown("s1", &hash).unwrap(), None);
    }

    #[test]
    fn a_recall_counts_against_the_rule_that_cut() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = CutLedger::open(directory.path()).unwrap();
        ledger.add(&cut(CutKind::Hook, "a", "h1")).unwrap();
        ledger.add(&cut(CutKind::Hook, "b", "h2")).unwrap();
        ledger.add(&cut(CutKind::Recall, "", "h2")).unwrap();
        let totals = ledger.totals(0).unwrap();
        assert_eq!(totals.len(), 1);
        assert_eq!((totals[0].rows, totals[0].recalled), (2, 1));
        assert_eq!((totals[0].before, totals[0].after), (18_000, 1_000));
    }
}
