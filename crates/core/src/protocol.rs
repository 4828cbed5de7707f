//! Protocol events: the view of the log that the operative protocol describes, field for field.
//!
//! HANDOFF, BLOCKED, INCURSION and RESUME, and the messages DECISION and INFO, as one stable JSON envelope. Nothing is
//! stored in this form; it is made from what is in the log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    event::{Event, Recorded},
    ids::{BeadId, Seq},
    inbox::{Category, Sent},
    room::{self, Resumed},
    scope::{self, Edited, Incursion},
    time::Timestamp,
};

/// The version of the protocol.
pub const VERSION: &str = "v1";

/// Where a room is, as the protocol has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Project<'a> {
    /// Its path.
    pub root: Option<&'a str>,
    /// How many events the rooms had that were there before it.
    pub earlier_events: u64,
}

impl<'a> From<&'a room::Room> for Project<'a> {
    fn from(room: &'a room::Room) -> Self {
        Self { root: room.canonical_path.as_deref(), earlier_events: room.earlier_events }
    }
}

/// The envelope of all protocol events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProtocolEvent {
    /// `proto_20260214_001`: the day, and the event's place among all that happened at the project root.
    pub id: String,
    /// `v1`
    pub version: String,
    /// `HANDOFF BLOCKED DECISION INFO INCURSION RESUME`
    pub event_type: String,
    /// The room's path.
    pub project_root: Option<String>,
    /// The task or bead that it is about.
    pub bead_id: Option<BeadId>,
    /// Whom it comes from.
    pub from_agent: Option<String>,
    /// Whom it is for.
    pub to_agent: Option<String>,
    /// The paths that it is about.
    pub scope: Option<String>,
    /// When.
    pub created_at: Timestamp,
    /// What it says, by `event_type`.
    pub payload: Value,
}

impl ProtocolEvent {
    /// An event of the log as the protocol has it, in a room of `project`. Nothing, if it is none of its events.
    pub fn of(recorded: &Recorded, project: Project<'_>) -> Option<Self> {
        let part = match &recorded.event {
            Event::Inbox(crate::inbox::Event::Sent(sent)) => Part::sent(sent),
            Event::Scope(scope::Event::Incursion(incursion)) => Part::incursion(incursion),
            Event::Scope(scope::Event::Edited(edited)) => Part::edited(edited),
            Event::Room(room::Event::Resumed(resumed)) => Part::resumed(resumed, recorded),
            _ => return None,
        };
        Some(Self {
            id: id(recorded.at, Seq(project.earlier_events + recorded.seq.0)),
            version: VERSION.to_owned(),
            event_type: part.event_type.to_owned(),
            project_root: project.root.map(str::to_owned),
            bead_id: part.bead_id,
            from_agent: part.from_agent,
            to_agent: part.to_agent,
            scope: part.scope,
            created_at: recorded.at,
            payload: part.payload,
        })
    }

    /// How often it happened: a collision that is met again is told once.
    pub fn count(&self) -> u64 {
        self.payload.get("count").and_then(Value::as_u64).unwrap_or(1)
    }

    /// The same, met so often and last at that time.
    #[must_use]
    pub fn counted(mut self, count: u64, last_at: Timestamp) -> Self {
        self.payload["count"] = json!(count);
        if count > 1 {
            self.payload["last_at"] = json!(last_at);
        }
        self
    }

    /// What a person reads for it: the contract's labels.
    pub fn label(&self) -> &'static str {
        match self.event_type.as_str() {
            "HANDOFF" => "Passed to",
            "BLOCKED" => "Needs input",
            "DECISION" => "Decided",
            "INFO" => "Told",
            "INCURSION" => "Incursion",
            "RESUME" => "Resumed",
            _ => "Event",
        }
    }
}

/// What a person reads when a recipient has read a message.
pub const SEEN_LABEL: &str = "Seen";
/// What a person reads when a recipient has accepted a message.
pub const ACCEPTED_LABEL: &str = "Accepted";

/// Paths of an edit that its view names; the event has all that were recorded.
const PATHS: usize = 50;

/// What differs between the events.
struct Part {
    event_type: &'static str,
    bead_id: Option<BeadId>,
    from_agent: Option<String>,
    to_agent: Option<String>,
    scope: Option<String>,
    payload: Value,
}

impl Part {
    fn sent(sent: &Sent) -> Self {
        Self {
            event_type: Category::as_str(sent.category),
            bead_id: sent.bead_id.clone(),
            from_agent: Some(sent.from_agent.clone()),
            to_agent: Some(sent.to_agent.clone()),
            scope: sent.scope.clone(),
            payload: serde_json::to_value(&sent.payload).unwrap_or_default(),
        }
    }

    fn incursion(incursion: &Incursion) -> Self {
        Self {
            event_type: "INCURSION",
            bead_id: incursion.bead_id.clone(),
            from_agent: Some(incursion.incoming_agent.clone()),
            to_agent: Some(incursion.owner_agent.clone()),
            scope: Some(incursion.owner_scope.clone()),
            payload: json!({
                "incursion_kind": incursion.incursion_kind,
                "owner_agent": incursion.owner_agent,
                "incoming_agent": incursion.incoming_agent,
                "owner_liveness": incursion.owner_liveness,
                "resolution_hint": incursion.resolution_hint,
                "count": 1,
            }),
        }
    }

    /// An edit without a turn is an incursion on whoever holds the stick, or has it kept for them.
    fn edited(edited: &Edited) -> Self {
        Self {
            event_type: "INCURSION",
            bead_id: None,
            from_agent: edited.by_agent.clone(),
            to_agent: edited.owner_agent.clone(),
            scope: Some(edited.place()),
            payload: json!({
                "incursion_kind": scope::Overlap::Partial,
                "owner_agent": edited.owner_agent.as_deref().unwrap_or("nobody"),
                "incoming_agent": edited.by_agent.as_deref().unwrap_or("unknown"),
                "owner_liveness": edited.owner_liveness,
                "resolution_hint": edited.hint(),
                "paths": edited.files.0.keys().take(PATHS).collect::<Vec<_>>(),
                "path_count": edited.count(),
                "head_before": edited.head_before,
                "head_now": edited.head_now,
                "count": 1,
            }),
        }
    }

    fn resumed(resumed: &Resumed, recorded: &Recorded) -> Self {
        Self {
            event_type: "RESUME",
            bead_id: resumed.bead_ids.first().cloned(),
            from_agent: Some(recorded.actor.to_string()),
            to_agent: Some(resumed.adopted_agent.clone()),
            scope: resumed.scopes.first().cloned(),
            payload: json!({
                "resume_reason": resumed.resume_reason,
                "prior_session_agent": resumed.prior_session_agent,
                "adopted_agent": resumed.adopted_agent,
                "evidence": resumed.evidence,
                "bead_ids": resumed.bead_ids,
            }),
        }
    }
}

/// The contract's form of an id: unique at a project root, because rooms that follow each other there count on.
fn id(at: Timestamp, seq: Seq) -> String {
    let day: String = at.to_string().chars().take_while(|c| *c != 'T').filter(char::is_ascii_digit).collect();
    format!("proto_{day}_{:03}", seq.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_the_day_in_utc_and_the_place_in_the_log() {
        let at = |text: &str| serde_json::from_value::<Timestamp>(json!(text)).unwrap();
        assert_eq!(id(at("2026-02-14T18:05:11.000Z"), Seq(1)), "proto_20260214_001", "the contract's own");
        assert_eq!(id(at("2026-02-14T23:59:59.999Z"), Seq(1234)), "proto_20260214_1234");
        assert_eq!(id(at("2026-02-15T00:30:00.000+01:00"), Seq(12)), "proto_20260214_012");
    }

    #[test]
    fn people_read_the_contracts_labels() {
        let label = |event_type: &str| {
            let event = json!({
                "id": "proto_20260214_001", "version": "v1", "event_type": event_type, "project_root": null,
                "bead_id": null, "from_agent": null, "to_agent": null, "scope": null,
                "created_at": "2026-02-14T18:05:11.000Z", "payload": {},
            });
            serde_json::from_value::<ProtocolEvent>(event).unwrap().label()
        };
        assert_eq!(["HANDOFF", "BLOCKED"].map(label), ["Passed to", "Needs input"]);
        assert!(Category::ALL.iter().all(|category| label(category.as_str()) != "Event"), "a category has no label");
        assert_eq!((SEEN_LABEL, ACCEPTED_LABEL), ("Seen", "Accepted"));
        assert_eq!(["INCURSION", "RESUME"].map(label), ["Incursion", "Resumed"], "rows of their own");
    }
}
