//! Cards, anchors, plans and artifacts.

use baton_core::{
    ids::{RoomId, Seq},
    job::JobId,
    library::{Anchor, Artifact, ArtifactId, ArtifactKind, Card, CardId, CardKind, Library, Plan, PlanId},
    task::TaskId,
};
use baton_store::{
    StoreError,
    engine::Changes,
    library::{self, Cards},
};

use super::support::{agent, anchor, at, odd, on_two_rooms, read, write};

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

/// One of every kind of each, with everything and with as little as it may.
fn full() -> Library {
    let ids = ["a:Core", "a:core", "a:core-x", "a:core/x", "a:core.x", "a:core_x", "a:core2", "a:z"];
    let mut anchors: Vec<Anchor> = ids.iter().map(|id| described(id, 4)).collect();
    anchors.sort_by(|one, other| one.id.cmp(&other.id));
    Library {
        cards: (1..=7).map(|id| card(id, id % 2 == 0)).chain([card(LAST, true)]).collect(),
        anchors,
        plans: vec![plan(1), plan(LAST)],
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
        let all = full();
        write(store, |tx| library::save(tx, one, &Library::default(), &all));
        assert_eq!(read(store, |tx| library::all(tx, one)), all);
        assert_eq!(read(store, |tx| library::all(tx, two)), Library::default());
        for card in &all.cards {
            assert_eq!(read(store, |tx| library::find_card(tx, one, card.id)).as_ref(), Some(card));
        }
        for anchor in &all.anchors {
            assert_eq!(read(store, |tx| library::find_anchor(tx, one, &anchor.id)).as_ref(), Some(anchor));
        }
        for plan in &all.plans {
            assert_eq!(read(store, |tx| library::find_plan(tx, one, plan.id)).as_ref(), Some(plan));
        }
        for artifact in &all.artifacts {
            assert_eq!(read(store, |tx| library::find_artifact(tx, one, artifact.id)).as_ref(), Some(artifact));
        }
        assert_eq!(read(store, |tx| library::find_card(tx, one, CardId(8))), None);
        assert_eq!(read(store, |tx| library::find_card(tx, two, CardId(1))), None);
        assert_eq!(read(store, |tx| library::find_anchor(tx, one, &anchor("a:Z"))), None);
        assert_eq!(read(store, |tx| library::find_plan(tx, two, PlanId(1))), None);
        assert_eq!(read(store, |tx| library::find_artifact(tx, two, ArtifactId(1))), None);
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
            write(store, |tx| library::save(tx, room, &Library::default(), &before));
        }
        let mut after = before.clone();
        after.cards[0].pinned = true;
        after.cards[1].pinned = false;
        after.anchors[1] = Anchor { title: "new".to_owned(), updated_at: at(9), ..described("a:core", 77) };
        assert_eq!(after.anchors[1].id, before.anchors[1].id);
        after.plans.push(plan(LAST + 1));
        after.artifacts.push(artifact(LAST + 1, None));
        write(store, |tx| library::save(tx, one, &before, &after));
        assert_eq!(read(store, |tx| library::all(tx, one)), after);
        assert_eq!(read(store, |tx| library::all(tx, two)), before);
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
        let cards = vec![
            of(1, true, Some(7), None, Some(3)),
            of(2, false, Some(7), Some("a:core"), None),
            of(3, true, None, Some("a:core"), Some(3)),
            of(4, false, Some(8), Some("a:core/x"), Some(4)),
            of(5, true, Some(7), Some("a:core"), Some(3)),
        ];
        let all = Library { cards, ..Library::default() };
        write(store, |tx| library::save(tx, one, &Library::default(), &all));
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
        let mut all = full();
        all.artifacts = (1..=5).map(|id| artifact(id, Some(id % 2))).collect();
        write(store, |tx| library::save(tx, one, &Library::default(), &all));
        let order: Vec<&str> = all.anchors.iter().map(|anchor| anchor.id.as_str()).collect();
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
                library::save(tx, one, &Library::default(), &full())?;
                tx.execute(wrong, &[], Changes::Any)?;
                library::all(tx, one).map(drop)
            });
            match refused {
                Err(StoreError::BadRow { table: named, .. }) => assert_eq!(named, table, "{wrong}"),
                other => panic!("{wrong}: {other:?}"),
            }
        }
    });
}
