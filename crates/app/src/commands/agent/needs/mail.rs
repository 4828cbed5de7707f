//! Messages that somebody has to accept, and requests that they owe a response for.

use baton_core::{envelope::Posted, event::Recorded, ids::Seq, inbox::Item, spawn::Approval};
use baton_store::{StoreError, engine::Tx, log};

use super::{
    Need, NeedKind,
    scene::{Scene, cut},
};
use crate::{
    Failure,
    bounds::first_line,
    commands::{envelope::sent, spawn::pending_spec},
    view::RoomEvent,
    wording,
};

/// What is to be accepted, and what is to be answered. What is owed a response is accepted by it.
pub(super) fn waiting(
    tx: &mut dyn Tx,
    scene: &Scene<'_>,
    to_accept: &[Item],
    owed: &[Posted],
) -> Result<Vec<Need>, StoreError> {
    let to_accept = to_accept.iter().filter(|item| !owed.iter().any(|posted| posted.seq == item.message));
    let to_accept: Vec<&Item> = to_accept.collect();
    let places: Vec<Seq> = to_accept.iter().map(|item| item.message).chain(owed.iter().map(|one| one.seq)).collect();
    let events = log::find_all(tx, &scene.room.id, &places)?;
    let event = |seq: Seq| events.iter().find(|recorded| recorded.seq == seq);
    let accepted = to_accept.iter().filter_map(|item| Some(ack(scene, item, event(item.message)?)));
    let answered = owed.iter().filter_map(|posted| Some(response(scene, posted, event(posted.seq)?)));
    Ok(accepted.chain(answered).collect())
}

fn ack(scene: &Scene<'_>, item: &Item, recorded: &Recorded) -> Need {
    let told = RoomEvent::of(recorded, scene.room.into());
    let said = wording::said(&told).unwrap_or_default();
    let words = match &told.protocol {
        Some(protocol) => {
            let parts = wording::particulars(protocol).into_iter().map(|(label, text)| format!("{label}: {text}"));
            parts.collect::<Vec<_>>().join("\n")
        }
        None => said.to_owned(),
    };
    Need {
        title: first_line(said),
        words: cut(&words),
        to: Some(item.recipient.clone()),
        command: scene.command(&format!("ack {}", item.message)),
        ..scene.need(NeedKind::Ack, item.queued_at, item.message, scene.whom(&item.sender))
    }
}

fn response(scene: &Scene<'_>, posted: &Posted, recorded: &Recorded) -> Need {
    let message = sent(recorded).map(|sent| sent.envelope.payload.message.as_str()).unwrap_or_default();
    let reply_to = scene.whom(&posted.reply_to);
    let command = format!("handoff {} 'Your answer' --in-reply-to {}", reply_to.name, posted.id);
    Need {
        title: first_line(message),
        words: cut(message),
        other: Some(reply_to),
        to: Some(posted.recipient.clone()),
        envelope: Some(posted.id.clone()),
        command: scene.command(&command),
        ..scene.need(NeedKind::Response, posted.sent_at, posted.seq, scene.whom(&posted.sender))
    }
}

/// A request for another agent.
pub(super) fn approval(tx: &mut dyn Tx, scene: &Scene<'_>, approval: &Approval) -> Result<Need, Failure> {
    let spec = pending_spec(tx, &scene.room.id, approval)?;
    Ok(Need {
        title: approval.title.clone(),
        words: cut(&spec.prompt),
        digest: Some(spec.digest(approval.id, &approval.requested_by)),
        command: scene.command(&format!("approval approve {}", approval.id)),
        ..scene.need(NeedKind::Approval, approval.requested_at, approval.id, scene.whom(&approval.requested_by))
    })
}
