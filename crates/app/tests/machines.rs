//! Members on several machines: what is known of a process elsewhere, what is told about those here, and whose clock
//! it is.
//!
//! Another machine is another host id in a process's identity; what it tells is written to the store from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{os::fd::AsFd, path::PathBuf, thread};

use baton_app::{
    App, Caller,
    clock::{RandomIds, Time},
    environment::Environment,
    table,
};
use baton_core::{
    event::Concern,
    process::{ProcessIdentity, Proof, SessionKind},
    room::Actor,
    time::{Timestamp, Ttl},
};
use baton_store::{
    Store, StoreError,
    engine::{Bell, RungFor},
    hosts,
};
use baton_testkit::{Agent, Backend, Place, TestApp, on_every_backend};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

const FAR: &str = "host_far";

/// An owner on another machine, and a member here.
fn far_owner(app: &TestApp) -> (Agent<'_>, Agent<'_>) {
    let owner = app.agent_elsewhere("far", FAR);
    owner.join();
    let [near] = app.joined_living(["near"]);
    owner.claim();
    (owner, near)
}

/// Says for a machine that one of its processes is gone, as somebody there would.
fn tell_departure(app: &TestApp, process: &ProcessIdentity, proof: Proof) {
    let told = app.place().open().write::<_, StoreError>(|tx| {
        hosts::departed(tx, process, proof, app.now())?;
        app.rooms().iter().for_each(|room| tx.ring(room, Concern::Everyone));
        Ok(())
    });
    told.unwrap();
}

/// What its machine has told about a process.
fn was_told(app: &TestApp, process: &ProcessIdentity) -> Option<Proof> {
    let looked = app.place().open().read::<_, StoreError>(|tx| hosts::testimony(tx, &[process]));
    looked.unwrap().of(process)
}

/// Whether the bell rings before the wait is over.
fn has_rung(bell: &dyn Bell, wait: Timespec) -> bool {
    poll(&mut [PollFd::new(&bell.fd().as_fd(), PollFlags::IN)], Some(&wait)).unwrap() == 1
}

const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
const PATIENTLY: Timespec = Timespec { tv_sec: 20, tv_nsec: 0 };

#[test]
fn a_process_on_another_machine_is_unknown_and_only_a_timeout_opens_a_takeover() {
    on_every_backend(|app| {
        // The process has ended, in fact; but that can be seen only there.
        let (owner, near) = far_owner(&app);
        assert_eq!((&owner.entry()["process"], &near.entry()["process"]), (&json!("unknown"), &json!("alive")));
        assert_eq!((near.room_state().as_str(), &near.wait()["status"]), ("owned", &json!("not_yet")));
        assert_eq!(near.refused("stick.takeover", near.taking())["error"], "takeover_unavailable");
        app.later_minutes(45);
        assert_eq!(near.wait()["reason"], "owner_timeout");
        assert_eq!(near.take().answer["basis"], "owner_timeout");
    });
}

#[test]
fn what_its_machine_told_is_proof_and_is_stored_with_the_takeover() {
    on_every_backend(|app| {
        let (owner, near) = far_owner(&app);
        tell_departure(&app, &owner.process(), Proof::Zombie);
        assert_eq!((near.room_state().as_str(), &near.wait()["reason"]), ("owner_gone", &json!("owner_gone")));
        assert_eq!(owner.entry()["process"], "gone");
        assert_eq!(near.take().answer["basis"], "owner_gone");
        assert_eq!(near.does("room.events", json!({"limit": 1}))["events"][0]["proof"], "zombie");
        assert_eq!(app.folded(&near.room()), app.stored(&near.room()));
    });
}

#[test]
fn what_was_told_of_another_process_proves_nothing() {
    on_every_backend(|app| {
        let (owner, near) = far_owner(&app);
        let itself = owner.process();
        let others: [ProcessIdentity; 5] = [
            ProcessIdentity { host_id: "host_farther".to_owned(), ..itself.clone() },
            ProcessIdentity { boot_id: "an older boot".to_owned(), ..itself.clone() },
            ProcessIdentity { pid_namespace: itself.pid_namespace + 1, ..itself.clone() },
            ProcessIdentity { pid: itself.pid + 1, ..itself.clone() },
            ProcessIdentity { start_ticks: itself.start_ticks + 1, ..itself },
        ];
        for other in &others {
            tell_departure(&app, other, Proof::Exited);
        }
        assert_eq!((near.room_state().as_str(), &near.wait()["status"]), ("owned", &json!("not_yet")));
    });
}

#[test]
fn a_machine_that_booted_again_has_none_of_its_old_processes() {
    on_every_backend(|app| {
        let (owner, near) = far_owner(&app);
        let store = app.place().open();
        let boots = |boot_id: &str| {
            store.write::<_, StoreError>(|tx| hosts::booted(tx, FAR, boot_id, app.now())).unwrap();
        };
        boots(&owner.process().boot_id);
        assert_eq!(near.wait()["status"], "not_yet", "it is in the boot that the process is of");
        boots("the next boot");
        assert_eq!(near.wait()["reason"], "owner_gone");
        near.take();
        assert_eq!(near.does("room.events", json!({"limit": 1}))["events"][0]["proof"], "rebooted");
    });
}

#[test]
fn a_machine_says_which_boot_it_is_in_when_one_of_its_processes_joins() {
    on_every_backend(|app| {
        let [near] = app.joined_living(["near"]);
        let old = ProcessIdentity { boot_id: "an older boot".to_owned(), ..near.process() };
        assert_eq!((was_told(&app, &old), was_told(&app, &near.process())), (Some(Proof::Rebooted), None));
    });
}

#[test]
fn a_machine_says_so_too_when_one_of_its_processes_goes_on_without_joining_again() {
    on_every_backend(|app| {
        let [near] = app.joined_living(["near"]);
        // As it was before the machine booted again.
        let before = ProcessIdentity { boot_id: "an older boot".to_owned(), ..near.process() };
        app.place()
            .open()
            .write::<_, StoreError>(|tx| hosts::booted(tx, &before.host_id, &before.boot_id, app.now()))
            .unwrap();
        assert_eq!(was_told(&app, &near.process()), Some(Proof::Rebooted), "wrongly, until it says a word");
        let again = app.beside();
        near.through(&again).claim();
        assert_eq!((was_told(&app, &before), was_told(&app, &near.process())), (Some(Proof::Rebooted), None));
    });
}

#[test]
fn a_wait_is_woken_by_what_another_machine_tells() {
    on_every_backend(|app| {
        let (owner, near) = far_owner(&app);
        thread::scope(|scope| {
            let waiting = near.waits_in(scope, json!({}));
            tell_departure(&app, &owner.process(), Proof::Exited);
            let answer = waiting.join().unwrap().unwrap();
            assert_eq!([&answer["status"], &answer["reason"]], ["takeover_available", "owner_gone"]);
        });
    });
}

/// Looks at a room in the two ways that tell what they see.
const LOOKS: [fn(&Agent<'_>); 2] = [|agent| drop(agent.state()), |agent| drop(agent.wait())];

#[test]
fn whoever_looks_tells_the_other_machines_which_processes_ended_here_and_rings_once() {
    for look in LOOKS {
        on_every_backend(|app| {
            let [owner, near] = app.joined_living(["owner", "near"]);
            let far = app.agent_elsewhere("far", FAR);
            far.join();
            owner.claim();
            look(&near);
            assert_eq!(was_told(&app, &owner.process()), None, "it lives");
            let elsewhere = app.place().open();
            let mut bell = elsewhere.listen(&near.room()).unwrap();
            owner.dies();
            look(&near);
            assert_eq!(was_told(&app, &owner.process()), Some(Proof::Exited));
            assert!(has_rung(&*bell, PATIENTLY), "those who wait elsewhere are woken");
            assert_eq!(bell.clear(&far.id()), RungFor::Anyone);

            look(&near);
            assert!(!has_rung(&*bell, AT_ONCE), "what was told once is not told again");
            // A server's word travels; but what comes after it is heard after it.
            near.does("room.note", json!({"text": "after the second look"}));
            assert!(has_rung(&*bell, PATIENTLY));
            assert_eq!(bell.clear(&far.id()), RungFor::Others);
        });
    }
}

#[test]
fn nothing_is_told_where_everybody_can_look() {
    for look in LOOKS {
        on_every_backend(|app| {
            let [owner, near] = app.joined_living(["owner", "near"]);
            owner.claim();
            let elsewhere = app.place().open();
            let mut bell = elsewhere.listen(&near.room()).unwrap();
            owner.dies();
            look(&near);
            assert_eq!(near.room_state(), "owner_gone");
            assert_eq!(was_told(&app, &owner.process()), None, "no machine testifies; the log says that it is gone");
            bell.clear(&near.id());
            look(&near);
            assert!(!has_rung(&*bell, AT_ONCE), "and says it once");
        });
    }
}

/// The server's clock in one database runs ahead of everybody else's by some minutes. Only this database is touched.
fn set_server_clock(place: &Place, ahead_minutes: u64) {
    place.sql(&format!(
        "DO $$ BEGIN
             IF to_regproc('pg_catalog.clock_timestamp') IS NOT NULL THEN
                 ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO true_clock_timestamp;
             END IF;
         END $$;
         CREATE SCHEMA IF NOT EXISTS baton;
         CREATE OR REPLACE FUNCTION baton.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
             AS 'SELECT pg_catalog.true_clock_timestamp() + interval ''{ahead_minutes} minutes''';"
    ));
}

fn server_time(store: &Store) -> Timestamp {
    store.read::<_, StoreError>(|tx| tx.now()).unwrap()
}

/// A machine: an app that goes by the store's time, and an agent on it.
struct Machine {
    app: App,
    caller: Caller,
    room: Value,
}

impl Machine {
    fn joins(place: &Place, name: &str, workspace: PathBuf) -> Self {
        let environment = Environment::of([("HOME", "/")], workspace.clone());
        let app = App::open(&place.location(), environment, Time::Own, Box::new(RandomIds)).unwrap();
        let actor = Actor::found(name.parse().unwrap(), None, SessionKind::McpHarness);
        let mut machine = Self { app, caller: Caller::new(actor, workspace), room: Value::Null };
        machine.room = machine.does("room.join", json!({"context_path": "."}))["room_id"].clone();
        machine
    }

    fn does(&self, command: &str, mut input: Value) -> Value {
        if !self.room.is_null() {
            input["room_id"] = self.room.clone();
        }
        table::find(command).unwrap().run(&self.app, &self.caller, input).unwrap()
    }
}

#[test]
fn leases_go_by_the_servers_clock_whatever_the_clocks_of_the_machines_say() {
    let place = Place::new(Backend::Postgres);
    let workspace = place.directory().canonicalize().unwrap();
    set_server_clock(&place, 600);
    let [ana, bo] = ["ana", "bo"].map(|name| Machine::joins(&place, name, workspace.clone()));
    let store = place.open();
    let before = server_time(&store);
    let turn = ana.does("stick.wait", json!({"max_wait_ms": 0}));
    let after = server_time(&store);
    let expires_at: Timestamp = serde_json::from_value(turn["lease_expires_at"].clone()).unwrap();
    let lease = Ttl::from_minutes(45);
    assert!(before.plus(lease) <= expires_at && expires_at <= after.plus(lease), "{before} {expires_at} {after}");
    assert_eq!(bo.does("stick.wait", json!({"max_wait_ms": 0}))["status"], "not_yet");

    // Ten hours behind the server every machine would think that the lease has just begun; the server decides.
    set_server_clock(&place, 600 + 45);
    let open = bo.does("stick.wait", json!({"max_wait_ms": 0}));
    assert_eq!([&open["status"], &open["reason"]], ["takeover_available", "owner_timeout"]);
    let taken = bo.does("stick.takeover", json!({"expected_turn_id": 1, "reason": "its lease ran out"}));
    let expires_at: Timestamp = serde_json::from_value(taken["lease_expires_at"].clone()).unwrap();
    assert!(expires_at >= after.plus(Ttl::from_minutes(89)), "{after} {expires_at}");

    // And a server that is behind keeps a lease for as long as it says, however late it is on the machines.
    set_server_clock(&place, 600);
    assert_eq!(ana.does("stick.wait", json!({"max_wait_ms": 0}))["status"], "not_yet");
}

#[test]
fn a_machine_that_nobody_is_on_and_that_said_nothing_for_long_is_forgotten() {
    on_every_backend(|app| {
        let [near] = app.joined_living(["near"]);
        let store = app.place().open();
        let boot = |host_id: &str| store.read::<_, StoreError>(|tx| hosts::boot(tx, host_id)).unwrap();
        store.write::<_, StoreError>(|tx| hosts::booted(tx, "host_of_old", "a boot", app.now())).unwrap();
        app.later(Ttl::from_minutes(31 * 24 * 60));
        tell_departure(&app, &ProcessIdentity { pid: 1, ..near.process() }, Proof::Exited);
        assert_eq!((boot("host_of_old"), boot(&near.process().host_id).is_some()), (None, true));
    });
}
