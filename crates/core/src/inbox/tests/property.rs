//! Any row of events gives the inbox that a naive model gives.

use std::collections::BTreeMap;

use proptest::{collection::vec, prelude::*};

use super::{agent, recorded};
use crate::{
    ids::Seq,
    inbox::{Accepted, Category, Delivered, Event, Forwarded, Item, Payload, Recipient, Seen, Sent, Stage},
    part::{Part, Rows},
};

const CAST: [&str; 4] = ["ana", "codex", "claude", "gemini"];

#[derive(Clone, Debug)]
enum Step {
    Send { by: usize, to: Vec<usize> },
    Deliver { by: usize, messages: Vec<u64> },
    See { by: usize, message: u64 },
    Accept { by: usize, message: u64 },
    Forward { from: usize, to: usize, messages: Vec<u64> },
}

fn step() -> impl Strategy<Value = Step> {
    let (who, message) = (0..CAST.len(), 1..30_u64);
    let messages = vec(message.clone(), 0..4);
    prop_oneof![
        3 => (who.clone(), vec(who.clone(), 1..4)).prop_map(|(by, to)| Step::Send { by, to }),
        2 => (who.clone(), messages.clone()).prop_map(|(by, messages)| Step::Deliver { by, messages }),
        2 => (who.clone(), message.clone()).prop_map(|(by, message)| Step::See { by, message }),
        2 => (who.clone(), message).prop_map(|(by, message)| Step::Accept { by, message }),
        1 => (who.clone(), who, messages).prop_map(|(from, to, messages)| Step::Forward { from, to, messages }),
    ]
}

/// By message and place among its recipients: whose it is now, and how far it is.
type Model = BTreeMap<(u64, usize), (usize, Stage)>;

fn climb(model: &mut Model, by: usize, messages: &[u64], stage: Stage) {
    for ((message, _), (whose, reached)) in model.iter_mut() {
        if *whose == by && messages.contains(message) {
            *reached = (*reached).max(stage);
        }
    }
}

/// Plays a step in the model, and gives the event for it.
fn play(model: &mut Model, place: u64, step: &Step) -> (usize, Event) {
    let seqs = |messages: &[u64]| messages.iter().copied().map(Seq).collect::<Vec<_>>();
    match step {
        Step::Send { by, to } => {
            let recipients: Vec<usize> =
                CAST.iter().enumerate().map(|(who, _)| who).filter(|who| to.contains(who)).collect();
            for (rank, who) in recipients.iter().enumerate() {
                model.insert((place, rank), (*who, Stage::Queued));
            }
            let recipient =
                |who: &usize| Recipient { agent_id: agent(CAST[*who]), name: CAST[*who].to_owned(), wakes: false };
            let payload = Payload::Text { subject: "s".to_owned(), body: "b".to_owned(), requires_ack: false };
            let sent = Sent {
                category: Category::Info,
                from_agent: CAST[*by].to_owned(),
                sender_kind: None,
                to_agent: "broadcast".to_owned(),
                recipients: recipients.iter().map(recipient).collect(),
                bead_id: None,
                scope: None,
                payload,
            };
            (*by, Event::Sent(sent))
        }
        Step::Deliver { by, messages } => {
            climb(model, *by, messages, Stage::Delivered);
            (*by, Event::Delivered(Delivered { items: seqs(messages) }))
        }
        Step::See { by, message } => {
            climb(model, *by, &[*message], Stage::Seen);
            (*by, Event::Seen(Seen { item: Seq(*message), sender: agent("ana"), turn: None }))
        }
        Step::Accept { by, message } => {
            climb(model, *by, &[*message], Stage::Accepted);
            (*by, Event::Accepted(Accepted { item: Seq(*message), sender: agent("ana"), note: None }))
        }
        Step::Forward { from, to, messages } => {
            let had: Vec<u64> = model
                .iter()
                .filter(|(_, (whose, _))| whose == to && to != from)
                .map(|((message, _), _)| *message)
                .collect();
            model.retain(|(message, _), (whose, _)| {
                *whose != *from || !messages.contains(message) || !had.contains(message)
            });
            for ((message, _), (whose, _)) in model.iter_mut() {
                if *whose == *from && messages.contains(message) {
                    *whose = *to;
                }
            }
            (*to, Event::Forwarded(Forwarded { items: seqs(messages), from: agent(CAST[*from]), to: agent(CAST[*to]) }))
        }
    }
}

proptest! {
    #[test]
    fn folding_gives_what_a_naive_model_gives(steps in vec(step(), 0..40)) {
        let (mut model, mut inbox) = (Model::new(), Rows::<Item>::of_new_room());
        for (place, step) in (1..).zip(&steps) {
            let (by, event) = play(&mut model, place, step);
            let stored = event.payload().unwrap();
            prop_assert_eq!(&Event::read(event.kind(), &stored).unwrap().unwrap(), &event, "as it is stored");
            let before = inbox.clone();
            inbox.apply(&recorded(place, CAST[by], event));
            for item in &inbox.to_vec() {
                let was = before.get(&item.key());
                prop_assert!(was.is_none_or(|was| item.stage() >= was.stage()), "an item never climbs down");
            }
        }
        let folded: Vec<_> = inbox.iter().map(|item| (item.message.0, item.recipient.as_str(), item.stage())).collect();
        let mut expected: Vec<_> = model.iter().map(|((message, _), (whose, stage))| (*message, CAST[*whose], *stage)).collect();
        expected.sort_unstable_by_key(|(message, whose, _)| (*message, *whose));
        prop_assert_eq!(folded, expected);
        for item in &inbox.to_vec() {
            let times = [Some(item.queued_at), item.delivered_at, item.seen_at, item.accepted_at];
            let reached = times.iter().flatten().count();
            prop_assert!(times[..reached].iter().all(Option::is_some), "no rung is left out: {times:?}");
            prop_assert!(times[..reached].is_sorted(), "{times:?}");
        }
    }
}
