//! Notifications and seats over connections that break.

use std::thread;

use baton_core::{event::Concern, ids::AgentId};
use baton_store::{Store, StoreError, engine::RungFor, rooms};
use baton_testkit::{Backend, Place, Proxy, Scribe};

use super::support::{end_all_sessions, notes, open, open_room, reads, rings, room_id, silent};

fn agent() -> AgentId {
    "ana".parse().unwrap()
}

/// Rings for somebody, as a commit does.
fn ring_for(store: &Store, concern: Concern<'_>) {
    let rung = store.write::<_, StoreError>(|tx| {
        rooms::load(tx, &room_id())?;
        tx.ring(&room_id(), concern);
        Ok(())
    });
    rung.unwrap();
}

#[test]
fn a_listener_whose_connection_broke_is_rung_and_then_hears_its_own_room_again() {
    let place = Place::new(Backend::Postgres);
    let (store, elsewhere) = (place.open(), place.open());
    open_room(&store);
    let second = Scribe::new("ana").opens(&store, "room_2", "/two");
    let mut bell = store.listen(&room_id()).unwrap();
    let mut other = store.listen(&second.id).unwrap();
    for round in 0..3 {
        end_all_sessions(&place);
        assert!(rings(&*bell) && rings(&*other), "something may have been missed");
        assert_eq!((bell.clear(&agent()), other.clear(&agent())), (RungFor::Anyone, RungFor::Anyone));
        notes(&elsewhere, &format!("round {round}"), |_| {}).unwrap();
        assert!(rings(&*bell));
        assert!(silent(&*other));
        bell.clear(&agent());
    }
}

#[test]
fn a_listener_on_a_network_that_keeps_breaking_misses_nothing() {
    let place = Place::new(Backend::Postgres);
    let elsewhere = place.open();
    open_room(&elsewhere);
    let proxy = Proxy::start(&place.address());
    let store = open(&proxy.url());
    let mut bell = store.listen(&room_id()).unwrap();
    for round in 0..20 {
        thread::scope(|scope| {
            scope.spawn(|| notes(&elsewhere, &format!("round {round}"), |_| {}).unwrap());
            scope.spawn(|| proxy.cuts_all());
            // As a wait does it: it looks whenever the bell rings, and only then.
            while reads(&store).unwrap().unwrap().last_seq.0 < 3 + round {
                assert!(rings(&*bell), "round {round}");
                bell.clear(&agent());
            }
        });
    }
}

#[test]
fn a_ring_says_whom_it_is_for() {
    let place = Place::new(Backend::Postgres);
    let (store, elsewhere) = (place.open(), place.open());
    open_room(&store);
    let mut bell = store.listen(&room_id()).unwrap();
    let bo: AgentId = "bo".parse().unwrap();
    let cases = [
        (Concern::Everyone, RungFor::Anyone),
        (Concern::One(&agent()), RungFor::You),
        (Concern::One(&bo), RungFor::Others),
        (Concern::Nobody, RungFor::Others),
    ];
    for (concern, rung_for) in cases {
        ring_for(&elsewhere, concern);
        assert!(rings(&*bell));
        assert_eq!(bell.clear(&agent()), rung_for, "{concern:?}");
    }
}

#[test]
fn rings_that_nobody_took_are_not_forgotten_whomever_the_last_one_was_for() {
    let place = Place::new(Backend::Postgres);
    let (store, elsewhere) = (place.open(), place.open());
    open_room(&store);
    let mut bell = store.listen(&room_id()).unwrap();
    // The last one is heard through a second ear, so that all of them have arrived.
    let mut last = store.listen(&room_id()).unwrap();
    ring_for(&elsewhere, Concern::One(&agent()));
    assert!(rings(&*last));
    last.clear(&agent());
    ring_for(&elsewhere, Concern::Nobody);
    assert!(rings(&*last));
    assert_eq!(bell.clear(&agent()), RungFor::You);
}

#[test]
fn a_seat_is_kept_when_the_connection_breaks() {
    let place = Place::new(Backend::Postgres);
    let (store, elsewhere) = (place.open(), place.open());
    open_room(&store);
    let seat = store.listener_seat(&room_id(), &agent()).unwrap();
    assert!(seat.is_some());
    end_all_sessions(&place);
    assert!((0..20_000).any(|_| place.is_listening(&elsewhere, &room_id(), &agent())), "it comes back by itself");
    assert!(elsewhere.listener_seat(&room_id(), &agent()).unwrap().is_none());
    drop(seat);
    assert!(elsewhere.listener_seat(&room_id(), &agent()).unwrap().is_some());
}

#[test]
fn a_seat_is_taken_again_though_the_server_has_not_noticed_that_the_connection_broke() {
    let place = Place::new(Backend::Postgres);
    open_room(&place.open());
    let proxy = Proxy::start(&place.address());
    let (store, elsewhere) = (open(&proxy.url()), place.open());
    let mut bell = store.listen(&room_id()).unwrap();
    let seat = store.listener_seat(&room_id(), &agent()).unwrap();
    assert!(seat.is_some());
    proxy.cuts_clients();
    assert!(rings(&*bell), "something may have been missed");
    bell.clear(&agent());
    assert!(elsewhere.listener_seat(&room_id(), &agent()).unwrap().is_none(), "it is still ours");
    drop(seat);
    assert!(elsewhere.listener_seat(&room_id(), &agent()).unwrap().is_some(), "and free once we leave it");
}
