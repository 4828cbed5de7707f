//! Envelopes, edges, what is owed, and who is waited for.

use baton_app::commands::{
    envelope::{EdgeListResult, EdgeView, RequestView, SendHandoffResult},
    inbox::TellResult,
    open::OpenedEnvelope,
    waiting::{Pending, Ready, WaitForResult},
};
use baton_core::{
    envelope::{Envelope, Expectation},
    inbox::Manner,
    policy::Edges,
    time::Timestamp,
};

use super::words::{ago, block, columns, line};

/// That something was handed over.
pub(crate) fn handed_sentence(sent: &SendHandoffResult) -> String {
    let already = if sent.again { "was sent before and " } else { "" };
    let answers = sent.answers.map_or_else(String::new, |seq| format!(", as the answer to message {seq}"));
    let (message, to) = (sent.message, line(&sent.to));
    let next = match sent.awaits_response {
        true => format!("next: baton await {to}  (it owes you a response)\n"),
        false => format!("next: baton open {}  (what becomes of it)\n", sent.reference),
    };
    format!("Message {message} {already}is queued for {to}{answers}.\n{next}")
}

/// The edges of a room.
pub(crate) fn edges_page(listed: &EdgeListResult) -> String {
    let policy = match listed.policy {
        Edges::Mesh => "Everybody may write to everybody: the policy is mesh (baton room policy --edges explicit).\n",
        Edges::Explicit => "Envelopes go along these edges only: the policy is explicit.\n",
    };
    let row = |edge: &EdgeView| {
        let arrow = if edge.both_ways { "<->" } else { "-->" };
        [format!("  {}", line(&edge.from)), arrow.to_owned(), line(&edge.to)]
    };
    let edges = match listed.edges.as_slice() {
        [] => "No edges.\nnext: baton edge add FROM TO\n".to_owned(),
        some => columns(&some.iter().map(row).collect::<Vec<_>>()),
    };
    format!("{policy}{edges}")
}

/// That a person's word is on its way.
pub(crate) fn told_sentence(told: &TellResult) -> String {
    let (message, to) = (told.message, line(&told.to));
    let how = match told.mode {
        Manner::Queue => format!("Message {message} is queued for {to}: its next turn has it."),
        Manner::Interrupt => format!("Message {message} interrupts {to}."),
    };
    let over = told.over.as_ref().map_or_else(String::new, |why| format!("But {}.\n", line(why)));
    format!("{how}\n{over}next: baton inbox sent  (what becomes of it)\n")
}

/// Who is done, and who is not and why.
pub(crate) fn awaited_page(found: &WaitForResult, now: Timestamp) -> String {
    let ready = |one: &Ready| {
        let refs: Vec<String> = one.refs.iter().map(ToString::to_string).collect();
        [line(&one.who), "done".to_owned(), format!("{} ({})", line(&one.what), line(&refs.join(", ")))]
    };
    let pending = |one: &Pending| {
        let how = if one.over { "over" } else { "pending" };
        [line(&one.who), how.to_owned(), format!("{} (for {})", line(&one.why), now.since(one.since))]
    };
    let rows: Vec<_> = found.ready.iter().map(ready).chain(found.pending.iter().map(pending)).collect();
    let next = found.next.as_ref().map_or_else(String::new, |next| format!("next: {}\n", line(next)));
    columns(&rows) + &next
}

/// What is owed, a line each.
pub(super) fn request_lines(requests: &[RequestView], who: fn(&RequestView) -> &str, now: Timestamp) -> Vec<String> {
    let row = |request: &RequestView| {
        let (name, when, subject) = (line(who(request)), ago(request.sent_at, now), line(&request.subject));
        let over = request.over.as_ref().map_or_else(String::new, |why| format!(" ({})", line(why)));
        format!("{} {name}, sent {when}: {subject}{over}", request.message)
    };
    requests.iter().map(row).collect()
}

/// What somebody owes a response for. Nothing, if there is nothing.
pub(crate) fn owed_lines(owed: &[RequestView], now: Timestamp) -> String {
    let Some(first) = owed.first() else { return String::new() };
    let lines = request_lines(owed, |request| &request.reply_to, now).join("\n  ");
    let to = line(&first.reply_to);
    format!(
        "You owe a response:\n  {lines}\nAnswer with baton handoff {to} …: the oldest, or with --in-reply-to ID another.\n"
    )
}

/// What an envelope says.
pub(super) fn envelope_body(envelope: &Envelope, from: &str) -> String {
    let payload = &envelope.payload;
    let mut page = block("message", &payload.message);
    if let Some(status) = &payload.status {
        let word = if status.ok { "ok" } else { "failed" };
        let reason = status.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        page.push_str(&block("status", &format!("{word}{reason}")));
    }
    if let Some(structured) = &payload.structured {
        page.push_str(&block("data", &structured.to_string()));
    }
    for artifact in &payload.artifacts {
        page.push_str(&block("points to", &format!("{} ({})", artifact.reference, artifact.kind)));
    }
    if let Some(pack) = &envelope.context_ref {
        page.push_str(&block("context", pack));
    }
    if envelope.expectation() != Expectation::None {
        let to =
            if *envelope.reply_to() == envelope.from_node_id { line(from) } else { envelope.reply_to().to_string() };
        page.push_str(&block("response", &format!("{}, to {to}", envelope.expectation())));
    }
    for (key, value) in &envelope.meta {
        page.push_str(&block(key, value.as_str().map_or_else(|| value.to_string(), str::to_owned).as_str()));
    }
    page
}

/// An envelope, and what became of it.
pub(super) fn envelope_page(opened: &OpenedEnvelope, reference: &str, now: Timestamp) -> String {
    let (from, to) = (line(&opened.from), line(&opened.to));
    let mut page = format!("{reference}  {} from {from} to {to}\n", opened.envelope.kind);
    let state = format!("{}, sent {} as message {}", opened.state.as_str(), ago(opened.sent_at, now), opened.message);
    page.push_str(&block("state", &state));
    if let Some(turn) = opened.turn {
        page.push_str(&block("turn", &turn.to_string()));
    }
    page.push_str(&envelope_body(&opened.envelope, &opened.from));
    for (label, other) in [("answers", &opened.answers), ("answered", &opened.answered_by)] {
        if let Some(other) = other {
            page.push_str(&block(label, &other.to_string()));
        }
    }
    if opened.awaits_response {
        page.push_str(&format!("{to} owes a response.\n"));
    }
    page
}
