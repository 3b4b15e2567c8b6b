//! Writing a batch to a session.

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use crate::message::{Message, Usage};
use crate::services::{Scope, reply_owner};

use super::super::apply::check;
use super::super::{OpenCall, ReplyRecord, StoreError, Write};
use super::open::{SessionFile, Stop};
use super::read::{all, json};

/// Writes all of a batch or nothing.
pub(super) fn write(file: &mut SessionFile, session_id: &str, batch: &[Write]) -> Result<(), StoreError> {
    let seen = file.seen.at(session_id);
    let revision = file.transaction(|change| {
        let mut session = Session::find_or_make(change, session_id)?;
        if let Some(seen) = seen.filter(|seen| *seen != session.revision) {
            return Err(Stop::Refused(StoreError::Invalid(format!(
                "session `{session_id}` is in use by another process: it was at batch {seen} here and is at batch {} \
                 now; load it again",
                session.revision
            ))));
        }
        session.check(batch)?;
        for write in batch {
            session.apply(write)?;
        }
        Ok(session.finish()?)
    })?;
    file.seen.note(session_id, revision);
    if batch.iter().any(|write| matches!(write, Write::PutReply(_))) {
        file.sizes.forget_replies(session_id);
    }
    Ok(())
}

/// A session's row, inside the transaction that changes it.
struct Session<'a> {
    connection: &'a Connection,
    id: &'a str,
    key: i64,
    revision: i64,
    reply_id: Option<String>,
}

impl<'a> Session<'a> {
    fn find_or_make(connection: &'a Connection, id: &'a str) -> rusqlite::Result<Self> {
        let found = connection
            .prepare_cached("SELECT key, revision, reply_id FROM session WHERE id = ?1")?
            .query_row([id], |row| {
                Ok(Self { connection, id, key: row.get(0)?, revision: row.get(1)?, reply_id: row.get(2)? })
            })
            .optional()?;
        if let Some(session) = found {
            return Ok(session);
        }
        connection.execute("INSERT INTO session (id, revision, used) VALUES (?1, 0, 0)", [id])?;
        Ok(Self { connection, id, key: connection.last_insert_rowid(), revision: 0, reply_id: None })
    }

    fn check(&self, batch: &[Write]) -> Result<(), Stop> {
        let open = all(self.connection, "SELECT id FROM open_call WHERE session = ?1", [self.key], |row| {
            row.get(0)
        })?;
        let messages = usize::try_from(self.message_count()?).unwrap_or(usize::MAX);
        Ok(check(self.id, messages, open, self.reply_id.as_deref(), batch)?)
    }

    fn message_count(&self) -> rusqlite::Result<i64> {
        self.connection
            .prepare_cached("SELECT coalesce(max(position) + 1, 0) FROM message WHERE session = ?1")?
            .query_row([self.key], |row| row.get(0))
    }

    fn apply(&mut self, write: &Write) -> rusqlite::Result<()> {
        match write {
            Write::Append(message) => self.insert(self.message_count()?, message),
            Write::Replace { start, end, messages } => {
                self.replace(i64::from(*start), i64::from(*end), messages)
            }
            Write::PutReply(record) => self.put_reply(record),
            Write::PutCall(call) => self.put_call(call),
            Write::CloseCall(id) => {
                self.execute("DELETE FROM open_call WHERE session = ?1 AND id = ?2", params![self.key, id])
            }
            Write::AddUsage { model, usage } => self.add_usage(model, usage),
        }
    }

    fn insert(&self, position: i64, message: &Message) -> rusqlite::Result<()> {
        self.execute(
            "INSERT INTO message (session, position, json) VALUES (?1, ?2, ?3)",
            params![self.key, position, to_json(message)?],
        )
    }

    fn replace(&self, start: i64, end: i64, messages: &[Message]) -> rusqlite::Result<()> {
        let by = i64::try_from(messages.len()).unwrap_or(i64::MAX) - (end - start);
        self.execute(
            "DELETE FROM message WHERE session = ?1 AND position >= ?2 AND position < ?3",
            params![self.key, start, end],
        )?;
        if by != 0 {
            // By way of the negative numbers, since no two may have the same position even for a moment.
            self.execute(
                "UPDATE message SET position = -1 - (position + ?3) WHERE session = ?1 AND position >= ?2",
                params![self.key, end, by],
            )?;
            self.execute(
                "UPDATE message SET position = -1 - position WHERE session = ?1 AND position < 0",
                params![self.key],
            )?;
        }
        (start..).zip(messages).try_for_each(|(position, message)| self.insert(position, message))
    }

    fn put_reply(&mut self, record: &ReplyRecord) -> rusqlite::Result<()> {
        self.execute(
            "UPDATE session SET reply_id = ?2, reply = ?3 WHERE key = ?1",
            params![self.key, record.id, to_json(record)?],
        )?;
        let earlier = self.reply_id.replace(record.id.clone());
        earlier.filter(|earlier| *earlier != record.id).map_or(Ok(()), |earlier| self.forget_reply(&earlier))
    }

    fn forget_reply(&self, reply_id: &str) -> rusqlite::Result<()> {
        self.execute("DELETE FROM open_call WHERE session = ?1", params![self.key])?;
        self.execute(
            "DELETE FROM state WHERE scope = ?1 AND owner = ?2",
            params![Scope::Reply.name(), reply_owner(self.id, reply_id)],
        )
    }

    fn put_call(&self, open: &OpenCall) -> rusqlite::Result<()> {
        self.execute(
            "INSERT INTO open_call (session, id, json) VALUES (?1, ?2, ?3)
             ON CONFLICT (session, id) DO UPDATE SET json = excluded.json",
            params![self.key, open.call.id, to_json(open)?],
        )
    }

    fn add_usage(&self, model: &str, usage: &Usage) -> rusqlite::Result<()> {
        let known: Option<Usage> = self
            .connection
            .prepare_cached("SELECT json FROM usage WHERE session = ?1 AND model = ?2")?
            .query_row(params![self.key, model], |row| json(row, 0))
            .optional()?;
        let mut total = known.unwrap_or_default();
        total.add(usage);
        self.execute(
            "INSERT INTO usage (session, model, json, calls) VALUES (?1, ?2, ?3, 1)
             ON CONFLICT (session, model) DO UPDATE SET json = excluded.json, calls = calls + 1",
            params![self.key, model, to_json(&total)?],
        )
    }

    /// Marks the session as written and as the last used one, and gives its new revision.
    fn finish(self) -> rusqlite::Result<i64> {
        self.execute(
            "UPDATE session SET revision = revision + 1, used = (SELECT max(used) + 1 FROM session) WHERE key = ?1",
            params![self.key],
        )?;
        Ok(self.revision + 1)
    }

    fn execute(&self, sql: &str, parameters: impl rusqlite::Params) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute(parameters).map(drop)
    }
}

fn to_json(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
