//! A server that says nothing any more: packets are swallowed, connections stand, and nobody is told.

use std::{sync::mpsc, thread, time::Duration};

use baton_core::code::ErrorCode;
use baton_store::StoreError;
use baton_testkit::{Backend, Fault, Place, Proxy};

use super::support::{notes, open, open_room, reads, room_id, times_noted};

/// Twice the limit that is told to people. Whatever adds up several of its waits takes longer on any machine.
const FAR_TOO_LONG: Duration = Duration::from_secs(20);

/// What all of these calls come to, which are made at the same time.
fn in_time<T: Send>(calls: Vec<Box<dyn FnOnce() -> Result<T, StoreError> + Send + '_>>) -> Vec<Result<T, StoreError>> {
    thread::scope(|scope| {
        let answers: Vec<_> = calls
            .into_iter()
            .map(|call| {
                let (answer, answered) = mpsc::channel();
                scope.spawn(move || answer.send(call()));
                answered
            })
            .collect();
        answers.iter().map(|answered| answered.recv_timeout(FAR_TOO_LONG).expect("a call that ends")).collect()
    })
}

fn codes<T>(answers: Vec<Result<T, StoreError>>) -> Vec<ErrorCode> {
    answers.into_iter().map(|answer| answer.err().expect("nothing comes of it").code()).collect()
}

#[test]
fn every_call_that_is_cut_off_ends_within_its_limit() {
    let place = Place::new(Backend::Postgres);
    open_room(&place.open());
    let proxy = Proxy::start(&place.address());
    // One has connections that idle, one listens, and one has never been there.
    let (store, listening, fresh) = (open(&proxy.url()), open(&proxy.url()), open(&proxy.url()));
    reads(&store).unwrap();
    notes(&store, "before", |_| {}).unwrap();
    reads(&listening).unwrap();
    let _bell = listening.listen(&room_id()).unwrap();
    proxy.falls_silent();
    let agent = "ana".parse().unwrap();
    // More calls than a process has connections: those that wait for one end in time, too.
    let mut calls: Vec<Box<dyn FnOnce() -> Result<(), StoreError> + Send + '_>> = Vec::new();
    for number in 0..12 {
        let store = &store;
        calls.push(match number % 2 {
            0 => Box::new(move || reads(store).map(drop)),
            _ => Box::new(move || notes(store, "lost", |_| {}).map(drop)),
        });
    }
    calls.push(Box::new(|| listening.listen(&"room_2".parse().unwrap()).map(drop)));
    calls.push(Box::new(|| listening.listener_seat(&room_id(), &agent).map(drop)));
    calls.push(Box::new(|| store.listen(&room_id()).map(drop)));
    calls.push(Box::new(|| reads(&fresh).map(drop)));
    calls.push(Box::new(|| store.info().map(drop)));
    for code in codes(in_time(calls)) {
        assert!(matches!(code, ErrorCode::StoreUnreachable | ErrorCode::StoreBusy), "{code}");
    }
    assert_eq!(times_noted(&place.open(), "lost"), 0);
}

#[test]
fn a_commit_that_is_cut_off_is_told_as_unknown_within_the_limit() {
    let place = Place::new(Backend::Postgres);
    open_room(&place.open());
    let proxy = Proxy::start(&place.address());
    let store = open(&proxy.url());
    reads(&store).unwrap();
    proxy.breaks(Fault::SilentAtCommit);
    let write: Box<dyn FnOnce() -> Result<u32, StoreError> + Send> = Box::new(|| notes(&store, "perhaps", |_| {}));
    assert_eq!(codes(in_time(vec![write])), [ErrorCode::StoreOutcomeUnknown]);
}

#[test]
fn one_connection_that_falls_silent_is_given_up_for_another() {
    let place = Place::new(Backend::Postgres);
    open_room(&place.open());
    let (dead, store) = (Proxy::start(&place.address()), place.open());
    let silent = open(&dead.url());
    reads(&silent).unwrap();
    dead.falls_silent();
    let read: Box<dyn FnOnce() -> Result<(), StoreError> + Send> = Box::new(|| reads(&silent).map(drop));
    assert_eq!(codes(in_time(vec![read])), [ErrorCode::StoreUnreachable]);
    notes(&store, "others go on", |_| {}).unwrap();
}
