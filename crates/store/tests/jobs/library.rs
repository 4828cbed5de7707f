//! Cards, anchors, plans and artifacts.

use baton_core::{
    ids::{RoomId, Seq},
    job::JobId,
    library::{Anchor, Artifact, ArtifactId, ArtifactKind, Card, CardId, CardKind, Plan, PlanId},
    part::Rows,
    task::TaskId,
};
use baton_store::{
    Store, StoreError,
    engine::{Changes, Tx},
    library::{self, Cards},
    table,
};

use super::support::{self, agent, anchor, at, find, odd, on_two_rooms, put, read, save, write};

const LAST: u32 = 999_999_999;

/// A card with all that it can have, or with as little as it may.
fn card(id: u32, full: bool) -> Card {
    Card {
        id: CardId(id),
        kind: CardKind::ALL[id as usize % CardKind::ALL.len()],
        title: odd(),
        tags: if full { vec![odd(), String::new()] } else { Vec::new() },
        pinned: full,
        task: full.then_some(TaskId(LAST)),
        anchor: full.then(|| anchor("a:core/http-api_2.x")),
        job: full.then_some(JobId(LAST)),
        seq: Seq(i64::MAX as u64),
        created_by: agent("codex:9b22"),
        created_at: at(-1),
    }
}

fn described(id: &str, seq: u64) -> Anchor {
    Anchor { id: anchor(id), title: odd(), seq: Seq(seq), updated_at: at(-1) }
}

fn plan(id: u32) -> Plan {
    Plan { id: PlanId(id), title: odd(), seq: Seq(4), created_by: agent("codex:9b22"), created_at: at(-1) }
}

fn artifact(id: u32, job: Option<u32>) -> Artifact {
    Artifact {
        id: ArtifactId(id),
        kind: ArtifactKind::ALL[id as usize % ArtifactKind::ALL.len()],
        name: odd(),
        sha256: "0f".repeat(32),
        bytes: i64::MAX as u64,
        host: odd(),
        job: job.map(JobId),
        node: None,
        turn: None,
        dropped_at: None,
        seq: Seq(4),
        created_by: agent("codex:9b22"),
        created_at: at(-1),
    }
}

/// Rows of every part of a library.
#[derive(Clone, Debug, Default, PartialEq)]
struct Library {
    cards: Rows<Card>,
    anchors: Rows<Anchor>,
    plans: Rows<Plan>,
    artifacts: Rows<Artifact>,
}

impl Library {
    fn insert(&self, tx: &mut dyn Tx, room: &RoomId) -> Result<(), StoreError> {
        table::insert(tx, room, self.cards.iter())?;
        table::insert(tx, room, self.anchors.iter())?;
        table::insert(tx, room, self.plans.iter())?;
        table::insert(tx, room, self.artifacts.iter())
    }
}

fn all(store: &Store, room: &RoomId) -> Library {
    Library {
        cards: support::all(store, room),
        anchors: support::all(store, room),
        plans: support::all(store, room),
        artifacts: support::all(store, room),
    }
}

/// One of every kind of each, with everything and with as little as it may.
fn full() -> Library {
    let ids = ["a:Core", "a:core", "a:core-x", "a:core/x", "a:core.x", "a:core_x", "a:core2", "a:z"];
    Library {
        cards: (1..=7).map(|id| card(id, id % 2 == 0)).chain([card(LAST, true)]).collect(),
        anchors: ids.iter().map(|id| described(id, 4)).collect(),
        plans: [plan(1), plan(LAST)].into_iter().collect(),
        artifacts: (1..=5).map(|id| artifact(id, None)).chain([artifact(LAST, Some(LAST))]).collect(),
    }
}

#[test]
fn a_library_is_read_back_as_it_was_written() {
    on_two_rooms(|store, one, two| {
        let firsts = read(store, |tx| {
            Ok((library::next_card(tx, one)?, library::next_plan(tx, one)?, library::next_artifact(tx, one)?))
        });
        assert_eq!(firsts, (CardId(1), PlanId(1), ArtifactId(1)));
        let known = full();
        write(store, |tx| known.insert(tx, one));
        assert_eq!(all(store, one), known);
        assert_eq!(all(store, two), Library::default());
        for card in known.cards.iter() {
            assert_eq!(find(store, one, &card.id).as_ref(), Some(card));
        }
        for anchor in known.anchors.iter() {
            assert_eq!(find(store, one, &anchor.id).as_ref(), Some(anchor));
        }
        for plan in known.plans.iter() {
            assert_eq!(find(store, one, &plan.id).as_ref(), Some(plan));
        }
        for artifact in known.artifacts.iter() {
            assert_eq!(find(store, one, &artifact.id).as_ref(), Some(artifact));
        }
        assert_eq!(find::<Card>(store, one, &CardId(8)), None);
        assert_eq!(find::<Card>(store, two, &CardId(1)), None);
        assert_eq!(find::<Anchor>(store, one, &anchor("a:Z")), None);
        assert_eq!(find::<Plan>(store, two, &PlanId(1)), None);
        assert_eq!(find::<Artifact>(store, two, &ArtifactId(1)), None);
        let next = read(store, |tx| {
            Ok((library::next_card(tx, one)?, library::next_plan(tx, one)?, library::next_artifact(tx, one)?))
        });
        assert_eq!(next, (CardId(LAST + 1), PlanId(LAST + 1), ArtifactId(LAST + 1)));
    });
}

#[test]
fn a_card_is_pinned_and_unpinned_and_a_part_of_the_map_described_anew_and_the_rest_stays() {
    on_two_rooms(|store, one, two| {
        let before = full();
        for room in [one, two] {
            write(store, |tx| before.insert(tx, room));
        }
        let mut after = before.clone();
        after.cards.change(&CardId(1), |card| card.pinned = true);
        after.cards.change(&CardId(2), |card| card.pinned = false);
        after.anchors.change(&anchor("a:core"), |core| {
            *core = Anchor { title: "new".to_owned(), updated_at: at(9), ..described("a:core", 77) };
        });
        after.plans.put(plan(LAST + 1));
        after.artifacts.put(artifact(LAST + 1, None));
        save(store, one, &after.cards).unwrap();
        save(store, one, &after.anchors).unwrap();
        save(store, one, &after.plans).unwrap();
        save(store, one, &after.artifacts).unwrap();
        assert_eq!(all(store, one), after);
        assert_eq!(all(store, two), before);
    });
}

#[test]
fn cards_are_listed_newest_first_by_what_they_belong_to() {
    let of = |id: u32, pinned: bool, task: Option<u32>, part: Option<&str>, job: Option<u32>| Card {
        pinned,
        task: task.map(TaskId),
        anchor: part.map(anchor),
        job: job.map(JobId),
        ..card(id, false)
    };
    on_two_rooms(|store, one, two| {
        let cards = [
            of(1, true, Some(7), None, Some(3)),
            of(2, false, Some(7), Some("a:core"), None),
            of(3, true, None, Some("a:core"), Some(3)),
            of(4, false, Some(8), Some("a:core/x"), Some(4)),
            of(5, true, Some(7), Some("a:core"), Some(3)),
        ];
        put(store, one, &Rows::from_iter(cards));
        let core = anchor("a:core");
        let page = |room: &RoomId, which: Cards<'_>, before: Option<u32>, limit| {
            let found = read(store, |tx| library::cards(tx, room, which, before.map(CardId), limit));
            found.iter().map(|card| card.id.0).collect::<Vec<_>>()
        };
        assert_eq!(page(one, Cards::All, None, 9), [5, 4, 3, 2, 1]);
        assert_eq!(page(one, Cards::All, Some(4), 2), [3, 2]);
        assert_eq!(page(one, Cards::Pinned, None, 9), [5, 3, 1]);
        assert_eq!(page(one, Cards::Pinned, Some(5), 1), [3]);
        assert_eq!(page(one, Cards::OfTask(TaskId(7)), None, 9), [5, 2, 1]);
        assert_eq!(page(one, Cards::OfTask(TaskId(7)), Some(5), 1), [2]);
        assert_eq!(page(one, Cards::OfAnchor(&core), None, 9), [5, 3, 2]);
        assert_eq!(page(one, Cards::OfAnchor(&core), Some(3), 9), [2]);
        assert_eq!(page(one, Cards::OfJob(JobId(3)), None, 2), [5, 3]);
        assert_eq!(page(one, Cards::OfJob(JobId(3)), Some(3), 2), [1]);
        assert_eq!(page(one, Cards::OfJob(JobId(9)), None, 2), [0; 0]);
        for which in [Cards::All, Cards::Pinned, Cards::OfTask(TaskId(7)), Cards::OfAnchor(&core)] {
            assert_eq!(page(two, which, None, 9), [0; 0], "{which:?}");
        }
    });
}

#[test]
fn anchors_plans_and_artifacts_are_listed_page_by_page() {
    on_two_rooms(|store, one, two| {
        let mut known = full();
        known.artifacts = (1..=5).map(|id| artifact(id, Some(id % 2))).collect();
        write(store, |tx| known.insert(tx, one));
        let order: Vec<&str> = known.anchors.iter().map(|anchor| anchor.id.as_str()).collect();
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = read(store, |tx| library::anchors(tx, one, after.as_ref(), 3));
            assert!(page.len() <= 3);
            let Some(last) = page.last() else { break };
            after = Some(last.id.clone());
            found.extend(page);
        }
        let ids: Vec<&str> = found.iter().map(|anchor| anchor.id.as_str()).collect();
        assert_eq!(ids, order, "each once, in the order of bytes on every engine");
        assert_eq!(read(store, |tx| library::anchors(tx, two, None, 9)), []);
        let plans = |room: &RoomId, before: Option<u32>, limit| {
            let found = read(store, |tx| library::plans(tx, room, before.map(PlanId), limit));
            found.iter().map(|plan| plan.id.0).collect::<Vec<_>>()
        };
        assert_eq!(plans(one, None, 9), [LAST, 1]);
        assert_eq!((plans(one, None, 1), plans(one, Some(LAST), 1)), (vec![LAST], vec![1]));
        assert_eq!(plans(two, None, 9), [0; 0]);
        let left = |room: &RoomId, job, before: Option<u32>, limit| {
            let found =
                read(store, |tx| library::artifacts_of_job(tx, room, JobId(job), before.map(ArtifactId), limit));
            found.iter().map(|artifact| artifact.id.0).collect::<Vec<_>>()
        };
        assert_eq!(left(one, 1, None, 9), [5, 3, 1]);
        assert_eq!((left(one, 1, None, 2), left(one, 1, Some(3), 2)), (vec![5, 3], vec![1]));
        assert_eq!(left(one, 9, None, 2), [0; 0]);
        assert_eq!(left(two, 1, None, 9), [0; 0]);
    });
}

#[test]
fn a_row_that_makes_no_sense_is_named() {
    on_two_rooms(|store, one, _| {
        for (table, wrong) in [
            ("cards", "UPDATE cards SET kind = 'x'"),
            ("cards", "UPDATE cards SET tags = 'x'"),
            ("cards", "UPDATE cards SET anchor = 'core' WHERE number = 2"),
            ("cards", "UPDATE cards SET task = 4294967297"),
            ("cards", "UPDATE cards SET job = -1"),
            ("anchors", "UPDATE anchors SET anchor = 'core' WHERE anchor = 'a:z'"),
            ("plans", "UPDATE plans SET number = 4294967296 WHERE number = 1"),
            ("artifacts", "UPDATE artifacts SET kind = 'x'"),
            ("artifacts", "UPDATE artifacts SET job = 4294967297"),
        ] {
            let refused = store.write::<_, StoreError>(|tx| {
                full().insert(tx, one)?;
                tx.execute(wrong, &[], Changes::Any)?;
                table::all::<Card>(tx, one)?;
                table::all::<Anchor>(tx, one)?;
                table::all::<Plan>(tx, one)?;
                table::all::<Artifact>(tx, one).map(drop)
            });
            match refused {
                Err(StoreError::BadRow { table: named, .. }) => assert_eq!(named, table, "{wrong}"),
                other => panic!("{wrong}: {other:?}"),
            }
        }
    });
}
