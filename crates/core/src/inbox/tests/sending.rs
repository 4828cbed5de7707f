//! Who gets a message, and whom it wakes.

use super::{agent, handoff, recorded};
use crate::{
    code::ErrorCode,
    event::Concern,
    ids::Role,
    inbox::{Address, Category, Event, Message, Refusal, Sent},
    policy::Policy,
    process::SessionKind,
    room::{Actor, Call, Created, NewIdentity, Room, tests::action::Action},
};

fn actor(name: &str) -> Actor {
    let session_kind = if name.starts_with("human") { SessionKind::Human } else { SessionKind::McpHarness };
    Actor::found(agent(name), None, session_kind)
}

fn nobody_dies(_: &crate::process::ProcessIdentity) -> crate::process::Liveness {
    crate::process::Liveness::Unknown
}

fn act(room: &mut Room, by: &str, action: Action) {
    let (by, now) = (actor(by), room.updated_at);
    let call = Call { now, by: &by, witness: &nobody_dies };
    let event = action.decide(room, call).unwrap().unwrap();
    let recorded = room.record(now, by.agent_id, event);
    room.apply(&recorded);
}

/// codex, two reviewers and a person; each is called as its id says.
fn room() -> Room {
    let created = Created { canonical_path: None, name: None, earlier_events: 0, policy: Policy::default() };
    let mut room = Room::open(&recorded(1, "codex", crate::room::Event::Created(created))).unwrap();
    for (who, name, role) in [
        ("codex:1", "codex", None),
        ("claude:1", "claude", Some("reviewer")),
        ("gemini:1", "gemini", Some("reviewer")),
        ("human:1", "ana", None),
    ] {
        let role = role.map(|role: &str| role.parse::<Role>().unwrap());
        let identity = NewIdentity { name: name.parse().ok(), role, former: Vec::new() };
        act(&mut room, who, Action::Join { identity });
    }
    room
}

fn send(room: &Room, by: &str, to: &str) -> Result<Sent, Refusal> {
    let message = Message {
        to: Address::parse(to).unwrap(),
        category: Category::Handoff,
        payload: handoff().check(Category::Handoff).unwrap(),
        bead_id: None,
        scope: None,
    };
    message.send(room, &actor(by)).map(|event| match event {
        Event::Sent(sent) => sent,
        other => panic!("{other:?}"),
    })
}

/// Who gets it; whoever is woken has a `!`.
fn reached(room: &Room, by: &str, to: &str) -> String {
    let sent = send(room, by, to).unwrap();
    let shown =
        |recipient: &crate::inbox::Recipient| format!("{}{}", recipient.name, if recipient.wakes { "!" } else { "" });
    sent.recipients.iter().map(shown).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_message_goes_to_an_agent_by_name_or_id_to_a_role_or_to_everybody_else() {
    let room = room();
    assert_eq!(reached(&room, "codex:1", "claude"), "claude!");
    assert_eq!(reached(&room, "codex:1", "claude:1"), "claude!");
    assert_eq!(send(&room, "codex:1", "claude:1").unwrap().to_agent, "claude", "the persona, however it was named");
    assert_eq!(reached(&room, "codex:1", "role:reviewer"), "claude! gemini!");
    assert_eq!(reached(&room, "claude:1", "role:reviewer"), "gemini!", "a sender never gets its own message");
    assert_eq!(reached(&room, "claude:1", "broadcast"), "codex gemini ana");
    let sent = send(&room, "claude:1", "broadcast").unwrap();
    assert_eq!((&*sent.from_agent, &*sent.to_agent), ("claude", "broadcast"));
    assert_eq!(sent.items(&recorded(9, "claude:1", Event::Sent(sent.clone()))).len(), 3, "one item per recipient");
}

#[test]
fn what_an_agent_tells_everybody_wakes_only_who_holds_the_stick_and_a_persons_word_wakes_all() {
    let mut room = room();
    let concerns = |room: &Room, by: &str, to: &str| match Event::Sent(send(room, by, to).unwrap()).concerns() {
        Concern::Nobody => "nobody".to_owned(),
        Concern::One(agent) => agent.to_string(),
        Concern::Everyone => "everyone".to_owned(),
    };
    assert_eq!(reached(&room, "codex:1", "broadcast"), "claude gemini ana");
    assert_eq!(concerns(&room, "codex:1", "broadcast"), "nobody");
    assert_eq!(reached(&room, "human:1", "broadcast"), "codex! claude! gemini!");
    assert_eq!(concerns(&room, "human:1", "broadcast"), "everyone");
    act(&mut room, "gemini:1", Action::Claim { lease_id: "lease_1".parse().unwrap() });
    assert_eq!(reached(&room, "codex:1", "broadcast"), "claude gemini! ana");
    assert_eq!(concerns(&room, "codex:1", "broadcast"), "gemini:1");
    assert_eq!(concerns(&room, "codex:1", "role:reviewer"), "everyone");
}

#[test]
fn a_message_to_nobody_is_refused_and_says_who_there_is() {
    let room = room();
    for (by, to, why) in [
        ("codex:1", "grok", "grok: no agent of this room has that name or id."),
        ("codex:1", "codex", "codex: that is you."),
        ("codex:1", "codex:1", "codex:1: that is you."),
        ("codex:1", "role:tester", "role:tester: nobody else here has that role."),
    ] {
        let refusal = send(&room, by, to).unwrap_err();
        assert_eq!((refusal.code(), &*refusal.to_string()), (ErrorCode::UnknownRecipient, why));
        let Refusal::UnknownRecipient { agents, .. } = refusal else { panic!("{refusal}") };
        assert_eq!(agents, ["claude", "gemini", "ana"]);
    }
    let mut alone = room;
    for who in ["claude:1", "gemini:1", "human:1"] {
        act(&mut alone, who, Action::Leave);
    }
    assert_eq!(send(&alone, "codex:1", "broadcast").unwrap_err().to_string(), "broadcast: nobody else is here.");
}

#[test]
fn only_an_agent_of_the_room_sends() {
    let refusal = send(&room(), "grok:1", "codex").unwrap_err();
    assert_eq!(refusal, Refusal::UnknownSender { agent_id: agent("grok:1") });
    assert_eq!(refusal.code(), ErrorCode::UnknownSender);
}

#[test]
fn an_address_with_a_role_that_is_none_is_not_an_agent() {
    assert_eq!(Address::parse("role:reviewer"), Ok(Address::Role("reviewer".parse().unwrap())));
    assert_eq!(Address::parse("broadcast"), Ok(Address::Broadcast));
    assert_eq!(Address::parse("Broadcast"), Ok(Address::Agent("Broadcast".to_owned())));
    for bad in ["role:", "role:Reviewer", "role:a--b"] {
        assert!(Address::parse(bad).is_err(), "{bad}");
    }
}
