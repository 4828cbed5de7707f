//! How an item climbs: queued, delivered, seen, accepted.

use super::{agent, recorded};
use crate::{
    event::Event,
    ids::Seq,
    inbox::{self, Category, Forwarded, Inbox, Item, Payload, Recipient, Sent, Stage},
    time::Timestamp,
};

/// Message 1, from ana to `recipients`.
fn inbox(recipients: &[&str]) -> Inbox {
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
    let mut inbox = Inbox::default();
    inbox.apply(&recorded(1, "ana", inbox::Event::Sent(sent)));
    inbox
}

fn happens(inbox: &mut Inbox, place: u64, by: &str, event: Option<inbox::Event>) {
    inbox.apply(&recorded(place, by, Event::Inbox(event.unwrap())));
}

/// The times of the three upper rungs.
fn times(item: &Item) -> [Option<i64>; 3] {
    [item.delivered_at, item.seen_at, item.accepted_at].map(|at| at.map(Timestamp::as_millis))
}

#[test]
fn an_item_climbs_one_rung_at_a_time() {
    let mut inbox = inbox(&["codex"]);
    let mut stages = vec![inbox.items[0].stage()];
    let told = Item::deliver(&inbox.items);
    happens(&mut inbox, 2, "codex", told);
    stages.push(inbox.items[0].stage());
    let seen = inbox.items[0].see(None);
    happens(&mut inbox, 3, "codex", seen);
    stages.push(inbox.items[0].stage());
    let accepted = inbox.items[0].accept(Some("on it"));
    happens(&mut inbox, 4, "codex", accepted);
    stages.push(inbox.items[0].stage());
    assert_eq!(stages, Stage::ALL);
    assert_eq!(times(&inbox.items[0]), [Some(2), Some(3), Some(4)]);
}

#[test]
fn accepting_an_unread_item_reads_it_too() {
    let mut inbox = inbox(&["codex"]);
    let accepted = inbox.items[0].accept(None);
    happens(&mut inbox, 2, "codex", accepted);
    assert_eq!(times(&inbox.items[0]), [Some(2); 3]);
}

#[test]
fn an_item_never_climbs_down_and_keeps_its_first_times() {
    let mut inbox = inbox(&["codex"]);
    let (told, seen, accepted) = (Item::deliver(&inbox.items), inbox.items[0].see(None), inbox.items[0].accept(None));
    happens(&mut inbox, 2, "codex", accepted.clone());
    for (place, late) in [(3, told), (4, seen), (5, accepted)] {
        happens(&mut inbox, place, "codex", late);
        assert_eq!(times(&inbox.items[0]), [Some(2); 3]);
    }
}

#[test]
fn what_was_done_before_is_no_event() {
    let mut inbox = inbox(&["codex"]);
    let accepted = inbox.items[0].accept(None);
    happens(&mut inbox, 2, "codex", accepted);
    let item = &inbox.items[0];
    assert_eq!((Item::deliver(&inbox.items), item.see(None), item.accept(None)), (None, None, None));
    assert_eq!(Item::deliver(&[]), None);
}

#[test]
fn each_recipient_climbs_alone() {
    let mut inbox = inbox(&["codex", "claude"]);
    let seen = inbox.items[0].see(None);
    happens(&mut inbox, 2, "codex", seen.clone());
    assert_eq!(inbox.items.iter().map(Item::stage).collect::<Vec<_>>(), [Stage::Seen, Stage::Queued]);
    happens(&mut inbox, 3, "stranger", seen);
    assert_eq!(inbox.items[1].stage(), Stage::Queued, "nobody moves the item of another");
}

#[test]
fn items_go_on_with_the_identity_they_were_for_as_far_as_they_had_climbed() {
    let mut inbox = inbox(&["codex", "claude"]);
    let told = Item::deliver(&inbox.items[..1]);
    happens(&mut inbox, 2, "codex", told);
    let moved = Forwarded { items: vec![Seq(1)], from: agent("codex"), to: agent("gemini") };
    happens(&mut inbox, 3, "gemini", Some(inbox::Event::Forwarded(moved)));
    let whose: Vec<_> = inbox.items.iter().map(|item| (item.recipient.as_str(), item.stage())).collect();
    assert_eq!(whose, [("gemini", Stage::Delivered), ("claude", Stage::Queued)]);
    let seen = inbox.items[0].see(None);
    happens(&mut inbox, 4, "codex", seen);
    assert_eq!(inbox.items[0].stage(), Stage::Delivered, "the prior one has it no more");
}
