//! What needs a person, and what they do about it.

use baton_browser::{Scripts, Wish, key};
use serde_json::{Value, json};

use crate::{
    stage::play,
    support::{Agent, World},
};

const QUESTION: &str = "#region-needs article[data-need=question]";
const APPROVAL: &str = "#region-needs article[data-need=approval]";

#[test]
fn a_question_is_answered_on_the_page_and_the_agent_that_waits_hears_it() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        let mut ana = stage.world.agent("ana");
        person.reads("#region-needs", "Nothing needs you");
        person.marks_the_window();
        let job = ana.asks("Tabs or spaces?");
        let waiting = ana.waits_for_word_on(&job);
        person.reads(QUESTION, "Tabs or spaces?");
        person.reads("nav a[href='/'] .count", "1");
        person.types_into(&format!("{QUESTION} input[name=message]"), "Tabs.");
        person.clicks(&format!("{QUESTION} form button"));
        assert_eq!(ana.hears(waiting), ["Tabs."]);
        person.reads("#flash", &format!("Answered {job}."));
        person.points_at("h1");
        person.sees_no(QUESTION);
        person.reads("#region-needs", "Nothing needs you");
        assert!(person.is_in_the_marked_window());
    });
}

#[test]
fn the_same_with_the_keyboard_alone() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        let mut ana = stage.world.agent("ana");
        let first = ana.asks("Tabs or spaces?");
        let second = ana.asks("Which of the two?");
        let waiting = ana.waits_for_word_on(&second);
        person.sees(&format!("{QUESTION}[data-ref='{second}']"));
        person.presses("j");
        person.is_in(&format!("{QUESTION}[data-ref='{first}']"));
        person.presses("j");
        person.is_in(&format!("{QUESTION}[data-ref='{second}']"));
        person.presses("k");
        person.is_in(&format!("{QUESTION}[data-ref='{first}']"));
        person.presses("j");
        person.presses("e");
        person.is_in("input[name=message]");
        person.presses("jk? Neither");
        person.presses(key::ENTER);
        assert_eq!(ana.hears(waiting), ["jk? Neither"]);
        person.sees_no(&format!("{QUESTION}[data-ref='{second}']"));
        person.sees(&format!("{QUESTION}[data-ref='{first}']"));
        person.presses("j");
        person.presses(key::ENTER);
        person.is_at(&format!("/rooms/{}/jobs/{first}", ana.room_id));
    });
}

#[test]
fn what_is_being_typed_stays_when_more_comes_and_nothing_moves_under_the_pointer() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        let mut ana = stage.world.agent("ana");
        let first = ana.asks("Tabs or spaces?");
        let second = ana.asks("Which of the two?");
        let field = format!("{QUESTION}[data-ref='{second}'] input[name=message]");
        person.types_into(&field, "The sec");
        let place = || person.looks(&format!("() => document.querySelector(\"{field}\").getBoundingClientRect().top"));
        let before = place();
        let third = ana.asks("And then?");
        person.sees(&format!("{QUESTION}[data-ref='{third}']"));
        // Somebody else answers the first meanwhile: it stays where it is, and cannot be answered any more.
        ana.jobs("message", json!({ "job": first, "message": "Spaces." }));
        person.sees(&format!("{QUESTION}[data-ref='{first}'].is-gone[inert]"));
        assert_eq!(place(), before);
        person.is_in("input[name=message]");
        person.presses("ond.");
        assert_eq!(person.looks(&format!("() => document.querySelector(\"{field}\").value")), json!("The second."));
        person.presses(key::ENTER);
        person.sees_no(&format!("{QUESTION}[data-ref='{first}']"));
        person.sees_no(&format!("{QUESTION}[data-ref='{second}']"));
        person.sees(&format!("{QUESTION}[data-ref='{third}']"));
    });
}

#[test]
fn a_request_for_another_agent_is_approved_on_a_phone() {
    play(Wish::NARROW, |stage| {
        let person = &stage.person;
        let mut ana = stage.world.agent("ana");
        ana.asks_for_help(&stage.world, "Read the logs");
        person.reads(APPROVAL, "Read the logs");
        person.taps(&format!("{APPROVAL} form button"));
        person.reads("#flash", "Approved APPROVAL-1.");
        person.sees_no(APPROVAL);
        assert_eq!(decided(&stage.world), json!(["approved", "Read the logs", null]));
        assert_eq!(stage.world.data_of(&["job", "list"])["jobs"][0]["title"], "Read the logs");
    });
}

#[test]
fn a_request_is_approved_with_changes_and_whoever_asked_is_told() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        let mut ana = stage.world.agent("ana");
        ana.asks_for_help(&stage.world, "Read the logs");
        person.clicks("nav a[href='/approvals']");
        person.is_at("/approvals");
        let form = "[data-approval] details.act:last-of-type";
        person.clicks(&format!("{form} > summary"));
        person.types_into(&format!("{form} [name='changes.title']"), "Read one log");
        person.types_into(&format!("{form} [name=reason]"), "one is enough");
        person.clicks(&format!("{form} button.primary"));
        person.reads("#flash", "Approved APPROVAL-1, with changes.");
        person.reads("#region-decided", "one is enough");
        assert_eq!(stage.world.data_of(&["job", "list"])["jobs"][0]["title"], "Read one log");
        let told = ana.ok("inbox", json!({ "op": "list", "args": {} }));
        assert!(told.to_string().contains("APPROVAL-1"), "{told:#}");
    });
}

/// How the first request was decided, what it is called, and why.
fn decided(world: &World) -> Value {
    let approval = world.data_of(&["approval", "list"])["approvals"][0].clone();
    json!([approval["status"], approval["title"], approval["reason"]])
}

#[test]
fn the_stick_of_an_agent_that_died_is_taken_over_with_the_evidence_in_sight_and_a_reason() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        let mut ana: Agent = stage.world.agent("ana");
        ana.claim();
        person.reads("#region-rooms", "holds the stick");
        ana.kill();
        let stuck = "#region-needs article[data-need=stuck]";
        person.reads(&format!("{stuck} [data-evidence]"), &ana.pid().to_string());
        person.clicks(&format!("{stuck} details.act > summary"));
        person.clicks(&format!("{stuck} form button"));
        // Nothing is sent without a reason.
        person.is_in("input[name=reason]");
        person.types_into(&format!("{stuck} input[name=reason]"), "Its process is gone.");
        person.clicks(&format!("{stuck} form button"));
        person.reads("#flash", "You hold the stick now.");
        person.reads("#region-held", "You hold the stick");
        let log = stage.world.log(&ana.room_id);
        let taken = log.iter().find(|event| event["event_type"] == "takeover").unwrap();
        assert!(taken.to_string().contains("Its process is gone."), "{taken:#}");
        // And handed on again, with what the next one needs to know.
        let _bo = stage.world.agent("bo");
        let release = "#region-held details.act:has([action='/do/stick.release'])";
        person.clicks(&format!("{release} > summary"));
        person.types_into(&format!("{release} [name='handoff.status']"), "I looked after it.");
        person.types_into(&format!("{release} [name='handoff.next_action']"), "Go on.");
        person.clicks(&format!("{release} button.primary"));
        person.reads("#flash", "You released the stick.");
        person.reads("#region-feed .feed", "released the stick");
    });
}

#[test]
fn what_is_refused_is_said_beside_the_form_and_nothing_that_was_typed_is_lost() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        person.forgives("/do/jobs.message");
        let mut ana = stage.world.agent("ana");
        let job = ana.asks("Tabs or spaces?");
        person.types_into(&format!("{QUESTION} input[name=message]"), "Tabs.");
        stage.world.data_of(&["job", "cancel", &job, "--reason", "not wanted"]);
        person.clicks(&format!("{QUESTION} form button"));
        person.sees(&format!("{QUESTION} form .notice[role=alert]"));
        assert_eq!(person.looks("() => document.querySelector('input[name=message]').value"), json!("Tabs."));
    });
}

#[test]
fn without_scripts_a_question_is_answered_all_the_same() {
    play(Wish { scripts: Scripts::Off, ..Wish::WIDE }, |stage| {
        let person = &stage.person;
        let mut ana = stage.world.agent("ana");
        let job = ana.asks("Tabs or spaces?");
        let waiting = ana.waits_for_word_on(&job);
        person.goes("/");
        person.types_into(&format!("{QUESTION} input[name=message]"), "Tabs.");
        person.clicks(&format!("{QUESTION} form button"));
        person.reads("#flash", &format!("Answered {job}."));
        assert_eq!(ana.hears(waiting), ["Tabs."]);
        person.sees_no(QUESTION);
    });
}
