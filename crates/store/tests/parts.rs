//! Scopes, tasks, inboxes and former names: every row is read back as it was written, on every engine.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use baton_core::{
    agent::Former,
    ids::{BeadId, Seq},
    inbox::{Category, Item},
    lease::{Fence, Lease},
    part::Rows,
    scope::{End, Ended, Reservation},
    task::{Focus, State, Task, TaskId},
    turn::TurnId,
};
use baton_store::{
    StoreError,
    engine::Changes,
    former,
    inbox::{self as items, Waiting},
    scopes, table, tasks,
};
use baton_testkit::rows::{ODD, agent, all, at, find, on_two_rooms, put, read, save};

fn bead() -> BeadId {
    "bb-u6f.6.3".parse().unwrap()
}

fn reservation(id: u64, owner: &str, ended: Option<(i64, End)>) -> Reservation {
    Reservation {
        lease: Lease { holder: agent(owner), fence: Fence(id), expires_at: at(id as i64 - 1) },
        scope: format!("{ODD}/{id}"),
        bead_id: id.is_multiple_of(2).then(bead),
        since: at(id as i64),
        ended: ended.map(|(millis, how)| Ended { at: at(millis), how }),
    }
}

#[test]
fn reservations_are_read_back_in_force_ended_and_by_who_had_them() {
    on_two_rooms(|store, one, two| {
        let known = Rows::from_iter([
            reservation(3, "ana", Some((70, End::Expired))),
            reservation(4, "bo", Some((90, End::Released))),
            reservation(5, "ana", None),
            reservation(6, "bo", None),
            reservation(7, "ana", Some((70, End::Expired))),
            reservation(i64::MAX as u64, "ana", Some((80, End::Released))),
        ]);
        let ids = |found: &[Reservation]| found.iter().map(|found| found.id().0).collect::<Vec<_>>();
        put(store, one, &known);
        assert_eq!(all(store, one), known);
        assert_eq!(ids(&Vec::from_iter(read(store, |tx| scopes::in_force(tx, one)))), [5, 6]);
        assert_eq!(ids(&read(store, |tx| scopes::ended(tx, one, 200))), [4, i64::MAX as u64, 7, 3]);
        assert_eq!(ids(&read(store, |tx| scopes::ended(tx, one, 1))), [4]);
        assert_eq!(read(store, |tx| scopes::ended(tx, one, 0)), []);
        assert_eq!(ids(&read(store, |tx| scopes::expired_of(tx, one, &agent("ana"), 9))), [7, 3]);
        assert_eq!(ids(&read(store, |tx| scopes::expired_of(tx, one, &agent("ana"), 1))), [7]);
        assert_eq!(read(store, |tx| scopes::expired_of(tx, one, &agent("bo"), 9)), []);
        assert_eq!(all::<Reservation>(store, two), Rows::default());
    });
}

#[test]
fn a_reservation_that_moved_on_or_ended_is_stored_as_it_is_now() {
    on_two_rooms(|store, one, two| {
        let before = Rows::from_iter([reservation(3, "ana", None), reservation(4, "ana", None)]);
        for room in [one, two] {
            put(store, room, &before);
        }
        let mut after = before.clone();
        after.change(&Seq(3), |reservation| {
            reservation.lease.holder = agent("bo");
            reservation.lease.expires_at = at(77);
            reservation.bead_id = Some(bead());
        });
        after.change(&Seq(4), |reservation| reservation.ended = Some(Ended { at: at(9), how: End::Expired }));
        after.put(reservation(8, "cy", None));
        save(store, one, &after);
        assert_eq!(all(store, one), after);
        assert_eq!(all(store, two), before);
    });
}

#[test]
fn an_end_that_is_no_word_is_refused_by_the_database_and_one_without_a_word_is_named() {
    on_two_rooms(|store, one, _| {
        let known = Rows::from_iter([reservation(3, "ana", None)]);
        put(store, one, &known);
        let wrong = store.write::<_, StoreError>(|tx| {
            tx.execute("UPDATE scopes SET ended_how = 'lost', ended_at_ms = 1", &[], Changes::Any)
        });
        assert!(wrong.is_err());
        let half = store.write(|tx| {
            tx.execute("UPDATE scopes SET ended_at_ms = 1", &[], Changes::Any)?;
            table::all::<Reservation>(tx, one)
        });
        assert!(matches!(half, Err(StoreError::BadRow { table: "scopes", .. })), "{half:?}");
        assert_eq!(all(store, one), known);
    });
}

fn a_task(id: u32, state: State, assignee: Option<&str>, updated: i64) -> Task {
    Task {
        id: TaskId(id),
        title: ODD.to_owned(),
        state,
        assignee: assignee.map(agent),
        scopes: if id == 1 { Vec::new() } else { vec![ODD.to_owned(), "src/*".to_owned()] },
        definition_of_done: (id != 1).then(|| ODD.to_owned()),
        verification: if id == 1 { Vec::new() } else { vec![ODD.to_owned(), String::new()] },
        created_by: agent("ana"),
        created_at: at(-1),
        updated_at: at(updated),
    }
}

#[test]
fn tasks_are_read_back_by_number_state_and_assignee() {
    on_two_rooms(|store, one, two| {
        let known = [
            a_task(1, State::Open, None, 1),
            a_task(2, State::InProgress, Some("ana"), 9),
            a_task(3, State::InProgress, Some("ana"), 5),
            a_task(4, State::Done, Some("ana"), 2),
            a_task(999_999_999, State::Open, Some("ana"), 3),
        ];
        assert_eq!(read(store, |tx| tasks::next_id(tx, one)), TaskId(1));
        put(store, one, &Rows::from_iter(known.clone()));
        let ids = |found: Vec<Task>| found.iter().map(|task| task.id.0).collect::<Vec<_>>();
        assert_eq!(all(store, one), Rows::from_iter(known.clone()));
        assert_eq!(find(store, one, &TaskId(2)).as_ref(), Some(&known[1]));
        assert_eq!(find::<Task>(store, one, &TaskId(5)), None);
        assert_eq!(read(store, |tx| tasks::next_id(tx, one)), TaskId(1_000_000_000));
        assert_eq!(ids(read(store, |tx| tasks::newest(tx, one, None, 2))), [999_999_999, 4]);
        assert_eq!(ids(read(store, |tx| tasks::in_state(tx, one, State::InProgress, None, 9))), [3, 2]);
        assert_eq!(ids(read(store, |tx| tasks::in_state(tx, one, State::Open, None, 1))), [999_999_999]);
        assert_eq!(
            ids(read(store, |tx| tasks::in_progress_of(tx, one, &agent("ana")))),
            [2, 3],
            "the last touched first"
        );
        assert_eq!(ids(read(store, |tx| tasks::unfinished_of(tx, one, &agent("ana")))), [2, 3, 999_999_999]);
        assert_eq!(all::<Task>(store, two), Rows::default());

        let changed =
            Task { state: State::Done, assignee: None, updated_at: at(50), scopes: Vec::new(), ..known[1].clone() };
        let mut tasks = Rows::from_iter(known);
        tasks.put(changed.clone());
        save(store, one, &tasks);
        assert_eq!(find(store, one, &TaskId(2)), Some(changed));
    });
}

#[test]
fn who_has_turned_to_what_is_kept_until_they_turn_away() {
    on_two_rooms(|store, one, two| {
        let focus = |name: &str, task: u32| Focus { agent: agent(name), task: TaskId(task) };
        // In the order of bytes, whatever the place of a letter in an alphabet.
        let first = [focus("Zoe", 999_999_999), focus("ana", 1), focus("bo", 2)];
        let mut known = Rows::from_iter(first.clone());
        put(store, one, &known);
        assert_eq!(Vec::from_iter(all::<Focus>(store, one)), first);
        assert_eq!(find(store, one, &agent("bo")), Some(focus("bo", 2)));
        assert_eq!(find::<Focus>(store, one, &agent("cy")), None);
        assert_eq!(find::<Focus>(store, two, &agent("bo")), None);
        // One turns away, one to something else, one comes, and one stays.
        known.remove(&agent("ana"));
        known.put(focus("bo", 3));
        known.put(focus("cy", 1));
        save(store, one, &known);
        let then = [focus("Zoe", 999_999_999), focus("bo", 3), focus("cy", 1)];
        assert_eq!(Vec::from_iter(all::<Focus>(store, one)), then);
        let mut known = Rows::from_iter(then);
        for name in ["Zoe", "bo", "cy"] {
            known.remove(&agent(name));
        }
        save(store, one, &known);
        assert_eq!(all::<Focus>(store, one), Rows::default());
    });
}

fn an_item(message: u64, recipient: &str, requires_ack: bool, rungs: usize) -> Item {
    let rung = |number: usize| (rungs >= number).then(|| at(100 + number as i64));
    Item {
        message: Seq(message),
        recipient: agent(recipient),
        sender: agent("ana"),
        category: Category::ALL[message as usize % 4],
        requires_ack,
        wakes: message.is_multiple_of(2),
        interrupts: message.is_multiple_of(3),
        turn: (rungs > 1).then_some(TurnId(7)),
        queued_at: at(message as i64),
        delivered_at: rung(1),
        seen_at: rung(2),
        accepted_at: rung(3),
        note: rung(3).map(|_| "on it".to_owned()),
    }
}

#[test]
fn items_are_read_back_by_recipient_sender_and_message_on_every_rung() {
    on_two_rooms(|store, one, two| {
        let known = Rows::from_iter([
            an_item(10, "bo", false, 0),
            an_item(10, "cy", false, 1),
            an_item(11, "bo", true, 2),
            an_item(12, "bo", true, 3),
            an_item(13, "bo", false, 2),
            an_item(14, "bo", true, 0),
        ]);
        put(store, one, &known);
        assert_eq!(all(store, one), known);
        assert_eq!(all::<Item>(store, two), Rows::default());
        let bo = agent("bo");
        let places = |found: Vec<Item>| found.iter().map(|item| item.message.0).collect::<Vec<_>>();
        assert_eq!(places(read(store, |tx| items::of(tx, one, &bo, Seq(0), 99))), [10, 11, 12, 13, 14]);
        assert_eq!(places(read(store, |tx| items::of(tx, one, &bo, Seq(11), 2))), [12, 13]);
        assert_eq!(places(read(store, |tx| items::pending(tx, one, &bo, Seq(0), 99))), [10, 11, 14]);
        assert_eq!(places(read(store, |tx| items::pending(tx, one, &bo, Seq(10), 1))), [11]);
        assert_eq!(places(read(store, |tx| items::sent(tx, one, &agent("ana"), None, 4))), [14, 13, 12, 11]);
        assert_eq!(places(read(store, |tx| items::unanswered(tx, one, &agent("ana"), None, 9))), [14, 11]);
        assert_eq!(places(read(store, |tx| items::of_message(tx, one, Seq(10)))), [10, 10]);
        let waiting = Waiting { unseen: 2, to_accept: 2, calls: Some(Seq(14)), interrupts: false };
        assert_eq!(read(store, |tx| items::waiting(tx, one, &bo)), waiting);
        assert_eq!(read(store, |tx| items::waiting(tx, one, &agent("dee"))), Waiting::default());
        assert_eq!(read(store, |tx| items::waiting(tx, two, &bo)), Waiting::default());
    });
}

#[test]
fn an_item_climbs_and_goes_on_with_its_identity() {
    on_two_rooms(|store, one, _| {
        let mut known = Rows::from_iter([an_item(10, "bo", true, 0), an_item(12, "bo", true, 1)]);
        put(store, one, &known);
        known.put(an_item(10, "bo", true, 3));
        known.remove(&(Seq(12), agent("bo")));
        known.put(an_item(12, "cy", true, 1));
        save(store, one, &known);
        let expected = Rows::from_iter([an_item(10, "bo", true, 3), an_item(12, "cy", true, 1)]);
        assert_eq!(all(store, one), expected, "it is in one inbox only");
    });
}

#[test]
fn former_names_are_kept_given_up_and_taken_into_use_again() {
    on_two_rooms(|store, one, two| {
        let former = |name: &str, role: Option<&str>, until: i64| Former {
            retired: role.is_none(),
            name: name.to_owned(),
            agent_id: agent("codex:9b22"),
            role: role.map(|role| role.parse().unwrap()),
            until: at(until),
            added_by: role.map(|_| "ci".to_owned()),
        };
        let (otter, harbor) = (former("amber-otter", Some("reviewer"), 9), former("cobalt-harbor", None, 5));
        let mut known = Rows::of_new_room();
        for away in [&otter, &harbor] {
            known.put(away.clone());
            save(store, one, &known);
            known.settle();
        }
        assert_eq!(read(store, |tx| former::all(tx, one)), [harbor.clone(), otter.clone()], "the oldest first");
        assert_eq!(read(store, |tx| former::all(tx, two)), []);
        // Renaming: one name comes into use, the other goes out of it.
        known.remove(&"amber-otter".to_owned());
        known.put(former("jade-fox", None, 20));
        save(store, one, &known);
        known.settle();
        assert_eq!(read(store, |tx| former::all(tx, one)), [harbor, former("jade-fox", None, 20)]);
        let again = former("jade-fox", Some("tester"), 30);
        known.put(again.clone());
        save(store, one, &known);
        assert_eq!(read(store, |tx| former::all(tx, one))[1], again, "a name is kept once, with who had it last");
    });
}
