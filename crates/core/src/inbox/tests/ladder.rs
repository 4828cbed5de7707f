//! How an item climbs: queued, delivered, seen, accepted.

use super::{agent, recorded};
use crate::{
    event::Event,
    ids::Seq,
    inbox::{self, Category, Forwarded, Item, Payload, Recipient, Sent, Stage},
    part::Rows,
    time::Timestamp,
};

/// Message 1, from ana to `recipients`.
fn inbox(recipients: &[&str]) -> Rows<Item> {
    let recipient = |name: &&str| Recipient { agent_id: agent(name), name: (*name).to_owned(), wakes: true };
    let payload = Payload::Text { subject: "s".to_owned(), body: "b".to_owned(), requires_ack: true };
    let sent = Sent {
        category: Category::Info,
        from_agent: "ana".to_owned(),
        sender_kind: None,
        to_agent: "broadcast".to_owned(),
        recipients: recipients.iter().map(recipient).collect(),
        bead_id: None,
        scope: None,
        payload,
    };
    let mut inbox = Rows::of_new_room();
    inbox.apply(&recorded(1, "ana", inbox::Event::Sent(sent)));
    inbox
}

fn happens(inbox: &mut Rows<Item>, place: u64, by: &str, event: Option<inbox::Event>) {
    inbox.apply(&recorded(place, by, Event::Inbox(event.unwrap())));
}

/// Somebody's item of message 1.
fn of<'a>(inbox: &'a Rows<Item>, name: &str) -> &'a Item {
    inbox.get(&(Seq(1), agent(name))).unwrap()
}

/// The times of the three upper rungs.
fn times(item: &Item) -> [Option<i64>; 3] {
    [item.delivered_at, item.seen_at, item.accepted_at].map(|at| at.map(Timestamp::as_millis))
}

#[test]
fn an_item_climbs_one_rung_at_a_time() {
    let mut inbox = inbox(&["codex"]);
    let mut stages = vec![inbox.nth(0).stage()];
    let told = Item::deliver(&inbox.to_vec());
    happens(&mut inbox, 2, "codex", told);
    stages.push(inbox.nth(0).stage());
    let seen = inbox.nth(0).see(None);
    happens(&mut inbox, 3, "codex", seen);
    stages.push(inbox.nth(0).stage());
    let accepted = inbox.nth(0).accept(Some("on it"));
    happens(&mut inbox, 4, "codex", accepted);
    stages.push(inbox.nth(0).stage());
    assert_eq!(stages, Stage::ALL);
    assert_eq!(times(inbox.nth(0)), [Some(2), Some(3), Some(4)]);
}

#[test]
fn accepting_an_unread_item_reads_it_too() {
    let mut inbox = inbox(&["codex"]);
    let accepted = inbox.nth(0).accept(None);
    happens(&mut inbox, 2, "codex", accepted);
    assert_eq!(times(inbox.nth(0)), [Some(2); 3]);
}

#[test]
fn an_item_never_climbs_down_and_keeps_its_first_times() {
    let mut inbox = inbox(&["codex"]);
    let (told, seen, accepted) = (Item::deliver(&inbox.to_vec()), inbox.nth(0).see(None), inbox.nth(0).accept(None));
    happens(&mut inbox, 2, "codex", accepted.clone());
    for (place, late) in [(3, told), (4, seen), (5, accepted)] {
        happens(&mut inbox, place, "codex", late);
        assert_eq!(times(inbox.nth(0)), [Some(2); 3]);
    }
}

#[test]
fn what_was_done_before_is_no_event() {
    let mut inbox = inbox(&["codex"]);
    let accepted = inbox.nth(0).accept(None);
    happens(&mut inbox, 2, "codex", accepted);
    let item = inbox.nth(0);
    assert_eq!((Item::deliver(&inbox.to_vec()), item.see(None), item.accept(None)), (None, None, None));
    assert_eq!(Item::deliver(&[]), None);
}

#[test]
fn each_recipient_climbs_alone() {
    let mut inbox = inbox(&["codex", "claude"]);
    let seen = of(&inbox, "codex").see(None);
    happens(&mut inbox, 2, "codex", seen.clone());
    assert_eq!(["codex", "claude"].map(|name| of(&inbox, name).stage()), [Stage::Seen, Stage::Queued]);
    happens(&mut inbox, 3, "stranger", seen);
    assert_eq!(of(&inbox, "claude").stage(), Stage::Queued, "nobody moves the item of another");
}

#[test]
fn items_go_on_with_the_identity_they_were_for_as_far_as_they_had_climbed() {
    let mut inbox = inbox(&["codex", "claude"]);
    let told = Item::deliver(&[of(&inbox, "codex").clone()]);
    happens(&mut inbox, 2, "codex", told);
    let moved = Forwarded { items: vec![Seq(1)], from: agent("codex"), to: agent("gemini") };
    happens(&mut inbox, 3, "gemini", Some(inbox::Event::Forwarded(moved)));
    let whose: Vec<_> = inbox.iter().map(|item| (item.recipient.as_str(), item.stage())).collect();
    assert_eq!(whose, [("claude", Stage::Queued), ("gemini", Stage::Delivered)]);
    let seen = of(&inbox, "gemini").see(None);
    happens(&mut inbox, 4, "codex", seen);
    assert_eq!(of(&inbox, "gemini").stage(), Stage::Delivered, "the prior one has it no more");
}
