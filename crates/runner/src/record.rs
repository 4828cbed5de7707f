//! The desk's part about turns: what is put on record of them, and what they are told.

use baton_app::{
    Failure,
    commands::{
        context::{BriefShow, BriefShowInput, Build, BuildInput},
        open::{Open, OpenInput, What},
        turn,
    },
    connection::StreamNote,
    table::UseCase,
};
use baton_core::{
    code::ErrorCode,
    context::Brief,
    envelope::Expectation,
    ids::{AgentId, Seq},
    job::{Executor, agent_of},
    process::SessionKind,
    reference::Reference,
    turn::{PromptMode, StreamStatus, ToolUse, TurnId},
};
use serde_json::json;

use crate::{
    desk::{Claimed, Desk},
    prompt::{Expected, Extent, Incoming, Prompt, Sender},
    turn::{Begun, Ended},
};

/// The most that is read of a pack. They are meant to have a quarter of that.
const PACK_BYTES: usize = 96 * 1024;

/// What is noted beside a prompt.
pub(crate) struct Prompted {
    pub(crate) role: String,
    pub(crate) context_ref: Option<Reference>,
    /// Where it is kept.
    pub(crate) refs: Vec<Reference>,
}

impl Desk {
    /// Who does a job, for others.
    pub(crate) fn agent(&self, claimed: &Claimed) -> AgentId {
        agent_of(&self.room, claimed.id())
    }

    /// The newest message that interrupts a job's agent, if there is one that it was not told.
    pub(crate) fn interrupted(&self, claimed: &Claimed) -> Result<Option<Seq>, Failure> {
        self.app.interrupted(&self.room, &self.agent(claimed))
    }

    /// Begins a turn with what waits; of messages of the bus with these only, if they are named. `key` is the same when it
    /// is tried again.
    pub(crate) fn begin(
        &self,
        claimed: &Claimed,
        executor: Executor,
        messages: Option<&[Seq]>,
        key: &str,
    ) -> Result<Begun, Failure> {
        let input = turn::BeginInput {
            room_id: self.room.clone(),
            job: Some(claimed.id()),
            runner_id: Some(self.runner.clone()),
            claim_revision: Some(claimed.revision()),
            executor: Some(executor),
            messages: messages.map(<[Seq]>::to_vec),
            max_bytes: None,
            idempotency_key: Some(self.key(claimed, key)),
        };
        let begun = turn::Begin::run(&self.app, &self.caller, input)?;
        Ok(Begun { id: begun.turn, items: begun.items.into_iter().map(incoming).collect() })
    }

    /// Puts on record what is told in a turn.
    pub(crate) fn prompt(
        &self,
        claimed: &Claimed,
        turn: TurnId,
        prompt: &Prompt,
        told: &Prompted,
    ) -> Result<(), Failure> {
        let input = turn::PromptInput {
            room_id: self.room.clone(),
            turn,
            runner_id: Some(self.runner.clone()),
            claim_revision: Some(claimed.revision()),
            mode: match prompt.extent() {
                Extent::Full => PromptMode::Full,
                Extent::Delta => PromptMode::Delta,
            },
            role: told.role.parse().ok(),
            tokens: prompt.tokens_full(),
            sent_tokens: prompt.tokens_sent(),
            context_ref: told.context_ref.as_ref().map(Reference::to_string),
            refs: told.refs.iter().map(Reference::to_string).collect(),
            idempotency_key: Some(self.key(claimed, &format!("{turn} prompt"))),
        };
        turn::Prompt::run(&self.app, &self.caller, input).map(|_| ())
    }

    /// Puts on record which tools were used in a turn. `number` is the same when it is tried again.
    pub(crate) fn use_tools(
        &self,
        claimed: &Claimed,
        turn: TurnId,
        number: u32,
        uses: Vec<ToolUse>,
    ) -> Result<(), Failure> {
        let used = |used: ToolUse| turn::ToolInput {
            name: used.name,
            detail: used.detail,
            state: used.state,
            at: Some(used.at),
        };
        let input = turn::ToolsInput {
            room_id: self.room.clone(),
            turn,
            runner_id: Some(self.runner.clone()),
            claim_revision: Some(claimed.revision()),
            uses: uses.into_iter().map(used).collect(),
            idempotency_key: Some(self.key(claimed, &format!("{turn} tools {number}"))),
        };
        turn::Tools::run(&self.app, &self.caller, input).map(|_| ())
    }

    /// Puts on record how a turn ended.
    pub(crate) fn end_turn(&self, claimed: &Claimed, turn: TurnId, ending: &Ended) -> Result<(), Failure> {
        let input = turn::EndInput {
            room_id: self.room.clone(),
            turn,
            runner_id: Some(self.runner.clone()),
            claim_revision: Some(claimed.revision()),
            outcome: ending.outcome,
            why: ending.why.clone(),
            session: ending.session.as_ref().map(|session| session.as_str().to_owned()),
            resumable: ending.session.is_some(),
            usage: ending.usage,
            refs: ending.refs.iter().map(Reference::to_string).collect(),
            idempotency_key: Some(self.key(claimed, &format!("{turn} end"))),
        };
        turn::End::run(&self.app, &self.caller, input).map(|_| ())
    }

    /// Notes what is seen of the stream of a job's agent.
    pub(crate) fn note_stream(
        &self,
        claimed: &Claimed,
        status: StreamStatus,
        provider: &str,
        session: Option<&str>,
    ) -> Result<(), Failure> {
        let note = StreamNote { status, provider: Some(provider), session };
        self.app.note_stream(&self.caller, &self.room, &self.agent(claimed), &note)
    }

    /// What the room is for, and which edition of that it is.
    pub(crate) fn brief(&self) -> Result<(Brief, Option<Seq>), Failure> {
        let input = BriefShowInput { room_id: self.room.clone() };
        BriefShow::run(&self.app, &self.caller, input).map(|found| (found.brief, found.revision))
    }

    /// Builds a pack for a job's agent.
    pub(crate) fn build_pack(&self, claimed: &Claimed) -> Result<Reference, Failure> {
        let input = BuildInput {
            room_id: self.room.clone(),
            agent: None,
            job: Some(claimed.id()),
            budget: None,
            files: Vec::new(),
            base: None,
            idempotency_key: None,
        };
        Build::run(&self.app, &self.caller, input).map(|built| built.reference)
    }

    /// The text of a pack. One that cannot be read here is named, so that its agent can ask for it.
    pub(crate) fn read_pack(&self, reference: &Reference) -> Result<String, Failure> {
        let (mut text, mut offset) = (String::new(), 0);
        loop {
            let input =
                OpenInput { id: reference.to_string(), offset: Some(offset), workspace: Some(self.room.to_string()) };
            let opened = match Open::run(&self.app, &self.caller, input) {
                Ok(opened) => opened.what,
                Err(failure) if failure.code == ErrorCode::UnknownId => {
                    return Ok(format!("{reference} is not there."));
                }
                Err(failure) => return Err(failure),
            };
            let What::Artifact(opened) = opened else { return Ok(format!("{reference} is no pack.")) };
            let Some(passage) = opened.content else {
                let why = opened.unavailable.unwrap_or_default();
                return Ok(format!("{reference} cannot be read here. {why}"));
            };
            text.push_str(&passage.text);
            match passage.next_offset {
                Some(next) if text.len() < PACK_BYTES => offset = next.cast_signed(),
                Some(_) | None => return Ok(text),
            }
        }
    }

    fn key(&self, claimed: &Claimed, what: &str) -> String {
        format!("{} {} {} {what}", self.room, claimed.id(), claimed.revision())
    }
}

/// What was taken, as a prompt shows it.
fn incoming(taken: turn::Taken) -> Incoming {
    let is_person = taken.sender_kind.is_some_and(SessionKind::is_person);
    let number = taken.message.0;
    let reference = taken.reference.map_or_else(|| format!("message {number}"), |reference| reference.to_string());
    let mut item = Incoming {
        seq: number,
        reference,
        from: Sender { name: taken.from_name, id: taken.from.to_string(), is_person },
        category: taken.category.as_str().to_owned(),
        interrupts: taken.interrupts,
        text: taken.text,
        structured: None,
        status: None,
        artifacts: taken.refs.iter().map(|reference| ("ref".to_owned(), reference.to_string())).collect(),
        context_ref: None,
        priority: None,
        envelope: None,
        expected: Expected::Nothing,
        reply_to: None,
    };
    if let Some(envelope) = taken.envelope {
        item.expected = match envelope.expectation() {
            Expectation::None => Expected::Nothing,
            Expectation::Optional => Expected::Optional,
            Expectation::Required => Expected::Required,
        };
        item.reply_to = Some(envelope.reply_to().to_string());
        item.envelope = Some(envelope.id.to_string());
        item.priority = envelope.meta.get("priority").and_then(|priority| priority.as_str()).map(str::to_owned);
        item.context_ref = envelope.context_ref;
        item.structured = envelope.payload.structured;
        item.status = envelope.payload.status.map(|status| json!(status));
        let artifacts = envelope.payload.artifacts.into_iter();
        item.artifacts.extend(artifacts.map(|artifact| (artifact.kind, artifact.reference)));
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(from: &str, category: &str, kind: Option<&str>) -> Sender {
        let taken = json!({ "message": 7, "from": from, "from_name": from, "category": category, "sent_at": "2026-01-01T00:00:00Z",
            "text": "Stop.", "sender_kind": kind });
        incoming(serde_json::from_value(taken).unwrap()).from
    }

    #[test]
    fn a_sender_is_a_person_by_the_kind_of_session_on_record_and_by_nothing_else() {
        let persons = ["human", "human_guardian"];
        for (id, category) in [("human:root:pts0", "USER"), ("worker", "USER"), ("human:root:pts0", "INFO")] {
            for kind in persons {
                assert!(sender(id, category, Some(kind)).is_person, "{id} {category} {kind}");
            }
            for kind in [Some("mcp_harness"), Some("shell"), None] {
                assert!(!sender(id, category, kind).is_person, "{id} {category} {kind:?}");
            }
        }
    }
}
