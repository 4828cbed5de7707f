//! An event as it goes out: its JSON is written once, and every subscriber of either transport sends the same bytes.

use baton_app::{Failure, bus::Record};
use baton_core::{
    code::ErrorCode,
    ids::{AgentId, Seq},
    time::Timestamp,
};

/// An event of a room's log, ready to be sent.
#[derive(Debug, PartialEq)]
pub struct Rendered {
    /// Its place, which is the cursor.
    pub seq: Seq,
    /// Its id.
    pub id: String,
    /// What happened: `message.created` …
    pub kind: String,
    /// When.
    pub ts: Timestamp,
    /// Who did it.
    pub src: AgentId,
    /// Whom it concerns.
    pub dst: Option<AgentId>,
    /// The whole [`Record`] as JSON, on one line.
    pub json: String,
}

impl Rendered {
    /// Writes a record down.
    pub(crate) fn of(record: Record) -> Result<Self, Failure> {
        let json = serde_json::to_string(&record)
            .map_err(|error| Failure::new(ErrorCode::Internal, format!("{} cannot be told: {error}.", record.id)))?;
        let Record { seq, id, kind, ts, src, dst, .. } = record;
        Ok(Self { seq, id, kind, ts, src, dst, json })
    }
}
