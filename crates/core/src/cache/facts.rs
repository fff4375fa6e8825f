//! Records facts: small values worked out from a content, by kind and content hash.
//!
//! A kind is a name with a version where the value can change its form:
//! `count/o200k`, `outline/v1`. A fact follows from the content alone, so it
//! stays true for ever; only answers that came over the network are asked for
//! with an age limit, see [`Cache::fresh_fact`].

use std::time::Duration;

use rusqlite::{
    Connection, OptionalExtension, Statement, Transaction, TransactionBehavior, params,
};

use super::{Cache, ContentHash};

/// An entry's last use is written down again only after this long, so that
/// looking things up hardly ever writes.
const TOUCH_AFTER_NS: i64 = 24 * 60 * 60 * 1_000_000_000;

impl Cache {
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
        let row = self.run(|connection| {
            let mut statement = connection.prepare_cached(SELECT)?;
            read(&mut statement, kind_id(kind), hash)
        });
        let row = row.flatten();
        let found =
            row.filter(|row| row.recorded > oldest && row.recorded <= now_ns).map(|row| row.value);
        self.count_answers([found.is_some()]);
        found
    }

    /// Returns the newest facts of a kind, newest first, whatever they are about.
    pub fn newest_facts(&self, kind: &str, most: usize) -> Vec<Vec<u8>> {
        let (kind, most) = (kind_id(kind), i64::try_from(most).unwrap_or(i64::MAX));
        let found = self.run(|connection| {
            let mut statement = connection.prepare_cached(NEWEST)?;
            let rows = statement.query_map(params![kind, most], |row| {
                let hash = row.get::<_, Vec<u8>>(0)?.try_into().ok().map(ContentHash::from_bytes);
                let (value, recorded): (Vec<u8>, i64) = (row.get(1)?, row.get(2)?);
                let sum: i64 = row.get(3)?;
                let is_sound =
                    hash.is_some_and(|it| fact_checksum(kind, &it, &value, recorded) == sum);
                Ok(is_sound.then_some(value))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        });
        found.unwrap_or_default().into_iter().flatten().collect()
    }

    /// Records facts of one kind, replacing what was known, in one transaction.
    pub fn record_facts(&self, kind: &str, facts: &[(ContentHash, Vec<u8>)], now_ns: i64) {
        self.write(facts.len(), |transaction| {
            insert_kind(transaction, kind)?;
            for (hash, value) in facts {
                insert(transaction, kind, hash, value, now_ns)?;
            }
            Ok(())
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
    checksum(&[kind.as_bytes()])
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
    let mut statement = transaction.prepare_cached(SELECT)?;
    hashes
        .iter()
        .map(|hash| {
            let row = read(&mut statement, kind, hash)?;
            Ok(row.map(|row| {
                on_hit(hash, row.used);
                row.value
            }))
        })
        .collect()
}

const SELECT: &str =
    "SELECT value, recorded, used, checksum FROM facts WHERE kind = ?1 AND hash = ?2";

const NEWEST: &str = "SELECT hash, value, recorded, checksum FROM facts WHERE kind = ?1
     ORDER BY recorded DESC, hash LIMIT ?2";

/// One row of the table of facts.
struct FactRow {
    value: Vec<u8>,
    recorded: i64,
    used: i64,
}

/// Reads a fact; one whose checksum is wrong is not known.
fn read(
    statement: &mut Statement<'_>,
    kind: i64,
    hash: &ContentHash,
) -> rusqlite::Result<Option<FactRow>> {
    let row = statement.query_row(params![kind, hash.as_bytes()], |row| {
        let fact = FactRow { value: row.get(0)?, recorded: row.get(1)?, used: row.get(2)? };
        let expected = fact_checksum(kind, hash, &fact.value, fact.recorded);
        Ok((row.get::<_, i64>(3)? == expected).then_some(fact))
    });
    Ok(row.optional()?.flatten())
}

fn fact_checksum(kind: i64, hash: &ContentHash, value: &[u8], recorded: i64) -> i64 {
    checksum(&[&kind.to_le_bytes(), hash.as_bytes(), &recorded.to_le_bytes(), value])
}

/// Returns 64 bits over all parts; only the last one may differ in length.
pub(super) fn checksum(parts: &[&[u8]]) -> i64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    let [a, b, c, d, e, f, g, h, ..] = *hasher.finalize().as_bytes();
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
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
            "INSERT OR REPLACE INTO facts (kind, hash, value, recorded, used, checksum)
             VALUES (?1, ?2, ?3, ?4, ?4, ?5)",
        )?
        .execute(params![
            kind_id(kind),
            hash.as_bytes(),
            value,
            now_ns,
            fact_checksum(kind_id(kind), hash, value, now_ns),
        ])?;
    Ok(())
}
