use serde_json::{Value, json};

use super::*;
use crate::{
    code::ErrorCode,
    event::{self, Recorded},
    ids::{AgentId, Seq},
    inbox::Item,
    lease::Fence,
    limits,
    part::Rows,
    policy::Edges,
    time::Timestamp,
};

/// The contract's example, with references that have a form.
const CONTRACT: &str = r#"{
  "kind": "handoff",
  "id": "payload-uuid",
  "fromNodeId": "node-a",
  "toNodeId": "node-b",
  "createdAt": "2026-01-01T00:00:00Z",
  "payload": {
    "message": "Short human-readable summary",
    "structured": { "key": "value" },
    "artifacts": [
      { "type": "diff", "ref": "artifact://diff/123" },
      { "type": "log", "ref": "artifact://log/456" }
    ],
    "status": { "ok": true, "reason": "tests-pass" },
    "response": { "expectation": "optional", "replyTo": "node-a" }
  },
  "contextRef": "contextpack://pack/789",
  "meta": { "priority": "normal" }
}"#;

fn contract() -> Value {
    serde_json::from_str(CONTRACT).unwrap()
}

fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

fn party(name: &str) -> Party {
    Party { agent_id: agent(name), name: name.to_owned() }
}

fn ends(from: &str, to: &str) -> Ends {
    Ends { from: party(from), to: party(to), reply_to: None, sender_kind: None }
}

fn now() -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000)
}

/// The contract's example after `change`, as it is refused.
fn refused(change: impl FnOnce(&mut Value)) -> (ErrorCode, String, String) {
    let mut value = contract();
    change(&mut value);
    let refusal = Draft::read(&value).and_then(|draft| draft.check()).unwrap_err();
    let Refusal::Invalid { field, .. } = &refusal else { panic!("{refusal}") };
    (refusal.code(), field.clone(), refusal.to_string())
}

fn said(from: &str, to: &str, message: &str) -> Draft {
    let id = format!("{from}-{to}-{}", message.len());
    let mut value = json!({
        "kind": "handoff", "fromNodeId": from, "toNodeId": to, "createdAt": "2026-01-01T00:00:00Z",
        "payload": { "message": message }
    });
    value["id"] = id.into();
    Draft::read(&value).unwrap()
}

fn asking(from: &str, to: &str, message: &str) -> Draft {
    let mut draft = said(from, to, message);
    draft.payload.response = Some(Response { expectation: Expectation::Required, reply_to: None });
    draft
}

fn replying(draft: Draft, to: &str) -> Draft {
    Draft { meta: [("inReplyTo".to_owned(), to.into())].into_iter().collect(), ..draft }
}

/// A room's envelopes and inbox, folded from what is decided.
#[derive(Default)]
struct Post {
    posted: Rows<Posted>,
    edges: Rows<Edge>,
    inbox: Rows<Item>,
    sent: Vec<(Seq, Envelope)>,
    policy: Option<Edges>,
    seq: u64,
}

impl Post {
    fn record(&mut self, actor: &str, event: Event) -> Seq {
        self.seq += 1;
        let recorded = Recorded {
            overridden: false,
            room_id: "room_1".parse().unwrap(),
            seq: Seq(self.seq),
            at: now(),
            actor: agent(actor),
            turn: Fence(0),
            event: event::Event::Envelope(event),
        };
        let text = recorded.event.payload().unwrap();
        assert_eq!(event::Event::read(recorded.event.kind(), &text).unwrap(), recorded.event);
        self.posted.apply(&recorded);
        self.edges.apply(&recorded);
        self.inbox.apply(&recorded);
        recorded.seq
    }

    fn decide(&self, draft: &Draft, ends: &Ends) -> Result<Sending, Refusal> {
        let owes = |posted: &&Posted| {
            posted.is_owed() && posted.recipient == ends.from.agent_id && posted.reply_to == ends.to.agent_id
        };
        let known = Known {
            policy: self.policy.unwrap_or(Edges::Mesh),
            edges: &self.edges,
            named: draft.in_reply_to().and_then(|id| self.posted.iter().find(|posted| posted.id == id)),
            oldest: self.posted.iter().find(owes),
            before: self.sent.iter().find(|(_, sent)| sent.id == draft.id).map(|(seq, sent)| (*seq, sent)),
            name: &|agent| agent.to_string(),
        };
        draft.send(now(), ends, &known)
    }

    fn send(&mut self, draft: &Draft) -> Result<Seq, Refusal> {
        let ends = ends(draft.from.as_deref().unwrap(), &draft.to);
        match self.decide(draft, &ends)? {
            Sending::Again(seq) => Ok(seq),
            Sending::New(sent) => {
                let envelope = (*sent.envelope).clone();
                let seq = self.record(ends.from.name.as_str(), Event::Sent(sent));
                self.sent.push((seq, envelope));
                Ok(seq)
            }
        }
    }

    fn owed(&self) -> Vec<Seq> {
        self.posted.iter().filter(|posted| posted.is_owed()).map(|posted| posted.seq).collect()
    }

    fn edge(&mut self, from: &str, to: &str, both_ways: bool) {
        if let Some(event) = self.edges.add_edge(&party(from), &party(to), both_ways).unwrap() {
            self.record("human:x", event);
        }
    }
}

#[test]
fn the_contracts_envelope_comes_back_byte_for_byte() {
    let draft = Draft::read(&contract()).unwrap();
    draft.check().unwrap();
    let ends = Ends { reply_to: Some(party("node-a")), ..ends("node-a", "node-b") };
    let envelope = draft.seal(&ends, Timestamp::from_millis(5)).unwrap();
    assert_eq!(serde_json::to_string(&envelope).unwrap(), contract().to_string(), "in the order of the contract");
    let stored: Envelope = serde_json::from_str(CONTRACT).unwrap();
    assert_eq!(stored, envelope);
    let refs: Vec<String> = draft.references().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(refs, ["artifact://diff/123", "artifact://log/456", "contextpack://pack/789"]);
}

#[test]
fn a_time_is_told_as_it_was_written_and_else_without_empty_milliseconds() {
    for written in ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00.5+01:00"] {
        let moment: Moment = written.parse().unwrap();
        assert_eq!(serde_json::to_value(&moment).unwrap(), json!(written));
    }
    assert_eq!(Moment::from(now()).to_string(), "2026-01-01T00:00:00Z");
    assert_eq!(Moment::from(Timestamp::from_millis(1_767_225_600_250)).to_string(), "2026-01-01T00:00:00.250Z");
    assert_eq!("2026-01-01T01:00:00+01:00".parse::<Moment>().unwrap().at(), now());
}

#[test]
fn each_required_field_that_is_missing_has_its_own_refusal() {
    let told = |path: &'static str| {
        let (code, field, message) = refused(|value| {
            let (parent, field) = path.rsplit_once('/').unwrap();
            value.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(field);
        });
        assert_eq!(code, ErrorCode::InvalidEnvelope);
        assert!(message.starts_with(&format!("{field} is required: it ")), "{message}");
        field
    };
    let paths = ["/kind", "/id", "/fromNodeId", "/toNodeId", "/createdAt", "/payload", "/payload/message"];
    let fields = ["kind", "id", "fromNodeId", "toNodeId", "createdAt", "payload", "payload.message"];
    assert_eq!(paths.map(told), fields);
    // Null is not there, and a blank says nothing.
    for empty in [json!(null), json!(" ")] {
        for (path, field) in paths.into_iter().zip(fields).filter(|(path, _)| *path != "/payload") {
            let (_, named, _) = refused(|value| *value.pointer_mut(path).unwrap() = empty.clone());
            assert_eq!(named, field);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_by_its_field() {
    let put = |path: &str, wrong: Value| {
        let (code, field, message) = refused(|value| {
            let (parent, field) = path.rsplit_once('/').unwrap();
            value.pointer_mut(parent).unwrap()[field] = wrong.clone();
        });
        assert_eq!(code, ErrorCode::InvalidEnvelope);
        assert!(message.starts_with(&field), "{message}");
        field
    };
    let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
    let many: Vec<Value> = (0..33).map(|_| json!({ "type": "link", "ref": "LINK: https://example.org" })).collect();
    for (path, wrong, field) in [
        ("/kind", json!("order"), "kind"),
        ("/kind", json!(3), "kind"),
        ("/id", json!("two words"), "id"),
        ("/createdAt", json!("yesterday"), "createdAt"),
        ("/payload", json!("text"), "payload"),
        ("/extra", json!(1), "extra"),
        ("/payload/extra", json!(1), "payload.extra"),
        ("/payload/message", json!("x".repeat(limits::ENVELOPE_MESSAGE_BYTES + 1)), "payload.message"),
        ("/payload/structured", json!("x".repeat(limits::ENVELOPE_STRUCTURED_BYTES)), "payload.structured"),
        ("/payload/structured", deep, "payload.structured"),
        ("/payload/artifacts", json!({}), "payload.artifacts"),
        ("/payload/artifacts", json!(many), "payload.artifacts"),
        ("/payload/artifacts", json!([{ "type": "diff" }]), "payload.artifacts[0].ref"),
        ("/payload/artifacts", json!([{ "ref": "artifact://diff/1" }]), "payload.artifacts[0].type"),
        ("/payload/artifacts", json!([{ "type": "log", "ref": "artifact://diff/1" }]), "payload.artifacts[0].type"),
        ("/payload/artifacts", json!([{ "type": "diff", "ref": "/etc/passwd" }]), "payload.artifacts[0].ref"),
        ("/payload/artifacts", json!([{ "type": "diff", "ref": "TASK-001", "x": 1 }]), "payload.artifacts[0].x"),
        ("/payload/status", json!({ "reason": "because" }), "payload.status.ok"),
        ("/payload/status", json!({ "ok": "yes" }), "payload.status.ok"),
        ("/payload/response", json!({ "replyTo": "node-a" }), "payload.response.expectation"),
        ("/payload/response", json!({ "expectation": "soon" }), "payload.response.expectation"),
        ("/contextRef", json!("artifact://diff/1"), "contextRef"),
        ("/meta", json!([]), "meta"),
        ("/meta", json!({ "priority": "urgent" }), "meta.priority"),
        ("/meta", json!({ "inReplyTo": "two words" }), "meta.inReplyTo"),
        ("/meta", json!({ "note": "x".repeat(limits::ENVELOPE_META_BYTES) }), "meta"),
    ] {
        assert_eq!(put(path, wrong.clone()), field, "{path} {wrong}");
    }
}

#[test]
fn an_envelope_in_all_has_a_bound_too() {
    let mut draft = said("ana", "bo", "much");
    draft.payload.structured = Some(json!("x".repeat(limits::ENVELOPE_STRUCTURED_BYTES - 2)));
    let long = format!("LINK: https://example.org/{}", "x".repeat(200));
    draft.payload.artifacts = vec![Attachment { kind: "y".repeat(60), reference: long }; limits::ENVELOPE_ARTIFACTS];
    draft.payload.message = format!("a{}", "\u{1}".repeat(limits::ENVELOPE_MESSAGE_BYTES - 1));
    draft.check().unwrap();
    let refusal = draft.seal(&ends("ana", "bo"), now()).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::InvalidEnvelope);
}

#[test]
fn who_gave_the_parts_is_told_of_the_parts() {
    for (field, part) in [
        ("payload.message", "message"),
        ("payload.artifacts[2].ref", "artifacts[2].ref"),
        ("payload.response.expectation", "response"),
        ("payload.response.replyTo", "reply_to"),
        ("contextRef", "context_ref"),
        ("toNodeId", "to"),
        ("meta.priority", "meta.priority"),
    ] {
        assert_eq!(part_of(field), part);
    }
}

#[test]
fn secrets_are_taken_out_before_it_is_sealed() {
    let key: String = "ghp_".chars().chain("a1B2c3D4".chars().cycle().take(24)).collect();
    let mut draft = said("ana", "bo", &format!("log in with {key}"));
    draft.payload.structured = Some(json!({ "password": "hunter2!", "list": [key] }));
    draft.payload.status = Some(Verdict { ok: false, reason: Some(format!("Bearer {key}")) });
    draft.meta.insert("note".to_owned(), key.clone().into());
    let envelope = draft.seal(&ends("ana", "bo"), now()).unwrap();
    let text = serde_json::to_string(&envelope).unwrap();
    assert!(!text.contains(&key) && !text.contains("hunter2"), "{text}");
    assert_eq!(
        envelope.payload.structured,
        Some(json!({ "password": "[redacted:password]", "list": ["[redacted:github]"] }))
    );
}

#[test]
fn an_envelope_is_its_senders_own() {
    let post = Post::default();
    let refusal = post.decide(&said("ana", "cy", "hello"), &ends("bo", "cy")).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::SourceMismatch);
    assert!(refusal.to_string().contains("bo"), "{refusal}");
}

#[test]
fn the_same_envelope_again_is_the_same_and_other_content_is_not() {
    let mut post = Post::default();
    let first = said("ana", "bo", "hello");
    let seq = post.send(&first).unwrap();
    assert_eq!(post.send(&first), Ok(seq));
    assert_eq!(post.send(&Draft { created_at: None, ..first.clone() }), Ok(seq), "when is not said again");
    let mut other = first.clone();
    other.payload.message = "howdy".to_owned();
    assert_eq!(post.send(&other).unwrap_err().code(), ErrorCode::Conflict);
    let later = Draft { created_at: Some("2026-01-02T00:00:00Z".parse().unwrap()), ..first.clone() };
    assert_eq!(post.send(&later).unwrap_err().code(), ErrorCode::Conflict);
    let stranger = Draft { from: Some("cy".to_owned()), ..first };
    assert_eq!(post.send(&stranger).unwrap_err().code(), ErrorCode::Conflict, "somebody else has the id");
    assert_eq!((post.posted.iter().count(), post.inbox.iter().count()), (1, 1));
}

#[test]
fn an_item_of_each_envelope_lies_with_its_recipient_in_order() {
    let mut post = Post::default();
    for (from, message) in [("ana", "1"), ("cy", "22"), ("ana", "333"), ("cy", "4444")] {
        post.send(&said(from, "bo", message)).unwrap();
    }
    let mut signal = asking("ana", "bo", "55555");
    signal.kind = EnvelopeKind::Signal;
    post.send(&signal).unwrap();
    let told: Vec<_> = post
        .inbox
        .iter()
        .map(|item| (item.message.0, item.sender.as_str(), item.category.as_str(), item.requires_ack))
        .collect();
    let handoff = "HANDOFF";
    assert_eq!(
        told,
        [
            (1, "ana", handoff, false),
            (2, "cy", handoff, false),
            (3, "ana", handoff, false),
            (4, "cy", handoff, false),
            (5, "ana", "SIGNAL", true)
        ]
    );
}

#[test]
fn what_is_owed_is_answered_by_name_or_oldest_first() {
    let mut post = Post::default();
    let first = post.send(&asking("ana", "bo", "1")).unwrap();
    let second = post.send(&asking("ana", "bo", "22")).unwrap();
    let third = post.send(&asking("ana", "bo", "333")).unwrap();
    post.send(&said("bo", "cy", "aside")).unwrap();
    assert_eq!(post.owed(), [first, second, third], "what goes elsewhere answers nothing");
    post.send(&replying(said("bo", "ana", "4444"), "ana-bo-3")).unwrap();
    assert_eq!(post.owed(), [first, second]);
    post.send(&said("bo", "ana", "55555")).unwrap();
    assert_eq!(post.owed(), [second]);
    post.send(&replying(said("bo", "ana", "666666"), "ana-bo-3")).unwrap();
    assert_eq!(post.owed(), [second], "it was answered before, and answers nothing else");
    let refusal = post.send(&replying(said("bo", "ana", "7777777"), "never")).unwrap_err();
    assert!(refusal.to_string().starts_with("meta.inReplyTo names"), "{refusal}");
}

#[test]
fn a_response_goes_to_who_was_named_for_it() {
    let mut post = Post::default();
    let asked = asking("ana", "bo", "1");
    let there = Ends { reply_to: Some(party("cy")), ..ends("ana", "bo") };
    let Sending::New(sent) = post.decide(&asked, &there).unwrap() else { panic!("it is new") };
    let seq = post.record("ana", Event::Sent(sent));
    post.send(&said("bo", "ana", "done")).unwrap();
    assert_eq!(post.owed(), [seq]);
    post.send(&said("bo", "cy", "done")).unwrap();
    assert_eq!(post.owed(), []);
    let unasked = Draft { reply_to: Some("cy".to_owned()), ..said("ana", "bo", "22") };
    assert!(matches!(unasked.check(), Err(Refusal::Invalid { field, .. }) if field == "payload.response.replyTo"));
}

#[test]
fn where_edges_are_asked_for_envelopes_go_along_them() {
    let mut post = Post { policy: Some(Edges::Explicit), ..Post::default() };
    let refusal = post.send(&said("ana", "bo", "1")).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::NoEdge);
    assert_eq!(
        refusal.next().unwrap(),
        "You may write to nobody yet; an operator adds an edge with `baton edge add ana bo`."
    );
    post.edge("ana", "bo", false);
    post.edge("cy", "ana", true);
    post.send(&said("ana", "bo", "1")).unwrap();
    post.send(&said("ana", "cy", "1")).unwrap();
    assert_eq!(post.send(&said("bo", "ana", "1")).unwrap_err().code(), ErrorCode::NoEdge, "it leads one way");
    let refusal = post.send(&said("ana", "dee", "1")).unwrap_err();
    assert!(matches!(refusal, Refusal::NoEdge { may_write_to, .. } if may_write_to == ["bo", "cy"]));
}

#[test]
fn who_asks_opens_the_way_back_for_one_answer() {
    let mut post = Post { policy: Some(Edges::Explicit), ..Post::default() };
    post.edge("ana", "bo", false);
    post.send(&asking("ana", "bo", "1")).unwrap();
    post.send(&said("bo", "ana", "22")).unwrap();
    assert_eq!(post.send(&said("bo", "ana", "333")).unwrap_err().code(), ErrorCode::NoEdge);
    // Nobody opens a way between others.
    let there = Ends { reply_to: Some(party("cy")), ..ends("ana", "bo") };
    let refusal = post.decide(&asking("ana", "bo", "4444"), &there).unwrap_err();
    assert!(matches!(refusal, Refusal::NoEdge { field: "payload.response.replyTo", .. }), "{refusal}");
}

#[test]
fn edges_are_set_once_and_removed_one_way_at_a_time() {
    let mut post = Post::default();
    let told = |post: &Post| -> Vec<String> {
        let arrow = |edge: &Edge| format!("{}{}{}", edge.from, if edge.both_ways { "<->" } else { "->" }, edge.to);
        post.edges.iter().map(arrow).collect()
    };
    post.edge("ana", "bo", true);
    assert_eq!(post.edges.add_edge(&party("bo"), &party("ana"), false), Ok(None), "it leads there already");
    post.edge("bo", "cy", false);
    post.edge("bo", "cy", true);
    assert_eq!(told(&post), ["ana<->bo", "bo<->cy"]);
    for event in post.edges.remove_edge(&party("bo"), &party("ana")).unwrap() {
        post.record("human:x", event);
    }
    assert!(post.edges.leads(&agent("ana"), &agent("bo")) && !post.edges.leads(&agent("bo"), &agent("ana")));
    for event in post.edges.remove_edge(&party("bo"), &party("cy")).unwrap() {
        post.record("human:x", event);
    }
    assert!(post.edges.leads(&agent("cy"), &agent("bo")) && !post.edges.leads(&agent("bo"), &agent("cy")));
    let refusal = post.edges.remove_edge(&party("ana"), &party("cy")).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::UnknownId);
    assert!(post.edges.add_edge(&party("ana"), &party("ana"), false).is_err());
}

#[test]
fn what_is_owed_and_edges_go_on_with_an_identity() {
    let mut post = Post { policy: Some(Edges::Explicit), ..Post::default() };
    post.edge("ana", "bo", true);
    post.edge("bo", "dee", false);
    let owed = post.send(&asking("ana", "bo", "1")).unwrap();
    let awaited = post.send(&asking("bo", "dee", "22")).unwrap();
    post.record("dee", Event::Forwarded(Forwarded { from: agent("bo"), to: agent("cy") }));
    assert_eq!(post.owed(), [owed, awaited]);
    post.send(&said("dee", "cy", "done")).unwrap();
    assert_eq!(post.owed(), [owed]);
    post.send(&said("cy", "ana", "done")).unwrap();
    assert_eq!(post.owed(), []);
    assert_eq!(post.send(&said("bo", "ana", "more")).unwrap_err().code(), ErrorCode::NoEdge);
}
