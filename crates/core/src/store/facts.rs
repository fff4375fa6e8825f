//! Facts: small values worked out from a content, by kind and content hash.
//!
//! A kind is a name with a version where the value can change its form:
//! `count/o200k`, `outline/v1`. A fact follows from the content alone, so it
//! stays true for ever; only answers that came over the network are asked for
//! with an age limit, see [`Store::fresh_fact`].

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::{ContentHash, Store};

/// How long a count from a provider's API is believed, unless configured.
pub const API_COUNT_TTL: Duration = Duration::from_secs(5 * 60);

/// An entry's last use is written down again only after this long, so that
/// looking things up hardly ever writes.
const TOUCH_AFTER_NS: i64 = 24 * 60 * 60 * 1_000_000_000;

impl Store {
    /// Returns the fact of this kind about one content.
    pub fn fact(&self, kind: &str, hash: &ContentHash, now_ns: i64) -> Option<Vec<u8>> {
        self.facts(kind, &[*hash], now_ns).pop().flatten()
    }

    /// Returns the facts of this kind about many contents, in their order.
    pub fn facts(&self, kind: &str, hashes: &[ContentHash], now_ns: i64) -> Vec<Option<Vec<u8>>> {
        let found = self.run(|connection| {
            let mut stale = Vec::new();
            let found = find(connection, kind, hashes, |hash, used| {
                if is_stale(used, now_ns) {
                    stale.push(*hash);
                }
            })?;
            // An entry that cannot be touched is still right.
            let _ = touch(connection, kind, &stale, now_ns);
            Ok(found)
        });
        let found = found.unwrap_or_else(|| vec![None; hashes.len()]);
        self.count_answers(found.iter().map(Option::is_some));
        found
    }

    /// Returns a fact that was recorded less than `ttl` before `now_ns`.
    ///
    /// A fact from the future (the clock was set back) is not believed.
    pub fn fresh_fact(
        &self,
        kind: &str,
        hash: &ContentHash,
        now_ns: i64,
        ttl: Duration,
    ) -> Option<Vec<u8>> {
        let oldest = now_ns.saturating_sub(i64::try_from(ttl.as_nanos()).unwrap_or(i64::MAX));
        let found = self.run(|connection| {
            connection
                .prepare_cached(
                    "SELECT value FROM facts
                     WHERE kind = ?1 AND hash = ?2 AND recorded > ?3 AND recorded <= ?4",
                )?
                .query_row(
                    params![kind_id(kind), hash.as_bytes(), oldest, now_ns],
                    |row| row.get(0),
                )
                .optional()
        });
        let found = found.flatten();
        self.count_answers([found.is_some()]);
        found
    }

    /// Records facts of one kind, replacing what was known, in one transaction.
    pub fn record_facts(&self, kind: &str, facts: &[(ContentHash, Vec<u8>)], now_ns: i64) {
        let max_entries = self.options.max_entries;
        self.run(|connection| {
            let transaction = begin(connection)?;
            insert_kind(&transaction, kind)?;
            for (hash, value) in facts {
                insert(&transaction, kind, hash, value, now_ns)?;
            }
            prune(&transaction, facts.len(), max_entries)?;
            transaction.commit()
        });
    }

    /// Adds to the statistics, one answer each.
    pub(super) fn count_answers(&self, hits: impl IntoIterator<Item = bool>) {
        let mut state = self.state();
        for hit in hits {
            state.stats.count(hit);
        }
    }
}

/// Returns the number that stands for a kind in the tables.
///
/// It follows from the name alone, so it stays valid in every process while
/// another one empties or rebuilds the tables.
pub(super) fn kind_id(kind: &str) -> i64 {
    let hash = ContentHash::of(kind.as_bytes());
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// Tells whether an entry's last use is worth writing down again.
pub(super) fn is_stale(used: i64, now_ns: i64) -> bool {
    used < now_ns.saturating_sub(TOUCH_AFTER_NS)
}

/// Starts a transaction that will write, waiting for other writers.
pub(super) fn begin(connection: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

fn find(
    connection: &mut Connection,
    kind: &str,
    hashes: &[ContentHash],
    mut on_hit: impl FnMut(&ContentHash, i64),
) -> rusqlite::Result<Vec<Option<Vec<u8>>>> {
    // One read transaction: the lock is taken once, not per row.
    let transaction = connection.transaction()?;
    let kind = kind_id(kind);
    let mut statement = transaction
        .prepare_cached("SELECT value, used FROM facts WHERE kind = ?1 AND hash = ?2")?;
    hashes
        .iter()
        .map(|hash| {
            let row = statement
                .query_row(params![kind, hash.as_bytes()], |row| {
                    Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?))
                })
                .optional()?;
            Ok(row.map(|(value, used)| {
                on_hit(hash, used);
                value
            }))
        })
        .collect()
}

/// Writes down that these facts were used now.
pub(super) fn touch(
    connection: &mut Connection,
    kind: &str,
    hashes: &[ContentHash],
    now_ns: i64,
) -> rusqlite::Result<()> {
    if hashes.is_empty() {
        return Ok(());
    }
    let transaction = begin(connection)?;
    let kind = kind_id(kind);
    for hash in hashes {
        transaction
            .prepare_cached("UPDATE facts SET used = ?3 WHERE kind = ?1 AND hash = ?2")?
            .execute(params![kind, hash.as_bytes(), now_ns])?;
    }
    transaction.commit()
}

/// Remembers the name of a kind, for people who ask what the store holds.
pub(super) fn insert_kind(transaction: &Transaction<'_>, kind: &str) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT OR IGNORE INTO kinds (id, name) VALUES (?1, ?2)")?
        .execute(params![kind_id(kind), kind])?;
    Ok(())
}

/// Writes one fact.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    kind: &str,
    hash: &ContentHash,
    value: &[u8],
    now_ns: i64,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO facts (kind, hash, value, recorded, used)
             VALUES (?1, ?2, ?3, ?4, ?4)",
        )?
        .execute(params![kind_id(kind), hash.as_bytes(), value, now_ns])?;
    Ok(())
}

/// Drops the longest unused entries once enough was written since last time.
///
/// Counting the rows is a scan, so it waits until an eighth of the bound was
/// written; a scan then leaves room for the next eighth.
pub(super) fn prune(
    transaction: &Transaction<'_>,
    written: usize,
    max_entries: u64,
) -> rusqlite::Result<()> {
    let limit = i64::try_from(max_entries).unwrap_or(i64::MAX);
    let written: i64 = transaction
        .prepare_cached("UPDATE upkeep SET written = written + ?1 RETURNING written")?
        .query_row([i64::try_from(written).unwrap_or(i64::MAX)], |row| {
            row.get(0)
        })?;
    if written <= limit / 8 {
        return Ok(());
    }
    transaction.execute("UPDATE upkeep SET written = 0", [])?;
    prune_table(transaction, "facts", "kind, hash", limit)?;
    prune_table(transaction, "files", "kind, path", limit)
}

fn prune_table(
    transaction: &Transaction<'_>,
    table: &str,
    key: &str,
    limit: i64,
) -> rusqlite::Result<()> {
    let count: i64 =
        transaction.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })?;
    if count <= limit {
        return Ok(());
    }
    transaction.execute(
        &format!(
            "DELETE FROM {table} WHERE ({key}) IN
             (SELECT {key} FROM {table} ORDER BY used, {key} LIMIT ?1)"
        ),
        [count - limit],
    )?;
    Ok(())
}
