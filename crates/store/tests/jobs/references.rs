//! Whether a reference leads anywhere.

use baton_core::{
    event::Recorded,
    ids::Seq,
    job::{self, Job, JobId},
    library::{Anchor, Artifact, ArtifactId, ArtifactKind, Card, CardId, CardKind, Plan, PlanId},
    reference::Reference,
    runner::{Phase, Runner},
    task::{State, Task, TaskId},
};
use baton_store::{log, references, table};
use baton_testkit::{Scribe, on_every_place};

use super::{
    events::requeued,
    support::{agent, anchor, at, find, job, read, write},
};

fn library() -> (Card, Anchor, Plan, Artifact) {
    let (created_by, created_at) = (agent("ana"), at(0));
    let card = Card {
        id: CardId(1),
        kind: CardKind::Note,
        title: "x".to_owned(),
        tags: Vec::new(),
        pinned: false,
        task: None,
        anchor: None,
        job: None,
        seq: Seq(1),
        created_by: created_by.clone(),
        created_at,
    };
    let artifact = Artifact {
        id: ArtifactId(1),
        kind: ArtifactKind::Diff,
        name: "x".to_owned(),
        sha256: "0".repeat(64),
        bytes: 1,
        host: "host_1".to_owned(),
        job: None,
        node: None,
        turn: None,
        dropped_at: None,
        seq: Seq(1),
        created_by: created_by.clone(),
        created_at,
    };
    let core = Anchor { id: anchor("a:core"), title: "x".to_owned(), seq: Seq(1), updated_at: at(0) };
    (card, core, Plan { id: PlanId(1), title: "x".to_owned(), seq: Seq(1), created_by, created_at }, artifact)
}

#[test]
fn a_reference_leads_somewhere_where_that_is_and_nowhere_else() {
    on_every_place(|place| {
        let store = place.open();
        let scribe = Scribe::new("ana");
        let room = scribe.opens(&store, "room_1", "/one");
        let other = scribe.opens(&store, "room_2", "/two").id;
        let room = scribe.notes(&store, &room, "third").unwrap();
        let again = requeued(false);
        let fourth: Recorded = room.record(at(1), agent("ana"), job::Event::Requeued(again));
        let task = Task {
            id: TaskId(1),
            title: "x".to_owned(),
            state: State::Done,
            assignee: None,
            scopes: Vec::new(),
            definition_of_done: None,
            verification: Vec::new(),
            created_by: agent("ana"),
            created_at: at(0),
            updated_at: at(0),
        };
        let runner = Runner {
            id: agent("r1"),
            claimant: agent("ana").into(),
            capabilities: None,
            retired: true,
            phase: Phase::Idle,
            active: Vec::new(),
            lease_expires_at: at(0),
        };
        let (card, core, plan, artifact) = library();
        write(&store, |tx| {
            log::append(tx, &fourth)?;
            table::insert(tx, &room.id, [&job(1)])?;
            table::insert(tx, &room.id, [&task])?;
            table::insert(tx, &room.id, [&runner])?;
            table::insert(tx, &room.id, [&card])?;
            table::insert(tx, &room.id, [&core])?;
            table::insert(tx, &room.id, [&plan])?;
            table::insert(tx, &room.id, [&artifact])
        });
        let there = [
            "JOB-001",
            "JOB-001@4",
            "TASK-001",
            "CARD-1",
            "PLAN-1",
            "notes@3",
            "a:core",
            "runner:r1",
            "artifact://diff/1",
        ];
        let nowhere = [
            "JOB-002",
            "JOB-001@3",
            "JOB-001@5",
            "JOB-002@4",
            "TASK-002",
            "CARD-2",
            "PLAN-2",
            "notes@4",
            "notes@2",
            "notes@999999999999999999",
            "a:Core",
            "runner:r2",
            "artifact://log/1",
            "artifact://diff/2",
        ];
        let receipts = ["CMD: cargo test", "LINK: https://example.org"];
        let parsed = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<Reference>>();
        let leads = |room, texts: &[&str]| read(&store, |tx| references::lead_somewhere(tx, room, &parsed(texts)));
        assert_eq!(leads(&room.id, &there), [true; 9]);
        assert_eq!(leads(&room.id, &nowhere), [false; 14]);
        assert_eq!(leads(&room.id, &receipts), [true; 2], "they point to nothing that a room keeps");
        assert_eq!(leads(&other, &there), [false; 9], "that is another room's");
        assert_eq!(leads(&room.id, &["PLAN-2", "CMD: ls -l", "JOB-001", "JOB-001"]), [false, true, true, true]);
        assert_eq!(leads(&room.id, &[]), [true; 0]);
        assert_eq!(find::<Job>(&store, &room.id, &JobId(1)), Some(job(1)));
    });
}
