//! The database of opencode, which keeps messages since its version 1.2.
//!
//! It is only read: where opencode is not running nothing beside the file is
//! touched, and where it is, its own log of changes is read with it.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::logs::{Request, once, opencode_request};
use crate::Remark;

/// Reads the requests of opencode's database.
///
/// What cannot be read costs a note: the file may be of another version.
pub fn read_opencode_database(path: &Path) -> (Vec<Request>, Vec<Remark>) {
    match rows(path) {
        Ok(rows) => {
            let requests = rows.iter().filter_map(opencode_request);
            (once(requests.collect()), Vec::new())
        }
        Err(error) => {
            let message = format!("cannot be read as a database of opencode: {error}");
            let note = Remark::new(path.display().to_string(), message);
            (Vec::new(), vec![note])
        }
    }
}

fn rows(path: &Path) -> rusqlite::Result<Vec<Value>> {
    let connection = open(path)?;
    let mut query = connection.prepare("SELECT id, data FROM message ORDER BY id")?;
    let rows = query.query_map([], |row| {
        let (id, data): (String, String) = (row.get(0)?, row.get(1)?);
        Ok((id, data))
    })?;
    let mut infos = Vec::new();
    for row in rows {
        let (id, data) = row?;
        // A row that is no JSON is no message.
        if let Ok(mut info @ Value::Object(_)) = serde_json::from_str::<Value>(&data) {
            info["id"] = id.into();
            infos.push(info);
        }
    }
    Ok(infos)
}

/// Opens without writing: a database that nobody has open is taken as it lies there.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut changes = path.as_os_str().to_owned();
    changes.push("-wal");
    if Path::new(&changes).exists() {
        return Connection::open_with_flags(path, flags);
    }
    let mut address = "file:".to_owned();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                address.push(byte.into());
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    address.push_str("?immutable=1");
    Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = r#"{"role":"assistant","modelID":"gpt-5","path":{"cwd":"/w"},"time":{"created":1767225600000},"cost":0.5,"tokens":{"input":5,"output":6,"reasoning":1,"cache":{"read":7,"write":8}}}"#;

    fn database(path: &Path) {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch("CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT)")
            .unwrap();
        for (id, data) in [("m1", DATA), ("m2", r#"{"role":"user"}"#), ("m3", "torn")] {
            connection
                .execute("INSERT INTO message VALUES (?1, 's', ?2)", (id, data))
                .unwrap();
        }
    }

    #[test]
    fn f129_the_database_of_opencode_is_read_and_nothing_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("open code?.db");
        database(&path);
        let (requests, notes) = read_opencode_database(&path);
        assert_eq!(notes, []);
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].key, "opencode:m1");
        assert_eq!(requests[0].spending.total(), 27);
        let names = std::fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(names, 1, "nothing was left beside it");
    }

    #[test]
    fn what_is_no_database_costs_a_note() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("opencode.db");
        for text in ["", "not a database at all, but long enough to be one"] {
            std::fs::write(&path, text).unwrap();
            let (requests, notes) = read_opencode_database(&path);
            assert_eq!((requests.len(), notes.len()), (0, 1), "{text:?}");
        }
        assert_eq!(read_opencode_database(directory.path()).1.len(), 1);
    }
}
