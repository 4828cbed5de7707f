//! Connections that break anywhere else, and a server that goes away and comes back.

use std::{sync::Barrier, thread};

use baton_cluster::{Cluster, Durability, Options};
use baton_core::code::ErrorCode;
use baton_store::SCHEMA_VERSION;
use baton_testkit::{Backend, Fault, Place, Proxy};

use super::support::{end_all_sessions, notes, open, open_room, reads, times_noted};

#[test]
fn connections_that_broke_while_nobody_used_them_are_not_noticed() {
    let place = Place::new(Backend::Postgres);
    let room = open_room(&place.open());
    let proxy = Proxy::start(&place.address());
    let store = open(&proxy.url());
    reads(&store).unwrap();
    proxy.cuts_all();
    assert_eq!(notes(&store, "written", |_| {}).unwrap(), 1);
    proxy.cuts_all();
    assert_eq!(reads(&store).unwrap().unwrap().last_seq.0, room.last_seq.0 + 1);
}

#[test]
fn a_connection_that_breaks_in_the_first_messages_of_a_write_is_made_again() {
    let place = Place::new(Backend::Postgres);
    open_room(&place.open());
    let proxy = Proxy::start(&place.address());
    let store = open(&proxy.url());
    reads(&store).unwrap();
    proxy.breaks(Fault::CutAfterBegin);
    notes(&store, "once", |_| {}).unwrap();
    assert_eq!(times_noted(&place.open(), "once"), 1);
}

#[test]
fn a_connection_that_breaks_inside_the_work_has_the_work_done_again() {
    let place = Place::new(Backend::Postgres);
    let store = place.open();
    open_room(&store);
    let runs = notes(&store, "once", |run| {
        if run == 1 {
            end_all_sessions(&place);
        }
    });
    assert_eq!(runs.unwrap(), 2);
    assert_eq!(times_noted(&store, "once"), 1);
}

#[test]
fn a_connection_that_breaks_while_the_schema_is_made_leaves_it_made_once() {
    for fault in [Fault::CutAfterBegin, Fault::CutBeforeCommit, Fault::CutAfterCommit] {
        let place = Place::new(Backend::Postgres);
        let proxy = Proxy::start(&place.address());
        proxy.breaks(fault);
        let store = open(&proxy.url());
        open_room(&store);
        assert_eq!(store.info().unwrap().schema, SCHEMA_VERSION, "{fault:?}");
        assert_eq!(place.sql("SELECT count(*) FROM baton.schema_version"), "1");
    }
}

#[test]
fn sessions_that_an_administrator_ended_are_made_again() {
    let place = Place::new(Backend::Postgres);
    let store = place.open();
    open_room(&store);
    for round in 0..3 {
        end_all_sessions(&place);
        notes(&store, &format!("round {round}"), |_| {}).unwrap();
        end_all_sessions(&place);
        assert_eq!(reads(&store).unwrap().unwrap().last_seq.0, 3 + round);
    }
}

#[test]
fn a_network_that_keeps_breaking_under_several_writers_loses_nothing_and_doubles_nothing() {
    const WRITERS: u64 = 4;
    const NOTES: u64 = 40;
    let place = Place::new(Backend::Postgres);
    open_room(&place.open());
    let proxy = Proxy::start(&place.address());
    // A server that was never there is not waited for, so all of them have seen it before it breaks.
    let all_there = Barrier::new(WRITERS as usize);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (proxy, all_there) = (&proxy, &all_there);
            scope.spawn(move || {
                let store = open(&proxy.url());
                reads(&store).unwrap();
                all_there.wait();
                for number in 0..NOTES {
                    notes(&store, &format!("{writer}: {number}"), |_| {}).unwrap();
                    // Whatever the others are in the middle of.
                    if (number + writer).is_multiple_of(3) {
                        proxy.cuts_all();
                    }
                }
            });
        }
    });
    let store = place.open();
    for writer in 0..WRITERS {
        for number in 0..NOTES {
            assert_eq!(times_noted(&store, &format!("{writer}: {number}")), 1);
        }
    }
    assert_eq!(reads(&store).unwrap().unwrap().last_seq.0, 2 + WRITERS * NOTES);
}

#[test]
fn a_store_outlives_its_server() {
    let mut cluster = Cluster::start(Options { durability: Durability::Fast, ..Options::default() }).unwrap();
    cluster.create_database("team").unwrap();
    let url = cluster.url("team");
    let (store, writer) = (open(&url), open(&url));
    open_room(&store);
    reads(&writer).unwrap();
    let seat = store.listener_seat(&super::support::room_id(), &"ana".parse().unwrap()).unwrap();

    cluster.restart().unwrap();
    assert_eq!(notes(&store, "after a restart", |_| {}).unwrap(), 1);
    cluster.kill().unwrap();
    thread::scope(|scope| {
        // One gives up while the server is away, the other is patient enough.
        let gave_up = scope.spawn(|| reads(&store)).join().unwrap().unwrap_err();
        assert_eq!(gave_up.code(), ErrorCode::StoreUnreachable, "{gave_up}");
        let patient = scope.spawn(|| notes(&writer, "after a kill", |_| {}));
        cluster.restart().unwrap();
        assert_eq!(patient.join().unwrap().unwrap(), 1);
    });
    assert_eq!(reads(&store).unwrap().unwrap().last_seq.0, 4);
    assert_eq!(notes(&store, "and again", |_| {}).unwrap(), 1);
    for text in ["after a restart", "after a kill", "and again"] {
        assert_eq!(times_noted(&store, text), 1);
    }
    drop(seat);
}
