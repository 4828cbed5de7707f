//! Full text: both engines find the same.

use std::collections::BTreeSet;

use baton_core::{
    event::{Event, Recorded},
    ids::{RoomId, Seq},
    library::{self, AnchorSet, CardCreated, CardId, CardKind},
    room::{self, Noted},
    search::{DocumentKind, Query},
};
use baton_store::{Store, search};
use baton_testkit::{Backend, Place, Scribe};
use proptest::{collection::vec, prelude::*, sample::select};

use super::support::{agent, anchor, at, on_two_rooms, read, write};

fn note(text: &str) -> Event {
    room::Event::Noted(Noted { text: text.to_owned() }).into()
}

fn card(id: u32, title: &str, text: &str) -> Event {
    let (title, text) = (title.to_owned(), text.to_owned());
    let (tags, refs) = (Vec::new(), Vec::new());
    let (task, anchor, job) = (None, None, None);
    let (card, kind) = (CardId(id), CardKind::Note);
    library::Event::CardCreated(CardCreated { card, kind, title, text, tags, pinned: false, task, anchor, job, refs })
        .into()
}

fn described(id: &str, text: &str) -> Event {
    let set = AnchorSet { anchor: anchor(id), title: "x".to_owned(), text: text.to_owned() };
    library::Event::AnchorSet(set).into()
}

/// Indexes these events at the places from `first` on.
fn index(store: &Store, room: &RoomId, first: u64, events: &[Event]) {
    let recorded: Vec<Recorded> = events
        .iter()
        .enumerate()
        .map(|(place, event)| Recorded {
            overridden: false,
            room_id: room.clone(),
            seq: Seq(first + place as u64),
            at: at(0),
            actor: agent("ana"),
            turn: Default::default(),
            event: event.clone(),
        })
        .collect();
    write(store, |tx| {
        search::alone(tx, room)?;
        search::add(tx, room, &recorded)
    });
}

fn find(store: &Store, room: &RoomId, query: &str, kinds: &[DocumentKind]) -> BTreeSet<u64> {
    let query = Query::read(query).unwrap();
    read(store, |tx| search::find(tx, room, &query, kinds, 999)).iter().map(|seq| seq.0).collect()
}

#[test]
fn the_index_knows_how_far_it_is_and_keeps_rooms_apart() {
    on_two_rooms(|store, one, two| {
        let progress = |room| read(store, |tx| search::progress(tx, room)).0;
        assert_eq!(progress(one), 0);
        index(store, one, 3, &[note("zebra crossing"), card(1, "zebra", "x"), described("a:core", "zebra house")]);
        index(store, two, 3, &[note("zebra elsewhere")]);
        index(store, two, 4, &[]);
        assert_eq!((progress(one), progress(two)), (5, 3));
        assert_eq!(find(store, one, "zebra", &[]), [3, 4, 5].into());
        assert_eq!(find(store, two, "zebra", &[]), [3].into());
        assert_eq!(find(store, one, "elsewhere", &[]), BTreeSet::new());
        assert_eq!(find(store, one, "zebra", &[DocumentKind::Card, DocumentKind::Note]), [3, 4].into());
        assert_eq!(find(store, one, "zebra", &[DocumentKind::Job]), BTreeSet::new());
        // A part of the map is described anew, and one whose id begins alike is not touched.
        index(store, one, 6, &[described("a:core/x", "zebra"), described("a:core", "a horse")]);
        assert_eq!(find(store, one, "zebra", &[DocumentKind::Anchor]), [6].into());
        assert_eq!(find(store, one, "a:core horse", &[]), [7].into());
        assert_eq!(progress(one), 7);
    });
}

/// Words that engines might take apart, fold or leave out, each in their own way.
const WORDS: &[&str] = &[
    "cache",
    "Cachet",
    "the",
    "a",
    "is",
    "naïve",
    "naive",
    "Ünïcode",
    "unicode",
    "ÄÖÜ",
    "straße",
    "strasse",
    "STRASSE",
    "漢字",
    "漢",
    "日本語",
    "привет",
    "ПРИВЕТ",
    "ελλάς",
    "हिन्दी",
    "한국어",
    "1e5",
    "1e",
    "12e5abc",
    "5e10abc",
    "0x1f",
    "0x",
    "3.14",
    "-7",
    "007",
    "1st",
    "v2",
    "a1b2c3",
    "9f8e7d6c",
    "deadbeef",
    "1e5f",
    "12d",
    "x_y",
    "src/lib.rs",
    "a@b.org",
    "https://example.org/x?y=1",
    "JOB-001",
    "&amp;",
    "<b>",
    "</b>",
    "don't",
    "e\u{301}",
    "ﬁn",
    "ⅷ",
    "²",
    "½",
    "İx",
    "\u{1f9d1}",
    "id\u{200d}id",
    "AND",
    "or",
    "NOT",
    "NEAR",
];

/// What each engine finds of the same texts for the same queries.
fn found(store: &Store, room: &RoomId, texts: &[String], queries: &[String]) -> Vec<(String, BTreeSet<u64>)> {
    let events: Vec<Event> = texts.iter().map(|text| note(text)).collect();
    index(store, room, 1, &events);
    let asked = queries.iter().filter(|query| Query::read(query).is_some());
    asked.map(|query| (query.clone(), find(store, room, query, &[]))).collect()
}

#[test]
fn every_word_is_found_by_itself_and_by_its_beginning_in_the_same_texts_on_every_engine() {
    let texts: Vec<String> = WORDS.iter().map(|word| format!("before {word} after")).collect();
    let beginnings = WORDS.iter().flat_map(|word| {
        let chars: Vec<char> = word.chars().collect();
        (1..=chars.len()).map(|length| chars[..length].iter().collect::<String>()).collect::<Vec<_>>()
    });
    let queries: Vec<String> = beginnings.collect();
    let all = Backend::ALL.iter().map(|backend| {
        let place = Place::new(*backend);
        let store = place.open();
        let room = Scribe::new("ana").opens(&store, "room_1", "/one").id;
        found(&store, &room, &texts, &queries)
    });
    let all: Vec<_> = all.collect();
    let differ: Vec<_> = all[0].iter().zip(&all[1]).filter(|(one, other)| one != other).collect();
    assert!(differ.is_empty(), "{differ:#?}");
    for (place, word) in WORDS.iter().enumerate() {
        if Query::read(word).is_some() {
            let (_, at) = all[0].iter().find(|(query, _)| query == word).unwrap();
            assert!(at.contains(&(place as u64 + 1)), "{word}");
        }
    }
}

#[test]
fn whatever_is_looked_for_both_engines_find_the_same() {
    let places = Backend::ALL.iter().map(|backend| Place::new(*backend)).collect::<Vec<_>>();
    let stores: Vec<Store> = places.iter().map(Place::open).collect();
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    let count = std::cell::Cell::new(0);
    let some = |most| vec(select(WORDS), 1..most).prop_map(|words| words.join(" "));
    let typed = "[a-c0-2eEx./_ -]{1,12}";
    let texts = vec(prop_oneof![some(6), typed.prop_map(|text: String| text)], 1..8);
    let queries = vec(prop_oneof![some(3), typed.prop_map(|text: String| text)], 1..8);
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let checked = runner.run(&(texts, queries), |(texts, queries)| {
        count.set(count.get() + 1);
        let (id, path) = (format!("room_{}", count.get()), format!("/{}", count.get()));
        let all: Vec<_> = stores
            .iter()
            .map(|store| found(store, &Scribe::new("ana").opens(store, &id, &path).id, &texts, &queries))
            .collect();
        prop_assert_eq!(&all[0], &all[1]);
        Ok(())
    });
    checked.unwrap();
}
