//! Keeps the cache within its limits; the longest unused entries go first.

use rusqlite::{Connection, Transaction};

use super::facts::begin;
use super::{Cache, CacheOptions};

/// Both tables, with their keys and the bytes of a row. The 100 stand for the columns of
/// fixed size and for what the tree around the rows takes.
const TABLES: [(&str, &str, &str); 2] = [
    ("facts", "kind, hash", "length(value) + 100"),
    ("files", "kind, path", "length(value) + length(path) + 100"),
];

impl Cache {
    /// Writes rows in one transaction, and removes others where they became too many.
    pub(super) fn write(
        &self,
        rows: usize,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) {
        let options = self.options;
        self.run(|connection| {
            let transaction = begin(connection)?;
            work(&transaction)?;
            limit_entries(&transaction, rows, options.max_entries)?;
            let is_over = limit_bytes(&transaction, &options)?;
            transaction.commit()?;
            if is_over {
                // Others may be reading; then the next write gives the space back.
                let _ = connection.execute_batch("PRAGMA incremental_vacuum");
            }
            Ok(())
        });
    }
}

/// Removes the longest unused entries once enough was written since last time.
///
/// Counting the rows is a scan, so it waits until an eighth of the limit was
/// written; a scan then leaves room for the next eighth.
fn limit_entries(
    transaction: &Transaction<'_>,
    written: usize,
    max_entries: u64,
) -> rusqlite::Result<()> {
    let limit = i64::try_from(max_entries).unwrap_or(i64::MAX);
    let written: i64 = transaction
        .prepare_cached("UPDATE upkeep SET written = written + ?1 RETURNING written")?
        .query_row([i64::try_from(written).unwrap_or(i64::MAX)], |row| row.get(0))?;
    if written <= limit / 8 {
        return Ok(());
    }
    transaction.execute("UPDATE upkeep SET written = 0", [])?;
    for (table, key, _) in TABLES {
        transaction.execute(
            &format!(
                "DELETE FROM {table} WHERE ({key}) IN
                 (SELECT {key} FROM {table} ORDER BY used DESC, {key} LIMIT -1 OFFSET ?1)"
            ),
            [limit],
        )?;
    }
    Ok(())
}

/// Removes the longest unused quarter of the bytes once there are too many.
///
/// Returns whether there were. Each table gives in proportion to its size.
fn limit_bytes(transaction: &Transaction<'_>, options: &CacheOptions) -> rusqlite::Result<bool> {
    let bytes = used_bytes(transaction)?;
    if bytes <= options.max_bytes {
        return Ok(false);
    }
    let share = options.max_bytes as f64 * 0.75 / bytes as f64;
    for (table, key, size) in TABLES {
        transaction.execute(
            &format!(
                "DELETE FROM {table} WHERE ({key}) IN
                 (SELECT {key} FROM
                     (SELECT {key}, sum({size}) OVER (ORDER BY used DESC, {key}) AS kept
                      FROM {table})
                  WHERE kept > ?1 * (SELECT sum({size}) FROM {table}))"
            ),
            [share],
        )?;
    }
    Ok(true)
}

/// Returns the bytes of all pages that hold something.
pub(super) fn used_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = pragma("page_count")? - pragma("freelist_count")?;
    Ok(pages.unsigned_abs() * super::database::PAGE_SIZE)
}
