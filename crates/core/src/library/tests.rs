//! What may be kept, and what the library is after it.

use super::*;
use crate::{
    event::Recorded,
    ids::Seq,
    lease::Fence,
    limits,
    part::{Part, Rows},
    task::TaskId,
    time::Timestamp,
};

fn card(title: &str, tags: &[&str]) -> CardDraft {
    CardDraft {
        kind: CardKind::Evidence,
        title: title.to_owned(),
        text: "cargo test passed".to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        pinned: false,
        task: Some(TaskId(1)),
        anchor: Some("a:core".parse().unwrap()),
        job: None,
        refs: vec!["CMD: cargo test".parse().unwrap()],
    }
}

/// The rows of one kind that events give.
fn folded<P: Part>(events: Vec<Event>) -> Rows<P> {
    let mut rows = Rows::of_new_room();
    for (place, event) in events.into_iter().enumerate() {
        rows.apply(&Recorded {
            overridden: false,
            room_id: "room_1".parse().unwrap(),
            seq: Seq(place as u64 + 1),
            at: Timestamp::from_millis(place as i64),
            actor: "ana".parse().unwrap(),
            turn: Fence(0),
            event: event.into(),
        });
    }
    rows
}

#[test]
fn a_card_is_kept_with_sorted_tags_and_can_be_pinned() {
    let created = card(" Cache is cold ", &["Cache", "perf", "cache"]).create(CardId(1)).unwrap();
    let pinned = Event::CardPinned(CardPinned { card: CardId(1), pinned: true });
    let cards: Rows<Card> = folded(vec![created, pinned]);
    let kept = cards.get(&CardId(1)).unwrap();
    assert_eq!(
        (kept.title.as_str(), kept.tags.as_slice()),
        ("Cache is cold", &["cache".to_owned(), "perf".to_owned()][..])
    );
    assert!(kept.pinned);
    assert_eq!((kept.id.to_string(), kept.seq), ("CARD-1".to_owned(), Seq(1)));
}

#[test]
fn an_anchor_can_be_described_anew() {
    let set = |title: &str| {
        AnchorDraft { anchor: "a:core".parse().unwrap(), title: title.to_owned(), text: String::new() }.set().unwrap()
    };
    let anchors: Rows<Anchor> = folded(vec![set("the core"), set("the rules")]);
    assert_eq!(anchors.iter().map(|anchor| anchor.title.as_str()).collect::<Vec<_>>(), ["the rules"]);
}

#[test]
fn what_says_nothing_or_too_much_is_not_kept() {
    let field = |refused: Refusal| match refused {
        Refusal::Invalid { field, .. } => field,
    };
    let mut blank = card("x", &[]);
    blank.text = " \n".to_owned();
    let mut long = card("x", &[]);
    long.text = "x".repeat(limits::CARD_BYTES + 1);
    let many = ["x"; limits::TAGS + 1];
    let cases = [
        (card(" ", &[]).create(CardId(1)), "title"),
        (card("a\nb", &[]).create(CardId(1)), "title"),
        (card(&"x".repeat(limits::TITLE_CHARS + 1), &[]).create(CardId(1)), "title"),
        (blank.create(CardId(1)), "text"),
        (long.create(CardId(1)), "text"),
        (card("x", &many).create(CardId(1)), "tags"),
    ];
    for (refused, expected) in cases {
        assert_eq!(field(refused.unwrap_err()), expected);
    }
    let artifact = |name: &str, bytes: u64| {
        let (kind, sha256, host) = (ArtifactKind::Log, "00".to_owned(), "here".to_owned());
        ArtifactDraft {
            kind,
            name: name.to_owned(),
            sha256,
            bytes,
            host,
            job: None,
            revision: None,
            node: None,
            turn: None,
            refs: Vec::new(),
            redacted: false,
            patch: None,
        }
        .keep(ArtifactId(1))
    };
    assert_eq!(field(artifact("../x", 1).unwrap_err()), "name");
    assert_eq!(field(artifact("x", limits::ARTIFACT_BYTES + 1).unwrap_err()), "content");
    assert!(artifact("log.txt", 1).is_ok());
}
