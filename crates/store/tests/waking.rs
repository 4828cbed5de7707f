//! The doorbell and the listener's seat, between processes.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::collections::BTreeSet;

use baton_core::{ids::AgentId, room::Event, room::Noted};
use baton_store::{
    StoreError,
    engine::{Bell, RungFor},
};
use baton_testkit::{Other, Role, Scribe, on_every_place};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

fn rings_within(bell: &dyn Bell, seconds: i64) -> bool {
    let fd = bell.fd();
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    poll(&mut fds, Some(&Timespec { tv_sec: seconds, tv_nsec: 0 })).unwrap() == 1
}

/// Whether the bell rings; it has ten seconds, and needs a millisecond.
fn rings(bell: &dyn Bell) -> bool {
    rings_within(bell, 10)
}

fn silent(bell: &dyn Bell) -> bool {
    !rings_within(bell, 0)
}

#[test]
#[ignore = "the other process of the tests in this file"]
fn the_other_process() {
    let Some(role) = Role::mine() else { return };
    let scribe = Scribe::new("other");
    let store = role.open();
    let id = "room_1".parse().unwrap();
    let write = |commit: bool| {
        store.write::<_, StoreError>(|tx| {
            let room = baton_store::rooms::load(tx, &id)?.unwrap();
            scribe.writes_in(tx, &room, Event::Noted(Noted { text: "ding".to_owned() }))?;
            if commit {
                Ok(())
            } else {
                Err(StoreError::BadRow { table: "log", key: String::new(), detail: String::new() })
            }
        })
    };
    match role.name.as_str() {
        "regrets, then writes" => {
            role.say("ready");
            role.hear();
            write(false).unwrap_err();
            role.say("regretted");
            role.hear();
            write(true).unwrap();
            role.say("written");
            role.hear();
            write(true).unwrap();
        }
        "takes a seat" => {
            let seat = store.listener_seat(&id, &agent()).unwrap();
            role.say(if seat.is_some() { "sits" } else { "stands" });
            role.hear();
        }
        other => panic!("nobody plays {other}"),
    }
}

fn agent() -> AgentId {
    "ana".parse().unwrap()
}

#[test]
fn a_commit_in_another_process_rings_and_a_rollback_does_not() {
    on_every_place(|place| {
        let store = place.open();
        let room = Scribe::new("ana").opens(&store, "room_1", "/repo");
        let mut bell = store.listen(&room.id).unwrap();
        assert!(silent(&*bell), "what was committed before is not heard");
        let mut other = Other::start_at("regrets, then writes", &place);
        assert_eq!(other.says().as_deref(), Some("ready"));
        other.go();
        assert_eq!(other.says().as_deref(), Some("regretted"));
        assert!(silent(&*bell));
        other.go();
        assert!(rings(&*bell));
        assert_eq!(other.says().as_deref(), Some("written"));
        assert_eq!(bell.clear(&agent()), RungFor::Others, "a note is for nobody in particular");
        assert!(silent(&*bell), "a ring is heard once");
        other.go();
        assert!(rings(&*bell), "and the next one again");
    });
}

#[test]
fn every_listener_hears_its_own_room_and_no_other() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let (store, elsewhere) = (place.open(), place.open());
        let first = scribe.opens(&store, "room_1", "/one");
        let second = scribe.opens(&store, "room_2", "/two");
        let bells = [store.listen(&first.id).unwrap(), elsewhere.listen(&first.id).unwrap()];
        let other = store.listen(&second.id).unwrap();
        scribe.notes(&store, &first, "ding").unwrap();
        assert!(bells.iter().all(|bell| rings(&**bell)) && silent(&*other));
        scribe.notes(&elsewhere, &second, "dong").unwrap();
        assert!(rings(&*other));
    });
}

#[test]
fn who_listens_to_all_rooms_is_told_which_rang() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let (store, elsewhere) = (place.open(), place.open());
        let rooms = ["room_1", "room_2", "room_3"].map(|id| scribe.opens(&store, id, &format!("/{id}")));
        let mut bell = store.listen_everywhere().unwrap();
        for told in [vec![&rooms[0]], vec![&rooms[1], &rooms[2]]] {
            for room in &told {
                scribe.notes(&elsewhere, room, "ding").unwrap();
            }
            let mut heard = BTreeSet::new();
            while heard.len() < told.len() {
                assert!(rings(&*bell));
                heard.extend(bell.clear_rooms().expect("so few are told apart"));
            }
            assert_eq!(heard, told.into_iter().map(|room| room.id.clone()).collect());
        }
    });
}

#[test]
fn a_read_and_a_mere_presence_ring_nothing() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let store = place.open();
        let room = scribe.opens(&store, "room_1", "/repo");
        let bell = store.listen(&room.id).unwrap();
        scribe.reads(&store, &room.id).unwrap();
        let now = baton_core::time::Timestamp::from_millis(9_000_000);
        store.write::<_, StoreError>(|tx| baton_store::rooms::seen(tx, &room.id, &agent(), now)).unwrap();
        assert!(silent(&*bell));
    });
}

#[test]
fn a_member_has_one_seat_which_is_free_again_when_it_is_left() {
    on_every_place(|place| {
        let (store, elsewhere) = (place.open(), place.open());
        let room = "room_1".parse().unwrap();
        let seat = store.listener_seat(&room, &agent()).unwrap();
        assert!(seat.is_some());
        assert!(store.listener_seat(&room, &agent()).unwrap().is_none());
        assert!(elsewhere.listener_seat(&room, &agent()).unwrap().is_none());
        assert!(store.listener_seat(&room, &"bo".parse().unwrap()).unwrap().is_some(), "others have their own");
        assert!(store.listener_seat(&"room_2".parse().unwrap(), &agent()).unwrap().is_some(), "in every room");
        drop(seat);
        assert!(elsewhere.listener_seat(&room, &agent()).unwrap().is_some());
    });
}

#[test]
fn a_seat_is_free_again_when_the_process_that_sat_there_is_killed() {
    on_every_place(|place| {
        let store = place.open();
        let room = "room_1".parse().unwrap();
        let mut other = Other::start_at("takes a seat", &place);
        assert_eq!(other.says().as_deref(), Some("sits"));
        assert!(store.listener_seat(&room, &agent()).unwrap().is_none());
        other.kill();
        assert!(store.listener_seat(&room, &agent()).unwrap().is_some());
    });
}
