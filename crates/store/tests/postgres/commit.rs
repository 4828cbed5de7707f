//! A connection that breaks during a commit: the store finds out what became of it, and never guesses.

use std::thread;

use baton_app::{App, Caller, Failure, environment::Environment, table};
use baton_core::{code::ErrorCode, process::SessionKind, room::Actor};
use baton_store::{Store, StoreError, clock::Time, rooms};
use baton_testkit::{Backend, Fault, Place, Proxy, Scribe, SequentialIds};
use serde_json::{Value, json};

use super::support::{location, note, notes, open, open_room, reads, rings, room_id, times_noted};

/// A database with a room, and a store that reaches it over a network that can be broken.
struct Scene {
    place: Place,
    proxy: Proxy,
    store: Store,
}

impl Scene {
    fn new() -> Self {
        let place = Place::new(Backend::Postgres);
        open_room(&place.open());
        let proxy = Proxy::start(&place.address());
        let store = open(&proxy.url());
        Self { place, proxy, store }
    }

    /// Notes something while the network breaks in this way, and tells how often the work ran.
    fn notes_under(&self, text: &str, fault: Fault) -> u32 {
        let bell = self.place.open();
        let bell = bell.listen(&room_id()).unwrap();
        let runs = notes(&self.store, text, |run| {
            if run == 1 {
                self.proxy.breaks(fault);
            }
        });
        let runs = runs.unwrap();
        assert!(rings(&*bell), "whoever listens hears of it, whatever it took");
        runs
    }

    fn times_noted(&self, text: &str) -> usize {
        times_noted(&self.place.open(), text)
    }
}

#[test]
fn a_commit_that_never_reached_the_server_is_made_again() {
    let scene = Scene::new();
    assert_eq!(scene.notes_under("once", Fault::CutBeforeCommit), 2);
    assert_eq!(scene.times_noted("once"), 1);
}

#[test]
fn a_commit_whose_answer_was_lost_is_not_made_again() {
    let scene = Scene::new();
    for text in ["first", "second", "third"] {
        assert_eq!(scene.notes_under(text, Fault::CutAfterCommit), 1);
        assert_eq!(scene.times_noted(text), 1);
    }
}

#[test]
fn a_commit_that_is_still_on_its_way_comes_too_late_once_it_was_made_again() {
    let scene = Scene::new();
    assert_eq!(scene.notes_under("once", Fault::HoldCommit), 2);
    assert!(scene.proxy.lets_through());
    // The room is ours again after whatever the late commit could still do.
    notes(&scene.store, "afterwards", |_| {}).unwrap();
    assert_eq!(scene.times_noted("once"), 1);
    assert_eq!(scene.times_noted("afterwards"), 1);
}

#[test]
fn a_commit_that_arrives_while_we_ask_about_it_counts_once_either_way() {
    let scene = Scene::new();
    for round in 0..10 {
        let text = format!("round {round}");
        let runs = scene.notes_under(&text, Fault::HoldCommitUntilReconnect);
        assert!((1..=2).contains(&runs), "{runs}");
        assert_eq!(scene.times_noted(&text), 1, "after {runs} runs");
    }
}

#[test]
fn each_of_two_breaks_in_a_row_is_seen_through() {
    let scene = Scene::new();
    let runs = notes(&scene.store, "once", |run| match run {
        1 => scene.proxy.breaks(Fault::CutBeforeCommit),
        2 => scene.proxy.breaks(Fault::CutAfterCommit),
        _ => {}
    });
    assert_eq!(runs.unwrap(), 2);
    assert_eq!(scene.times_noted("once"), 1);
}

#[test]
fn a_change_larger_than_what_a_connection_holds_at_once_goes_through_and_is_heard() {
    let scene = Scene::new();
    let elsewhere = scene.place.open();
    let bell = elsewhere.listen(&room_id()).unwrap();
    let long = "x".repeat(16 * 1024);
    let written = scene.store.write::<_, StoreError>(|tx| {
        let mut room = rooms::load(tx, &room_id())?.unwrap();
        for _ in 0..1000 {
            room = Scribe::new("ana").writes_in(tx, &room, note(&long))?;
        }
        Ok(())
    });
    written.unwrap();
    assert!(rings(&*bell));
    assert_eq!(scene.times_noted(&long), 1000);
}

/// An app over the broken network, and someone who joined a room there.
fn app_over(scene: &Scene) -> (App, Caller, Value) {
    let directory = scene.place.directory();
    let environment = Environment::of([("HOME", directory)], directory.to_owned());
    let ids = Box::new(SequentialIds::default());
    let app = App::open(&location(&scene.proxy.url()), environment, Time::Own, ids).unwrap();
    let identity = Actor::found("ana".parse().unwrap(), None, SessionKind::McpHarness);
    let caller = Caller::new(identity, directory.to_owned());
    let joined = call(&app, &caller, "room.join", json!({"context_path": directory})).unwrap();
    (app, caller, joined["room_id"].clone())
}

fn call(app: &App, caller: &Caller, command: &str, input: Value) -> Result<Value, Failure> {
    table::find(command).unwrap().run(app, caller, input)
}

/// Notes with a key while the network breaks and stays away, then again with the same key when it is back.
fn a_retry_by_key_does_it_once(fault: Fault) {
    let scene = Scene::new();
    let (app, caller, room) = app_over(&scene);
    let input = json!({"room_id": room, "text": "keyed", "idempotency_key": "key-1"});
    scene.proxy.breaks(fault);
    scene.proxy.goes_away();
    let failure = call(&app, &caller, "room.note", input.clone()).unwrap_err();
    assert_eq!(failure.code, ErrorCode::StoreOutcomeUnknown, "{failure}");

    scene.proxy.comes_back();
    let first = call(&app, &caller, "room.note", input.clone()).unwrap();
    assert_eq!(call(&app, &caller, "room.note", input).unwrap(), first);
    let events = call(&app, &caller, "room.events", json!({"room_id": room, "after": 0, "limit": 200})).unwrap();
    let notes = events["events"].as_array().unwrap().iter().filter(|event| event["event_type"] == "note").count();
    assert_eq!(notes, 1, "{events}");
}

fn the_outcome_is_said_to_be_unknown_when_nobody_can_be_asked() {
    let scene = Scene::new();
    reads(&scene.store).unwrap();
    let error = notes(&scene.store, "perhaps", |_| {
        scene.proxy.breaks(Fault::CutAfterCommit);
        scene.proxy.goes_away();
    });
    assert!(matches!(error, Err(StoreError::OutcomeUnknown { .. })), "{error:?}");
    scene.proxy.comes_back();
    assert_eq!(notes(&scene.store, "afterwards", |_| {}).unwrap(), 1);
    assert_eq!(scene.times_noted("perhaps"), 1, "in this case it was made");
}

#[test]
fn an_unknown_outcome_is_told_and_a_retry_by_key_does_it_at_most_once() {
    // Each waits for the whole deadline, so they wait together.
    thread::scope(|scope| {
        scope.spawn(the_outcome_is_said_to_be_unknown_when_nobody_can_be_asked);
        scope.spawn(|| a_retry_by_key_does_it_once(Fault::CutAfterCommit));
        scope.spawn(|| a_retry_by_key_does_it_once(Fault::CutBeforeCommit));
    });
}
