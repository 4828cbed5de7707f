//! Two real agents hand over, and a person watches.

use std::time::Duration;

use baton_browser::Wish;
use serde_json::json;

use crate::{
    stage::{Person, play},
    support::{Agent, handoff},
};

/// How soon a page shows what happened.
const SOON: Duration = Duration::from_secs(1);

#[test]
fn a_handover_of_two_agents_is_seen_within_a_second_and_without_a_reload() {
    play(Wish::WIDE, |stage| {
        let (mut ana, mut bo) = (stage.world.agent("ana"), stage.world.agent("bo"));
        let person = &stage.person;
        ana.claim();
        person.goes(&format!("/rooms/{}", ana.room_id));
        sees_holder(person, &ana.id);
        person.marks_the_window();
        // On a machine that is busy with other things it may take longer, but not each time.
        let mut tries = Vec::new();
        for said in ["The lexer is done.", "The parser is done.", "The printer is done."] {
            tries.push(handover(person, &mut ana, &mut bo, said));
            std::mem::swap(&mut ana, &mut bo);
        }
        assert!(tries.iter().any(|took| *took <= SOON), "it took {tries:?}");
        assert!(person.is_in_the_marked_window());
    });
}

/// Has one agent pass the stick to another, and tells how long it took until a person saw who has it.
fn handover(person: &Person, from: &mut Agent, to: &mut Agent, said: &str) -> Duration {
    let passing = from.fenced(json!({ "to_agent_id": to.id, "handoff": handoff(said, "go on") }));
    let took = person.measured(|| {
        from.ok("pass_stick", passing);
        to.claim();
        sees_holder(person, &to.id);
    });
    person.reads("#region-handoff", said);
    person.sees("#region-timeline [data-type=pass]");
    took
}

/// Waits until the room's page says that this agent holds the stick.
fn sees_holder(person: &Person, id: &str) {
    let condition = "(id) => document.querySelector('#region-holder [data-holder]')?.dataset.holder === id";
    person.until(&format!("{id} as the holder"), condition, &[json!(id)]);
}

#[test]
fn who_is_in_whose_way_is_a_row_of_its_own_with_its_json_one_click_behind() {
    play(Wish::WIDE, |stage| {
        let (mut ana, mut bo) = (stage.world.agent("ana"), stage.world.agent("bo"));
        let person = &stage.person;
        person.goes(&format!("/rooms/{}", ana.room_id));
        person.marks_the_window();
        ana.ok("scope", json!({ "op": "reserve", "args": { "scopes": ["src"] } }));
        person.sees("#region-scopes [data-scope]");
        bo.refused("scope", json!({ "op": "reserve", "args": { "scopes": ["src/parser.rs"] } }));
        person.reads("#region-timeline .protocol-row[data-type=INCURSION]", "Incursion");
        assert!(person.is_in_the_marked_window());
        person.clicks("#region-timeline .protocol-row[data-type=INCURSION] a.seq");
        person.reads("pre", "\"incursion_kind\"");
    });
}

#[test]
fn what_somebody_opened_and_where_they_are_stays_when_more_comes() {
    play(Wish::WIDE, |stage| {
        let mut ana = stage.world.agent("ana");
        let person = &stage.person;
        person.goes(&format!("/rooms/{}", ana.room_id));
        person.clicks("#region-members details > summary");
        person.sees("#region-members details[open]");
        person.presses("j");
        person.is_in("[data-row]");
        let place = person.looks("() => document.activeElement.id");
        let _bo = stage.world.agent("bo");
        person.until("two members", "() => all('#region-members li[data-agent]').length === 2", &[]);
        ana.ok("append_note", json!({ "text": "I am at the lexer." }));
        person.reads("#region-notes", "I am at the lexer.");
        person.sees("#region-members details[open]");
        assert_eq!(person.looks("() => document.activeElement.id"), place);
        person.sees(".row-marked");
    });
}
