//! Every function of the store's tables, on every engine.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use baton_core::{
    event::Recorded,
    handoff::{Artifact, ArtifactRole, Handoff},
    ids::{LeaseId, RoomId, Seq},
    lease::{Fence, Lease},
    limits,
    policy::{Policy, PolicyChange, Wake},
    process::{Liveness, ProcessIdentity, Proof, SessionKind},
    room::{
        ClaimReason, Claimed, Closed, Event, Granted, Left, Member, Noted, Ownership, Pending, PolicySet, Released,
        Reordered, Reservation, Rest, Room, Stick, TakenOver, TakeoverReason, Via,
    },
    time::{Timestamp, Ttl},
    tree::{FileState, Files, MissingArtifact, Record, Tree},
};
use baton_store::{
    Store, StoreError,
    engine::{Changes, Dialect, EachRow, Param, Query, Tx},
    idempotency::{self, First},
    log, rooms,
};
use baton_testkit::{
    Scribe, on_every_place,
    rows::{agent, at},
};

fn lease(name: &str) -> LeaseId {
    name.parse().unwrap()
}

/// A process whose numbers use every bit they have.
fn process() -> ProcessIdentity {
    ProcessIdentity {
        keeps: None,
        host_id: "host_1".to_owned(),
        boot_id: "boot".to_owned(),
        pid_namespace: 4_026_531_836,
        pid: u32::MAX,
        start_ticks: u64::MAX,
        pidfd_inode: Some(u64::MAX - 1),
        process_started_at: at(-1),
    }
}

fn tree() -> Record {
    let files =
        [("src/it's \"ü\"\n.rs".to_owned(), FileState::content(b"1")), ("token".to_owned(), FileState::deleted())];
    let missing = MissingArtifact { path: "docs/漢字.md".to_owned(), lines: Some([1, 9]), file_lines: Some(3) };
    Record {
        tree: Tree { head: Some("0f".repeat(20)), dirty: Files(files.into()), more: 2 },
        missing_artifacts: vec![missing],
    }
}

fn member(name: &str, process: Option<ProcessIdentity>, session_kind: SessionKind) -> Member {
    let display_name = format!("the {name}");
    let role = process.as_ref().map(|_| "reviewer".parse().unwrap());
    Member {
        overridden: process.is_some(),
        added_by: None,
        parallel_to: None,
        wake: process.as_ref().map(|_| Wake::Messages),
        rest: process.as_ref().map(|_| Rest { since: Seq(9), until: at(88) }),
        agent_id: agent(name),
        display_name,
        role,
        session_kind,
        process,
        joined_at: at(5),
        last_seen_at: at(6),
    }
}

fn room(id: &str, stick: Stick) -> Room {
    let change = PolicyChange { claim_ttl_ms: Some(Ttl::from_millis(1234)), ..PolicyChange::default() };
    Room {
        id: id.parse().unwrap(),
        canonical_path: Some(format!("/repo/{id}")),
        name: Some(format!("the {id}")),
        members: vec![
            member("codex", Some(process()), SessionKind::McpHarness),
            member("ana", None, SessionKind::Human),
            member("guard", Some(ProcessIdentity { pidfd_inode: None, ..process() }), SessionKind::HumanGuardian),
        ],
        sequence_index: 2,
        stick,
        turn: Fence(7),
        policy: Policy::default().changed(&change).unwrap(),
        last_seq: Seq(41),
        created_at: at(1),
        updated_at: at(2),
        earlier_events: 12,
    }
}

fn pending(via: Via) -> Pending {
    Pending { seq: Seq(40), from: agent("codex"), via }
}

fn owned(reason: ClaimReason, received: Option<Pending>, process: Option<ProcessIdentity>) -> Stick {
    Stick::Owned(Ownership {
        lease: Lease { holder: agent("codex"), fence: Fence(7), expires_at: at(99) },
        lease_id: lease("lease_1"),
        process,
        received,
        taken_from: (reason == ClaimReason::Takeover).then(|| agent("claude")),
        reason,
        since: at(50),
    })
}

fn handoff() -> Handoff {
    Handoff {
        status: "ünïcode ✓ \"quoted\"\n".to_owned(),
        next_action: "go on".to_owned(),
        artifacts: vec![Artifact {
            path: "a.rs".to_owned(),
            lines: Some([1, 9]),
            role: ArtifactRole::Edit,
            note: Some("here".to_owned()),
        }],
        open_questions: vec!["why?".to_owned()],
        do_not: vec!["panic".to_owned()],
        context_ref: None,
    }
}

/// One of every kind of event.
fn every_event() -> Vec<Event> {
    let scribe = Scribe::new("ana");
    let grant = |turn| Granted {
        turn_id: Fence(turn),
        lease_id: lease("lease_1"),
        lease_expires_at: at(99),
        process: Some(process()),
    };
    let released = |to: Option<&str>| Released {
        turn_id: Fence(1),
        to_agent_id: to.map(agent),
        claim_expires_at: to.map(|_| at(77)),
        handoff: handoff(),
        tree: Some(tree()),
    };
    vec![
        scribe.creation("room_1", "/repo").event.room().unwrap().clone(),
        scribe.joining(),
        Event::Claimed(Claimed {
            grant: grant(1),
            reason: ClaimReason::Sequence,
            from_agent_id: Some(agent("codex")),
            handoff_seq: Some(Seq(3)),
        }),
        Event::Released(released(None)),
        Event::Passed(released(Some("codex"))),
        Event::TakenOver(TakenOver {
            grant: grant(2),
            revoked_agent_id: agent("codex"),
            basis: TakeoverReason::OwnerGone,
            liveness: Liveness::Gone(Proof::PidReused),
            revoked_process: Some(process()),
            expired_at: at(66),
            reason: "no answer".to_owned(),
        }),
        Event::Noted(Noted { text: "note".to_owned() }),
        Event::Reordered(Reordered { order: vec![agent("ana")] }),
        Event::PolicySet(PolicySet { policy: Policy::default() }),
        Event::Left(Left { retired: None, agent_id: agent("ana"), reserved_for: None, claim_expires_at: None }),
        Event::Closed(Closed { reason: Some("done".to_owned()) }),
    ]
}

fn insert(store: &Store, room: &Room) -> Result<(), StoreError> {
    store.write(|tx| rooms::insert(tx, room))
}

fn load(store: &Store, id: &RoomId) -> Room {
    store.read::<_, StoreError>(|tx| rooms::load(tx, id)).unwrap().unwrap()
}

#[test]
fn a_room_is_loaded_as_it_was_inserted_wherever_its_stick_is() {
    on_every_place(|place| {
        let store = place.open();
        let sticks = [
            Stick::Idle(None),
            Stick::Idle(Some(pending(Via::Release))),
            Stick::Reserved(Reservation {
                recipient: agent("ana"),
                claim_expires_at: at(88),
                pending: pending(Via::Pass),
            }),
            owned(ClaimReason::OpenClaim, None, None),
            owned(ClaimReason::Sequence, Some(pending(Via::Release)), Some(process())),
            owned(ClaimReason::DirectPass, Some(pending(Via::Pass)), Some(process())),
            owned(ClaimReason::Takeover, None, Some(process())),
            Stick::Closed,
        ];
        for (number, stick) in sticks.into_iter().enumerate() {
            let room = room(&format!("room_{number}"), stick);
            insert(&store, &room).unwrap();
            assert_eq!(load(&store, &room.id), room);
        }
        let nameless = Room { canonical_path: None, ..room("room_nameless", Stick::Idle(None)) };
        insert(&store, &nameless).unwrap();
        assert_eq!(load(&store, &nameless.id), nameless);
        let missing = store.read::<_, StoreError>(|tx| rooms::load(tx, &"room_none".parse().unwrap())).unwrap();
        assert_eq!(missing, None);
    });
}

#[test]
fn what_is_saved_is_loaded() {
    on_every_place(|place| {
        let store = place.open();
        let mut before = room("room_1", Stick::Idle(None));
        insert(&store, &before).unwrap();
        let steps: Vec<fn(&mut Room)> = vec![
            |room| room.stick = owned(ClaimReason::OpenClaim, None, Some(process())),
            |room| room.members.rotate_left(1),
            |room| drop(room.members.remove(0)),
            |room| room.members.push(member("gemini", None, SessionKind::McpHarness)),
            |room| room.members[0].process = Some(process()),
            |room| room.members[0].wake = Some(Wake::Off),
            |room| room.members[0].rest = None,
            |room| room.members.clear(),
            |room| (room.stick, room.turn) = (Stick::Idle(None), Fence(8)),
            |room| room.sequence_index = 0,
            |room| room.policy = Policy::default(),
            |room| room.stick = Stick::Closed,
        ];
        for step in steps {
            let mut after = before.clone();
            step(&mut after);
            after.last_seq = after.last_seq.next();
            store.write::<_, StoreError>(|tx| rooms::save(tx, &before, &after)).unwrap();
            assert_eq!(load(&store, &after.id), after);
            before = after;
        }
    });
}

#[test]
fn a_new_expiry_is_saved_though_nothing_happened_and_no_time_passed() {
    on_every_place(|place| {
        let store = place.open();
        let before = room("room_1", owned(ClaimReason::OpenClaim, None, None));
        insert(&store, &before).unwrap();
        let mut after = before.clone();
        let Stick::Owned(ownership) = &mut after.stick else { panic!() };
        ownership.lease.expires_at = at(12_345);
        store.write::<_, StoreError>(|tx| rooms::save(tx, &before, &after)).unwrap();
        assert_eq!(load(&store, &after.id), after);
    });
}

/// Passes everything on, and counts what changes rows.
struct Counting<'a> {
    inner: &'a mut dyn Tx,
    changes: usize,
}

impl Tx for Counting<'_> {
    fn execute(&mut self, sql: &'static str, params: &[Param<'_>], changes: Changes) -> Result<(), StoreError> {
        self.changes += 1;
        self.inner.execute(sql, params, changes)
    }

    fn query_all(&mut self, queries: &[Query<'_>], each: EachRow<'_>) -> Result<(), StoreError> {
        self.inner.query_all(queries, each)
    }

    fn alone(&mut self, name: &str) -> Result<(), StoreError> {
        self.inner.alone(name)
    }

    fn now(&mut self) -> Result<Timestamp, StoreError> {
        self.inner.now()
    }

    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn ring(&mut self, room: &RoomId, concern: baton_core::event::Concern<'_>) {
        self.inner.ring(room, concern);
    }
}

#[test]
fn only_what_has_changed_is_written() {
    on_every_place(|place| {
        let store = place.open();
        let before = room("room_1", Stick::Idle(None));
        insert(&store, &before).unwrap();
        let statements = |after: &Room| {
            let mut changes = 0;
            let undone = store.write::<(), StoreError>(|tx| {
                let mut counting = Counting { inner: tx, changes: 0 };
                rooms::save(&mut counting, &before, after).unwrap();
                changes = counting.changes;
                // Each look starts from the same room.
                Err(StoreError::BadRow { table: "rooms", key: String::new(), detail: "undone".to_owned() })
            });
            assert!(undone.is_err());
            changes
        };
        let mut after = before.clone();
        assert_eq!(statements(&after), 0, "nothing");
        after.members[1].last_seen_at = at(7);
        assert_eq!(statements(&after), 1, "one member's presence");
        after.last_seq = Seq(42);
        assert_eq!(statements(&after), 1, "the room's row: the event shows that the member was there");
        after.members[1].last_seen_at = before.members[1].last_seen_at.plus(after.policy.presence_grain());
        assert_eq!(statements(&after), 2, "and presence that was written a while ago");
        after.members.pop();
        assert_eq!(statements(&after), 3, "and a member less");
    });
}

#[test]
fn a_room_is_read_as_it_is_stored_whoever_changed_it_last() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let (store, elsewhere) = (place.open(), place.open());
        let first = scribe.opens(&store, "room_1", "/repo");
        assert_eq!(load(&store, &first.id), first);
        let second = scribe.notes(&elsewhere, &first, "from another process").unwrap();
        assert_eq!(load(&store, &first.id), second);
        let undone = store.write::<Room, StoreError>(|tx| {
            let third = scribe.writes_in(tx, &second, Event::Noted(Noted { text: "undone".to_owned() }))?;
            assert_eq!(rooms::load(tx, &first.id)?, Some(third), "the same transaction reads what it stored");
            Err(StoreError::BadRow { table: "rooms", key: String::new(), detail: "undone".to_owned() })
        });
        assert!(undone.is_err());
        assert_eq!(load(&store, &first.id), second);
        let third = store.write::<_, StoreError>(|tx| {
            rooms::load(tx, &first.id)?;
            rooms::seen(tx, &first.id, &"ana".parse().unwrap(), at(90_000))?;
            scribe.writes_in(tx, &second, Event::Noted(Noted { text: "after something else".to_owned() }))
        });
        assert_eq!(load(&store, &first.id).last_seq, third.unwrap().last_seq);
        assert_eq!(load(&store, &first.id).members[0].last_seen_at, at(90_000));
    });
}

#[test]
fn a_room_is_saved_only_on_top_of_the_state_it_was_decided_on() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let store = place.open();
        let old = scribe.opens(&store, "room_1", "/repo");
        let new = scribe.notes(&store, &old, "first").unwrap();
        let mut late = old.clone();
        late.turn = Fence(9);
        late.last_seq = Seq(9);
        let refused = store.write::<_, StoreError>(|tx| rooms::save(tx, &old, &late));
        assert!(matches!(refused, Err(StoreError::BadRow { table: "rooms", .. })), "{refused:?}");
        assert_eq!(load(&store, &new.id), new);
    });
}

#[test]
fn presence_never_moves_back() {
    on_every_place(|place| {
        let store = place.open();
        let room = room("room_1", Stick::Idle(None));
        insert(&store, &room).unwrap();
        for (seen, expected) in [(900, 900), (300, 900), (901, 901)] {
            store.write::<_, StoreError>(|tx| rooms::seen(tx, &room.id, &agent("ana"), at(seen))).unwrap();
            assert_eq!(load(&store, &room.id).members[1].last_seen_at, at(expected));
        }
        let others: Vec<_> = load(&store, &room.id).members.iter().map(|member| member.last_seen_at).collect();
        assert_eq!(others, [at(6), at(901), at(6)]);
    });
}

#[test]
fn open_rooms_are_found_at_paths_in_the_order_of_the_paths() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let store = place.open();
        for number in [3, 17, 0, 9] {
            scribe.opens(&store, &format!("room_{number}"), &format!("/p/{number}"));
        }
        let closed = scribe.opens(&store, "room_closed", "/p/5");
        scribe.writes(&store, &closed, Event::Closed(Closed { reason: None })).unwrap();
        let find = |paths: Vec<String>| store.read::<_, StoreError>(|tx| rooms::at_paths(tx, &paths)).unwrap();
        let paths: Vec<String> = (0..20).map(|number| format!("/p/{number}")).collect();
        let found = |numbers: [u32; 4]| numbers.map(|number| format!("room_{number}").parse::<RoomId>().unwrap());
        assert_eq!(find(paths.clone()), found([0, 3, 9, 17]));
        assert_eq!(find(paths.into_iter().rev().collect()), found([17, 9, 3, 0]));
        assert_eq!(find(vec![]), []);
        assert_eq!(find(vec!["/p".to_owned(), "/p/5".to_owned(), "/p/".to_owned(), "/p/99".to_owned()]), []);
    });
}

#[test]
fn a_path_has_one_open_room_and_any_number_of_closed_ones() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let store = place.open();
        for number in 0..3 {
            let room = scribe.opens(&store, &format!("room_{number}"), "/repo");
            scribe.writes(&store, &room, Event::Closed(Closed { reason: None })).unwrap();
        }
        let open = scribe.opens(&store, "room_open", "/repo");
        let second = Room { canonical_path: open.canonical_path.clone(), ..room("room_second", Stick::Idle(None)) };
        assert!(insert(&store, &second).is_err());
        assert_eq!(store.read::<_, StoreError>(|tx| rooms::all(tx)).unwrap().len(), 4);
    });
}

#[test]
fn recent_rooms_are_those_that_changed_last() {
    on_every_place(|place| {
        let store = place.open();
        for (number, updated) in [(1, 30), (2, 10), (3, 20), (4, 20)] {
            let room = Room { updated_at: at(updated), ..room(&format!("room_{number}"), Stick::Idle(None)) };
            insert(&store, &room).unwrap();
        }
        let recent = |limit| {
            let ids = store.read::<_, StoreError>(|tx| rooms::recent(tx, limit)).unwrap();
            ids.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(recent(10), ["room_1", "room_3", "room_4", "room_2"]);
        assert_eq!(recent(2), ["room_1", "room_3"]);
    });
}

#[test]
fn every_kind_of_event_is_read_back_as_it_was_written() {
    on_every_place(|place| {
        let store = place.open();
        let room = room("room_1", Stick::Idle(None));
        insert(&store, &room).unwrap();
        let number = |(place, event)| Recorded {
            overridden: false,
            room_id: room.id.clone(),
            seq: Seq(place as u64 + 1),
            at: at(place as i64),
            actor: agent("ana"),
            turn: Fence(place as u64),
            event: Event::into(event),
        };
        let written: Vec<Recorded> = every_event().into_iter().enumerate().map(number).collect();
        for recorded in &written {
            store.write::<_, StoreError>(|tx| log::append(tx, recorded)).unwrap();
            let found = store.read::<_, StoreError>(|tx| log::find(tx, &room.id, recorded.seq)).unwrap();
            assert_eq!(found.as_ref(), Some(recorded));
        }
        assert_eq!(store.read::<_, StoreError>(|tx| log::after(tx, &room.id, Seq(0), 99)).unwrap(), written);
    });
}

#[test]
fn a_place_in_the_log_is_taken_once() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let store = place.open();
        let room = scribe.opens(&store, "room_1", "/repo");
        let log_before = scribe.log(&store, &room.id).unwrap();
        let usurper = Recorded { event: Event::Noted(Noted { text: "me".to_owned() }).into(), ..log_before[1].clone() };
        assert!(store.write::<_, StoreError>(|tx| log::append(tx, &usurper)).is_err());
        assert_eq!(scribe.log(&store, &room.id).unwrap(), log_before);
    });
}

#[test]
fn an_event_belongs_to_a_room_that_exists() {
    on_every_place(|place| {
        let store = place.open();
        let orphan = Scribe::new("ana").creation("room_none", "/nowhere");
        assert!(store.write::<_, StoreError>(|tx| log::append(tx, &orphan)).is_err());
    });
}

#[test]
fn the_log_is_read_in_pages_both_ways_and_room_by_room() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let store = place.open();
        let mut room = scribe.opens(&store, "room_1", "/one");
        let other = scribe.opens(&store, "room_2", "/two");
        for number in 3..=10 {
            room = scribe.notes(&store, &room, &number.to_string()).unwrap();
        }
        let seqs = |events: Vec<Recorded>| events.iter().map(|event| event.seq.0).collect::<Vec<_>>();
        let before = |bound: Option<u64>, limit| {
            seqs(store.read::<_, StoreError>(|tx| log::before(tx, &room.id, bound.map(Seq), limit)).unwrap())
        };
        let after =
            |bound, limit| seqs(store.read::<_, StoreError>(|tx| log::after(tx, &room.id, Seq(bound), limit)).unwrap());
        assert_eq!(before(None, 3), [10, 9, 8]);
        assert_eq!(before(Some(8), 3), [7, 6, 5]);
        assert_eq!(before(Some(2), 3), [1]);
        assert_eq!(before(Some(1), 3), [0; 0]);
        assert_eq!(before(Some(u64::MAX), 1), [10]);
        assert_eq!(after(0, 3), [1, 2, 3]);
        assert_eq!(after(8, 3), [9, 10]);
        assert_eq!(after(10, 3), [0; 0]);
        assert_eq!(after(u64::MAX, 3), [0; 0]);
        assert_eq!(scribe.log(&store, &other.id).unwrap().len(), 2);
    });
}

#[test]
fn a_first_answer_is_found_by_its_agent_and_key_alone() {
    on_every_place(|place| {
        let store = place.open();
        let first = First { request: "digest".to_owned(), answer: "{\"a\":1}".to_owned() };
        let find =
            |name: &str, key: &str| store.read::<_, StoreError>(|tx| idempotency::find(tx, &agent(name), key)).unwrap();
        let keep = |name: &str, key: &str, now| {
            store.write::<_, StoreError>(|tx| idempotency::keep(tx, &agent(name), key, &first, at(now)))
        };
        assert_eq!(find("ana", "k"), None);
        keep("ana", "k", 0).unwrap();
        assert_eq!(find("ana", "k"), Some(first.clone()));
        assert_eq!((find("ana", "K"), find("bo", "k")), (None, None));
        assert!(keep("ana", "k", 1).is_err(), "a first answer stays the first");
    });
}

#[test]
fn first_answers_are_forgotten_when_they_are_too_old() {
    on_every_place(|place| {
        let store = place.open();
        let first = First { request: "digest".to_owned(), answer: "{}".to_owned() };
        let week = limits::IDEMPOTENCY_TTL.as_millis() as i64;
        let keep_at = |key: &str, now| {
            store.write::<_, StoreError>(|tx| idempotency::keep(tx, &agent("ana"), key, &first, at(now))).unwrap();
        };
        let known =
            |key: &str| store.read::<_, StoreError>(|tx| idempotency::find(tx, &agent("ana"), key)).unwrap().is_some();
        keep_at("old", 0);
        keep_at("new", 10);
        keep_at("at the last moment", week);
        assert!(known("old") && known("new"));
        keep_at("a moment later", week + 1);
        assert!(!known("old") && known("new"));
    });
}

#[test]
fn an_answer_and_its_change_are_kept_together_or_not_at_all() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let store = place.open();
        let room = scribe.opens(&store, "room_1", "/repo");
        let first = First { request: "digest".to_owned(), answer: "{}".to_owned() };
        let failed = store.write::<(), StoreError>(|tx| {
            idempotency::keep(tx, &agent("ana"), "k", &first, at(0))?;
            // The place is taken, so this fails.
            log::append(tx, &scribe.creation("room_1", "/repo"))
        });
        assert!(failed.is_err());
        let found = store.read::<_, StoreError>(|tx| idempotency::find(tx, &agent("ana"), "k")).unwrap();
        assert_eq!((found, load(&store, &room.id)), (None, room));
    });
}
