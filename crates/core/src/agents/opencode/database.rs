//! The database of opencode, which keeps sessions since its version 1.2.
//!
//! It is only read: if opencode is not running, the database is opened as an unchanging
//! file, so that nothing is created next to it; if it is running, its write-ahead log is
//! read too.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Value, json};

use super::{Candidate, candidate, request};
use crate::agents::{Request, each_once};

/// Reads the requests of all sessions.
pub(in super::super) fn read_requests(path: &Path) -> rusqlite::Result<Vec<Request>> {
    let connection = open(path)?;
    let mut query = connection.prepare("SELECT id, session_id, data FROM message ORDER BY id")?;
    let infos = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let mut requests = Vec::new();
    for info in infos {
        let (id, session, data): (String, String, String) = info?;
        let names = [("id", id.as_str()), ("sessionID", &session)];
        requests.extend(record(&data, &names).as_ref().and_then(request));
    }
    Ok(each_once(requests))
}

/// Lists the sessions that no other session started.
pub(super) fn sessions(path: &Path) -> rusqlite::Result<Vec<Candidate>> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let connection = open(path)?;
    let mut query = connection.prepare("SELECT * FROM session ORDER BY id")?;
    let infos = query.query_map([], |row| Ok(session_info(row)))?;
    let candidates = infos.filter_map(|info| Some(candidate(path.to_owned(), &info.ok()?)));
    Ok(candidates.flatten().collect())
}

/// Puts a session together as `opencode export` writes it.
pub(super) fn export(path: &Path, session: &str) -> rusqlite::Result<Value> {
    let connection = open(path)?;
    let info = connection
        .query_row("SELECT * FROM session WHERE id = ?1", [session], |row| Ok(session_info(row)))?;
    let mut messages = connection
        .prepare("SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id")?;
    let mut parts =
        connection.prepare("SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id")?;
    let mut exported = Vec::new();
    let rows = messages.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for row in rows {
        let (id, data): (String, String) = row?;
        let Some(info) = record(&data, &[("id", &id), ("sessionID", session)]) else {
            continue;
        };
        let own = parts.query_map([&id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut said = Vec::new();
        for part in own {
            let (part, data): (String, String) = part?;
            let names = [("id", part.as_str()), ("messageID", &id), ("sessionID", session)];
            said.extend(record(&data, &names));
        }
        exported.push(json!({"info": info, "parts": said}));
    }
    Ok(json!({"info": info, "messages": exported}))
}

/// Reads a record, whose names are columns of their own.
fn record(data: &str, names: &[(&str, &str)]) -> Option<Value> {
    let mut record: Value = serde_json::from_str(data).ok()?;
    let members = record.as_object_mut()?;
    for (key, name) in names {
        members.insert((*key).to_owned(), Value::from(*name));
    }
    Some(record)
}

fn session_info(row: &Row<'_>) -> Value {
    let text = |column: &str| row.get::<_, Option<String>>(column).ok().flatten();
    let time = |column: &str| row.get::<_, i64>(column).ok();
    let mut info = json!({
        "id": text("id"),
        "slug": text("slug").unwrap_or_default(),
        "projectID": text("project_id").unwrap_or_default(),
        "directory": text("directory"),
        "title": text("title"),
        "version": text("version").unwrap_or_default(),
        "time": {"created": time("time_created").unwrap_or(0), "updated": time("time_updated")},
    });
    if let Some(parent) = text("parent_id") {
        info["parentID"] = Value::from(parent);
    }
    info
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
            .execute_batch(
                "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT,
                    title TEXT, time_updated INTEGER);
                 CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT,
                    time_created INTEGER, data TEXT);
                 CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, data TEXT);
                 INSERT INTO session VALUES ('s', NULL, '/w', 't', 1767225600000),
                    ('helper', 's', '/w', 't', 1767225600000);
                 INSERT INTO part VALUES ('p0', 'm0', '{\"type\":\"text\",\"text\":\"hi\"}'),
                    ('p1', 'm1', '{\"type\":\"text\",\"text\":\"there\"}');",
            )
            .unwrap();
        for (id, data) in [("m0", r#"{"role":"user"}"#), ("m1", DATA), ("m2", "torn")] {
            connection.execute("INSERT INTO message VALUES (?1, 's', 1, ?2)", (id, data)).unwrap();
        }
    }

    #[test]
    fn f129_the_database_of_opencode_is_read_and_nothing_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("open code?.db");
        database(&path);
        let requests = read_requests(&path).unwrap();
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].key, "opencode:m1");
        assert_eq!(requests[0].spending.total(), 27);
        let sessions = sessions(&path).unwrap();
        assert_eq!(sessions.len(), 1, "helpers' sessions are left out");
        let exported = export(&path, "s").unwrap().to_string().into_bytes();
        let transcript = crate::session::read_session(exported, None).unwrap();
        let texts: Vec<&str> = transcript.turns.iter().flat_map(|it| it.texts()).collect();
        assert_eq!(texts, ["hi", "there"]);
        assert_eq!(transcript.directory.as_deref(), Some("/w"));
        let files = std::fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(files, 1, "nothing was created next to it");
    }

    #[test]
    fn a_file_that_is_not_a_database_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("opencode.db");
        for text in ["", "not a database at all, but long enough to be one"] {
            std::fs::write(&path, text).unwrap();
            assert!(read_requests(&path).is_err(), "{text:?}");
        }
        assert!(read_requests(directory.path()).is_err());
    }
}
