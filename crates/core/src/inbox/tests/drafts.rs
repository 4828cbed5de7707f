//! What a message of each category says, and what it must not.

use serde_json::{Value, json};

use super::{blocked, handoff, note, text};
use crate::{
    code::ErrorCode,
    inbox::{Category, Draft, Refusal, Urgency},
    limits,
};

fn payload(draft: &Draft, category: Category) -> Value {
    serde_json::to_value(draft.check(category).unwrap()).unwrap()
}

/// Which field is at fault.
fn fault(draft: &Draft, category: Category) -> &'static str {
    match draft.check(category) {
        Err(refusal @ Refusal::InvalidMessage { field, .. }) => {
            assert_eq!(refusal.code(), ErrorCode::InvalidMessage);
            field
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_category_has_the_contracts_payload() {
    assert_eq!(
        payload(&handoff(), Category::Handoff),
        json!({"subject": "Parser", "summary": "half done", "next_action": "go on", "requires_ack": true})
    );
    assert_eq!(
        payload(&blocked(), Category::Blocked),
        json!({
            "subject": "Schema", "blocker": "no access", "requested_action": "grant it", "urgency": "high",
            "requires_ack": true,
        })
    );
    for category in [Category::Decision, Category::Info] {
        assert_eq!(
            payload(&note(), category),
            json!({"subject": "Names", "body": "snake case", "requires_ack": false})
        );
    }
}

#[test]
fn an_ack_is_wanted_for_a_handoff_unless_it_says_otherwise_and_for_a_blocked_always() {
    let asking = |draft: Draft, ack| Draft { requires_ack: ack, ..draft };
    let wanted = |draft: Draft, category| draft.check(category).map(|payload| payload.requires_ack());
    let cases = [None, Some(true), Some(false)];
    assert_eq!(cases.map(|ack| wanted(asking(handoff(), ack), Category::Handoff)), [Ok(true), Ok(true), Ok(false)]);
    assert_eq!(cases.map(|ack| wanted(asking(note(), ack), Category::Info)), [Ok(false), Ok(true), Ok(false)]);
    assert_eq!(wanted(asking(blocked(), Some(true)), Category::Blocked), Ok(true));
    assert_eq!(fault(&asking(blocked(), Some(false)), Category::Blocked), "requires_ack");
}

#[test]
fn every_part_that_a_category_needs_is_asked_for_by_name() {
    type Change = fn(&mut Draft, Option<String>);
    let cases: [(Category, Draft, &str, Change); 6] = [
        (Category::Handoff, handoff(), "summary", |draft, part| draft.summary = part),
        (Category::Handoff, handoff(), "next_action", |draft, part| draft.next_action = part),
        (Category::Blocked, blocked(), "blocker", |draft, part| draft.blocker = part),
        (Category::Blocked, blocked(), "requested_action", |draft, part| draft.requested_action = part),
        (Category::Decision, note(), "body", |draft, part| draft.body = part),
        (Category::Info, note(), "body", |draft, part| draft.body = part),
    ];
    for (category, draft, field, change) in cases {
        for part in [None, text(""), text(" \n"), Some("x".repeat(limits::MESSAGE_BYTES + 1))] {
            let mut wrong = draft.clone();
            change(&mut wrong, part);
            assert_eq!(fault(&wrong, category), field, "{category:?}");
        }
    }
    for (category, draft) in
        [(Category::Handoff, handoff()), (Category::Blocked, blocked()), (Category::Decision, note())]
    {
        for subject in [String::new(), "x".repeat(limits::SUBJECT_BYTES + 1)] {
            assert_eq!(fault(&Draft { subject, ..draft.clone() }, category), "subject");
        }
    }
}

#[test]
fn how_much_a_blocked_presses_is_medium_unless_it_is_said() {
    let unsaid = Draft { urgency: None, ..blocked() };
    assert_eq!(payload(&unsaid, Category::Blocked)["urgency"], "medium");
    for (urgency, word) in [(Urgency::Low, "low"), (Urgency::Medium, "medium"), (Urgency::High, "high")] {
        let said = Draft { urgency: Some(urgency), ..blocked() };
        assert_eq!(payload(&said, Category::Blocked)["urgency"], word);
    }
}

#[test]
fn a_part_that_belongs_to_another_category_is_refused_rather_than_lost() {
    let full = Draft {
        summary: text("x"),
        next_action: text("x"),
        blocker: text("x"),
        requested_action: text("x"),
        urgency: Some(Urgency::Low),
        body: text("x"),
        ..note()
    };
    let foreign = |category, draft: Draft| fault(&Draft { subject: "x".to_owned(), ..draft }, category);
    assert_eq!(foreign(Category::Handoff, Draft { blocker: text("x"), ..handoff() }), "blocker");
    assert_eq!(foreign(Category::Handoff, Draft { urgency: Some(Urgency::Low), ..handoff() }), "urgency");
    assert_eq!(foreign(Category::Handoff, Draft { body: text("x"), ..handoff() }), "body");
    assert_eq!(foreign(Category::Blocked, Draft { summary: text("x"), ..blocked() }), "summary");
    assert_eq!(foreign(Category::Blocked, Draft { body: text("x"), ..blocked() }), "body");
    assert_eq!(foreign(Category::Info, Draft { next_action: text("x"), ..note() }), "next_action");
    assert_eq!(foreign(Category::Decision, Draft { requested_action: text("x"), ..note() }), "requested_action");
    for category in Category::ALL {
        assert!(full.check(category).is_err(), "{category:?}");
    }
}

#[test]
fn a_message_has_at_most_16_kib_in_all() {
    let with = |bytes| Draft { summary: Some("x".repeat(bytes)), ..handoff() };
    let frame = payload(&with(1), Category::Handoff).to_string().len() - 1;
    assert!(with(limits::MESSAGE_BYTES - frame).check(Category::Handoff).is_ok());
    assert_eq!(fault(&with(limits::MESSAGE_BYTES - frame + 1), Category::Handoff), "message");
}

#[test]
fn categories_are_four_words_in_any_case() {
    let named = ["HANDOFF", "blocked", "Decision", "INFO"].map(Category::named);
    assert_eq!(named, Category::ALL.map(Some));
    assert_eq!(["", "NOTE", "HANDOFF "].map(Category::named), [None; 3]);
}
