//! What happens to briefs, envelopes, turns and requests for further agents, as a room's events tell it.

use baton_core::{
    context, envelope,
    event::Recorded,
    reference::Reference,
    spawn,
    turn::{self, ToolState},
};

use crate::view::RoomEvent;

impl RoomEvent {
    pub(crate) fn of_context(self, event: &context::Event) -> Self {
        let context::Event::BriefSet(set) = event;
        Self { note: Some(set.brief.goal.clone().unwrap_or_default()), ..self }
    }

    pub(crate) fn of_envelope(self, event: &envelope::Event, recorded: &Recorded) -> Self {
        use envelope::Event;
        let to_agent_id = recorded.event.subject().cloned();
        match event {
            Event::Sent(sent) => Self {
                from_agent_id: Some(sent.envelope.from_node_id.clone()),
                to_agent_id,
                note: Some(sent.envelope.payload.message.clone()),
                refs: vec![Reference::Payload(sent.envelope.id.clone())],
                messages: vec![recorded.seq],
                ..self
            },
            Event::Forwarded(forwarded) => {
                Self { from_agent_id: Some(forwarded.from.clone()), to_agent_id: Some(forwarded.to.clone()), ..self }
            }
            Event::EdgeSet(set) => {
                let arrow = if set.both_ways { "<->" } else { "->" };
                Self { to_agent_id, note: Some(format!("{} {arrow} {}", set.from, set.to)), ..self }
            }
            Event::EdgeRemoved(removed) => {
                Self { to_agent_id, note: Some(format!("{} -> {}", removed.from, removed.to)), ..self }
            }
        }
    }

    pub(crate) fn of_turn(self, event: &turn::Event) -> Self {
        use turn::Event;
        let mut refs = vec![Reference::Turn(event.turn())];
        let (note, messages) = match event {
            Event::Begun(begun) => (format!("turn {}", begun.number), begun.items.clone()),
            Event::Prompted(prompted) => {
                refs.extend(prompted.refs.iter().cloned());
                let (mode, sent, tokens) = (prompted.mode, prompted.sent_tokens, prompted.tokens);
                (format!("{mode}, {sent} of {tokens} tokens"), Vec::new())
            }
            Event::ToolsUsed(used) => {
                let told = |used: &turn::ToolUse| {
                    let end = if used.state == ToolState::Failed { ", which failed" } else { "" };
                    format!("{} {}{end}", used.name, used.detail).trim().to_owned()
                };
                (used.uses.iter().map(told).collect::<Vec<_>>().join("; "), Vec::new())
            }
            Event::Ended(ended) => {
                refs.extend(ended.refs.iter().cloned());
                let why = ended.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                (format!("{}{why}", ended.outcome), ended.items.clone())
            }
        };
        Self { to_agent_id: Some(event.agent_id().clone()), note: Some(note), refs, messages, ..self }
    }

    pub(crate) fn of_spawn(self, event: &spawn::Event, recorded: &Recorded) -> Self {
        use spawn::Event;
        let to_agent_id = recorded.event.subject().cloned();
        let (note, refs, job) = match event {
            Event::Requested(requested) => {
                (requested.spec.title.clone(), vec![Reference::Approval(requested.approval)], None)
            }
            Event::Approved(approved) => {
                let how = if approved.by_policy { "by policy" } else { "" };
                (how.to_owned(), vec![Reference::Approval(approved.approval)], Some(approved.job))
            }
            Event::Denied(denied) => {
                (denied.reason.clone().unwrap_or_default(), vec![Reference::Approval(denied.approval)], None)
            }
            Event::Granted(granted) => {
                let may = if granted.grants.spawn_nodes { "may spawn" } else { "may not spawn" };
                (may.to_owned(), Vec::new(), None)
            }
        };
        let note = Some(note).filter(|note| !note.is_empty());
        Self { to_agent_id, note, refs, job, ..self }
    }
}
