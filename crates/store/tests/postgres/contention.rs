//! Writers that meet: rooms do not wait for each other, nobody waits for ever, and who had to give way tries again.

use std::{
    collections::BTreeSet,
    sync::{
        Barrier,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use baton_core::code::ErrorCode;
use baton_store::{Store, StoreError, engine::Tx};
use baton_testkit::{Backend, Other, Place, Role, Scribe, TestApp};
use rustix::process::{Pid, Signal, kill_process};

use super::support::{notes, open_room, reads, times_noted, until_one_waits};

/// What the other process does: writes, and before the commit waits to be told.
pub(crate) fn stay_inside(role: &Role) {
    let runs = notes(&role.open(), "from the other process", |run| {
        if run == 1 {
            role.say("inside");
            role.hear();
        }
    });
    match runs {
        Ok(runs) => role.say(&format!("committed after {runs}")),
        Err(error) => role.say(&error.to_string()),
    }
}

fn beside_a_writer(place: &Place) -> (Store, Other) {
    let store = place.open();
    open_room(&store);
    let mut other = Other::start_at("stays inside a transaction", place);
    assert_eq!(other.says().as_deref(), Some("inside"));
    (store, other)
}

#[test]
fn rooms_do_not_wait_for_each_other_and_the_same_room_does() {
    let place = Place::new(Backend::Postgres);
    let (store, mut other) = beside_a_writer(&place);
    let scribe = Scribe::new("ana");
    let mut second = scribe.opens(&store, "room_2", "/two");
    for _ in 0..20 {
        second = scribe.notes(&store, &second, "meanwhile").unwrap();
    }
    let busy = store.write_if_free::<_, StoreError>(|tx| baton_store::rooms::load(tx, &super::support::room_id()));
    assert_eq!(busy.unwrap_err().code(), ErrorCode::StoreBusy);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| notes(&store, "after", |_| {}));
        until_one_waits(&place);
        scribe.notes(&store, &second, "still not").unwrap();
        other.go();
        assert_eq!(other.says().as_deref(), Some("committed after 1"));
        assert_eq!(waiting.join().unwrap().unwrap(), 1);
    });
    assert_eq!(reads(&store).unwrap().unwrap().last_seq.0, 4);
    assert_eq!((times_noted(&store, "from the other process"), times_noted(&store, "after")), (1, 1));
}

#[test]
fn a_writer_that_stands_still_is_named_and_then_ended_and_tries_again_when_it_goes_on() {
    let place = Place::new(Backend::Postgres);
    let (store, mut other) = beside_a_writer(&place);
    other.stop();
    assert_eq!(reads(&store).unwrap().unwrap().last_seq.0, 2, "a read does not wait");
    let error = notes(&store, "too early", |_| {}).unwrap_err();
    assert_eq!(error.code(), ErrorCode::StoreBusy);
    let told = error.to_string();
    assert!(told.contains(&format!("baton {}@", other.pid())) && told.contains("stands still"), "{told}");

    // Nobody helps: the server ends the session by itself.
    let written = (0..4).any(|_| match notes(&store, "in time", |_| {}) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code(), ErrorCode::StoreBusy, "{error}");
            false
        }
    });
    assert!(written);
    kill_process(Pid::from_raw(other.pid() as i32).unwrap(), Signal::CONT).unwrap();
    other.go();
    assert_eq!(other.says().as_deref(), Some("committed after 2"));
    assert_eq!((times_noted(&store, "from the other process"), times_noted(&store, "in time")), (1, 1));
    assert_eq!(times_noted(&store, "too early"), 0);
}

#[test]
fn a_writer_that_was_killed_leaves_nothing_and_no_lock() {
    let place = Place::new(Backend::Postgres);
    let (store, mut other) = beside_a_writer(&place);
    other.kill();
    assert_eq!(notes(&store, "at once", |_| {}).unwrap(), 1);
    assert_eq!(times_noted(&store, "from the other process"), 0);
}

/// Has `name` to itself from here on, in this transaction.
fn alone(tx: &mut dyn Tx, name: &str) -> Result<(), StoreError> {
    tx.alone(name)?;
    tx.query("SELECT 1", &[], &mut |_| Ok(()))
}

#[test]
fn a_writer_that_keeps_others_out_by_name_is_named_to_them() {
    let place = Place::new(Backend::Postgres);
    let (store, elsewhere) = (place.open(), place.open());
    let done = store.write::<_, StoreError>(|tx| {
        alone(tx, "a name")?;
        let error = elsewhere.write::<_, StoreError>(|tx| alone(tx, "a name")).unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreBusy);
        let told = error.to_string();
        assert!(told.contains(&format!("baton {}@", std::process::id())) && told.contains("stands still"), "{told}");
        Ok(())
    });
    done.unwrap();
}

#[test]
fn of_two_that_wait_for_each_other_one_gives_way_and_tries_again() {
    let place = Place::new(Backend::Postgres);
    let stores = [place.open(), place.open()];
    let both_have_one = Barrier::new(2);
    let runs = AtomicU32::new(0);
    thread::scope(|scope| {
        for (store, names) in stores.iter().zip([["a", "b"], ["b", "a"]]) {
            let (both_have_one, runs) = (&both_have_one, &runs);
            scope.spawn(move || {
                let mut first = true;
                let done = store.write::<_, StoreError>(|tx| {
                    runs.fetch_add(1, Ordering::SeqCst);
                    alone(tx, names[0])?;
                    if std::mem::take(&mut first) {
                        both_have_one.wait();
                    }
                    alone(tx, names[1])
                });
                done.unwrap();
            });
        }
    });
    assert!(runs.load(Ordering::SeqCst) > 2);
}

/// Makes every event that is logged fail as if transactions had met, until it was tried `times` times.
fn fail_to_serialise(place: &Place, times: u32) {
    place.sql(&format!(
        "CREATE SEQUENCE baton.tries;
         CREATE FUNCTION baton.fail() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             IF nextval('baton.tries') <= {times} THEN
                 RAISE EXCEPTION 'made up' USING ERRCODE = 'serialization_failure';
             END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER fail BEFORE INSERT ON baton.log FOR EACH ROW EXECUTE FUNCTION baton.fail()"
    ));
}

#[test]
fn a_transaction_that_could_not_be_serialised_is_run_again_and_not_for_ever() {
    let place = Place::new(Backend::Postgres);
    let store = place.open();
    open_room(&store);
    fail_to_serialise(&place, 3);
    assert_eq!(notes(&store, "once", |_| {}).unwrap(), 4);
    assert_eq!(times_noted(&store, "once"), 1);

    let place = Place::new(Backend::Postgres);
    let store = place.open();
    open_room(&store);
    fail_to_serialise(&place, 1000);
    let error = notes(&store, "never", |_| {}).unwrap_err();
    assert!(error.to_string().contains("made up"), "{error}");
    assert_eq!(times_noted(&store, "never"), 0);
}

#[test]
fn two_who_open_a_room_at_the_same_path_at_once_meet_in_one_room() {
    const PATHS: usize = 200;
    let app = TestApp::open(Backend::Postgres);
    let beside = app.beside();
    for path in 0..PATHS {
        app.workspace().dir(&format!("work/{path}"));
    }
    let together = Barrier::new(2);
    let joined = thread::scope(|scope| {
        let join = |app, name| {
            let together = &together;
            scope.spawn(move || {
                let app: &TestApp = app;
                let agent = app.agent(name);
                let join = |path| {
                    together.wait();
                    agent.join_at(&format!("work/{path}"))["room_id"].as_str().unwrap().to_owned()
                };
                (0..PATHS).map(join).collect::<Vec<_>>()
            })
        };
        let (first, second) = (join(&app, "ana"), join(&beside, "bo"));
        [first.join().unwrap(), second.join().unwrap()]
    });
    assert_eq!(joined[0], joined[1]);
    assert_eq!(joined[0].iter().collect::<BTreeSet<_>>().len(), PATHS);
    assert_eq!(app.rooms().len(), PATHS);
}
