//! Every kind of event about scopes, tasks, inboxes and identities is read back from the log as it was written, on every
//! engine, with all that it can carry and with as little as it may.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::collections::BTreeSet;

use baton_core::{
    agent::{Presence, ResumeReason},
    event::Event,
    ids::{BeadId, Seq},
    inbox::{self, Accepted, Category, Delivered, Forwarded, Payload, Recipient, Seen, Sent, Urgency},
    policy::Wake,
    process::{Liveness, Proof, SessionKind},
    room::{self, Joined, Registered, Rested, Resumed, WakeChosen},
    scope::{self, Displaced, Edited, Expired, Incursion, Overlap, Released, Reserved, Transferred},
    task::{self, Assigned, Created, Done, Focused, Started, TaskId},
    tree::{FileState, Files},
};
use baton_testkit::rows::{ODD, agent, assert_events_are_read_back, at, process};

fn bead() -> BeadId {
    "bb-u6f.6.3".parse().unwrap()
}

/// Every kind of event about scopes, with all that it can carry and with as little as it may.
fn scope_events() -> Vec<Event> {
    let displaced = Displaced {
        reservation: Seq(3),
        owner: agent("bo"),
        owner_name: "amber-otter".to_owned(),
        scope: ODD.to_owned(),
        liveness: Presence::Evicted,
        process: Liveness::Gone(Proof::Rebooted),
    };
    let reserved = Reserved {
        owner: agent("ana"),
        scope: ODD.to_owned(),
        expires_at: at(9),
        bead_id: Some(bead()),
        renews: Some(Seq(u64::MAX)),
        displaced: vec![
            displaced.clone(),
            Displaced { liveness: Presence::Stale, process: Liveness::Unknown, ..displaced },
        ],
    };
    let bare = Reserved { bead_id: None, renews: None, displaced: Vec::new(), ..reserved.clone() };
    let incursion = Incursion {
        incursion_kind: Overlap::Partial,
        incoming: agent("ana"),
        incoming_agent: "cobalt-harbor".to_owned(),
        incoming_scope: ODD.to_owned(),
        owner: agent("bo"),
        owner_agent: "amber-otter".to_owned(),
        owner_scope: "src/*".to_owned(),
        reservation: Seq(3),
        owner_liveness: Presence::Active,
        owner_process: Liveness::Alive,
        resolution_hint: format!("baton scope reserve '{ODD}'"),
        bead_id: None,
    };
    let unknown = Edited {
        by: None,
        by_agent: None,
        files: Files::default(),
        more: 0,
        head_before: None,
        head_now: Some("1f".repeat(20)),
        since: None,
        owner: None,
        owner_agent: None,
        owner_liveness: Presence::Evicted,
    };
    let edited = Edited {
        by: Some(agent("ana")),
        by_agent: Some("cobalt-harbor".to_owned()),
        files: Files([(ODD.to_owned(), FileState::content(b"1"))].into()),
        more: 3,
        since: Some(Seq(3)),
        owner: Some(agent("bo")),
        owner_agent: Some("amber-otter".to_owned()),
        owner_liveness: Presence::Active,
        ..unknown.clone()
    };
    let events = [
        scope::Event::Reserved(reserved),
        scope::Event::Reserved(bare),
        scope::Event::Released(Released { reservation: Seq(3), owner: agent("ana"), scope: ODD.to_owned() }),
        scope::Event::Expired(Expired {
            reservation: Seq(3),
            owner: agent("bo"),
            scope: ".".to_owned(),
            expired_at: at(-5),
        }),
        scope::Event::Transferred(Transferred {
            reservation: Seq(3),
            scope: ODD.to_owned(),
            from: agent("bo"),
            to: agent("ana"),
        }),
        scope::Event::Incursion(Incursion {
            incursion_kind: Overlap::Exact,
            bead_id: Some(bead()),
            ..incursion.clone()
        }),
        scope::Event::Incursion(incursion),
        scope::Event::Edited(unknown),
        scope::Event::Edited(edited),
    ];
    events.map(Event::from).into()
}

/// Every kind of event about tasks.
fn task_events() -> Vec<Event> {
    let created = Created {
        task: TaskId(7),
        title: ODD.to_owned(),
        scopes: vec!["src".to_owned()],
        assignee: Some(agent("bo")),
        definition_of_done: Some(ODD.to_owned()),
        verification: vec![ODD.to_owned()],
    };
    let started = Started { task: TaskId(7), assignee: agent("bo"), scopes: vec![ODD.to_owned()] };
    let events = [
        task::Event::Created(Created {
            scopes: Vec::new(),
            assignee: None,
            definition_of_done: None,
            verification: Vec::new(),
            ..created.clone()
        }),
        task::Event::Created(created),
        task::Event::Started(Started { scopes: Vec::new(), ..started.clone() }),
        task::Event::Started(started),
        task::Event::Done(Done { task: TaskId(1_000) }),
        task::Event::Assigned(Assigned { task: TaskId(7), from: Some(agent("bo")), to: None }),
        task::Event::Assigned(Assigned { task: TaskId(7), from: None, to: Some(agent("ana")) }),
        task::Event::Focused(Focused { task: Some(TaskId(7)) }),
        task::Event::Focused(Focused { task: None }),
    ];
    events.map(Event::from).into()
}

/// Every kind of event about messages and inboxes: each category has its own payload.
fn inbox_events() -> Vec<Event> {
    let text = || ODD.to_owned();
    let handoff = Payload::Handoff { subject: text(), summary: text(), next_action: text(), requires_ack: true };
    let blocked = |urgency| Payload::Blocked {
        subject: text(),
        blocker: text(),
        requested_action: text(),
        urgency,
        requires_ack: true,
    };
    let words = |requires_ack| Payload::Text { subject: text(), body: text(), requires_ack };
    let sent = |category, payload| {
        inbox::Event::Sent(Sent {
            category,
            from_agent: "amber-otter".to_owned(),
            sender_kind: (category == Category::Handoff).then_some(SessionKind::HumanGuardian),
            to_agent: "role:reviewer".to_owned(),
            recipients: vec![
                Recipient { agent_id: agent("bo"), name: "cobalt-harbor".to_owned(), wakes: true },
                Recipient { agent_id: agent("cy"), name: "jade-fox".to_owned(), wakes: false },
            ],
            bead_id: (category == Category::Handoff).then(bead),
            scope: (category == Category::Blocked).then(text),
            payload,
        })
    };
    let accepted = Accepted { item: Seq(4), sender: agent("ana"), note: Some(text()) };
    let events = [
        sent(Category::Handoff, handoff),
        sent(Category::Blocked, blocked(Urgency::Low)),
        sent(Category::Blocked, blocked(Urgency::High)),
        sent(Category::Decision, words(true)),
        sent(Category::Info, words(false)),
        inbox::Event::Delivered(Delivered { items: vec![Seq(4), Seq(u64::MAX)] }),
        inbox::Event::Seen(Seen { item: Seq(4), sender: agent("ana"), turn: None }),
        inbox::Event::Accepted(Accepted { note: None, ..accepted.clone() }),
        inbox::Event::Accepted(accepted),
        inbox::Event::Forwarded(Forwarded { items: vec![Seq(4)], from: agent("bo"), to: agent("cy") }),
    ];
    events.map(Event::from).into()
}

/// Every kind of event about identities.
fn identity_events() -> Vec<Event> {
    let role = || Some("reviewer".parse().unwrap());
    let joined = Joined {
        added_by: None,
        parallel_to: None,
        agent_id: agent("ana"),
        display_name: "amber-otter".to_owned(),
        role: role(),
        session_kind: SessionKind::McpHarness,
        process: Some(process()),
        rejoin: true,
        agent_id_override: true,
        keeps_turn: true,
    };
    let registered = Registered {
        agent_id: agent("ana"),
        display_name: "cobalt-harbor".to_owned(),
        role: role(),
        previous_name: "amber-otter".to_owned(),
    };
    let resumed = Resumed {
        added_by: None,
        parallel_to: None,
        agent_id: agent("ana"),
        joins: true,
        session_kind: SessionKind::Human,
        process: Some(process()),
        agent_id_override: true,
        adopted_agent: "amber-otter".to_owned(),
        role: role(),
        prior_session_agent: agent("bo"),
        prior_stays_as: Some("jade-fox".to_owned()),
        resume_reason: ResumeReason::UncommittedScope,
        evidence: ODD.to_owned(),
        bead_ids: vec![bead(), TaskId(7).bead_id()],
        scopes: vec![ODD.to_owned()],
        prior_presence: Presence::Evicted,
        prior_liveness: Liveness::Gone(Proof::Zombie),
    };
    let bare = Resumed {
        joins: false,
        process: None,
        agent_id_override: false,
        role: None,
        prior_stays_as: None,
        bead_ids: Vec::new(),
        scopes: Vec::new(),
        ..resumed.clone()
    };
    let rested =
        Rested { agent_id: agent("ana"), until: at(8), reserved_for: None, claim_expires_at: None, proof: None };
    let events = [
        room::Event::Joined(joined),
        room::Event::Registered(Registered { role: None, ..registered.clone() }),
        room::Event::Registered(registered),
        room::Event::WakeChosen(WakeChosen { agent_id: agent("ana"), wake: Some(Wake::Messages) }),
        room::Event::WakeChosen(WakeChosen { agent_id: agent("ana"), wake: None }),
        room::Event::Rested(Rested { proof: Some(Proof::Zombie), ..rested.clone() }),
        room::Event::Rested(Rested { reserved_for: Some(agent("bo")), claim_expires_at: Some(at(9)), ..rested }),
        room::Event::Resumed(resumed),
        room::Event::Resumed(Resumed { resume_reason: ResumeReason::InProgressOwnership, ..bare.clone() }),
        room::Event::Resumed(Resumed { resume_reason: ResumeReason::ConfirmedByPerson, ..bare }),
    ];
    events.map(Event::from).into()
}

#[test]
fn every_kind_of_event_about_scopes_tasks_inboxes_and_identities_is_read_back_as_it_was_written() {
    let events = [scope_events(), task_events(), inbox_events(), identity_events()].concat();
    let kinds: BTreeSet<&str> = events.iter().map(Event::kind).collect();
    let all = [
        "agent.register agent.resume agent.wake member.join member.rest",
        "scope.reserve scope.release scope.expire scope.transfer scope.incursion scope.edit",
        "task.create task.start task.done task.assign task.focus",
        "message.send inbox.deliver inbox.see inbox.accept inbox.forward",
    ];
    assert_eq!(kinds, all.iter().flat_map(|kinds| kinds.split(' ')).collect());
    assert_events_are_read_back(&events);
}
