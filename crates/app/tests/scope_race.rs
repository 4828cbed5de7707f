//! Two real processes that want the same paths at the same instant.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::path::{Path, PathBuf};

use baton_app::{App, Caller, clock::Time, doctor, environment::Environment, liveness::identify, table};
use baton_core::{
    code::ErrorCode,
    event::Event,
    ids::Seq,
    part::{Part, Rows},
    process::SessionKind,
    room::{Actor, Room},
    scope::{self, Reservation},
};
use baton_store::{StoreError, log, rooms};
use baton_testkit::{Other, Place, Role, SequentialIds, on_every_place};
use serde_json::{Value, json};

const ROUNDS: usize = 500;

fn workspace(directory: &Path) -> PathBuf {
    directory.join("workspace")
}

fn open(location: &baton_store::Location, workspace: &Path) -> App {
    let environment = Environment::of([("HOME", workspace.join("home"))], workspace);
    App::open(location, environment, Time::Own, Box::new(SequentialIds::default())).unwrap()
}

#[test]
#[ignore = "the other process of the test in this file"]
fn the_other_process() {
    let Some(role) = Role::mine() else { return };
    let workspace = workspace(role.directory.parent().unwrap());
    let app = open(&role.location(), &workspace);
    let identity =
        Actor::found(role.name.parse().unwrap(), Some(identify(std::process::id()).unwrap()), SessionKind::McpHarness);
    let caller = Caller::new(identity, workspace.clone());
    let call = |command: &str, input: Value| table::find(command).unwrap().run(&app, &caller, input);
    role.hear();
    let room = call("room.join", json!({"context_path": workspace})).unwrap()["room_id"].clone();
    role.say("joined");
    for round in 0..ROUNDS {
        // Each is the outer one every other time.
        let outer = (round % 2 == 0) == (role.name == "ana");
        let scope = if outer { "src" } else { "src/lib/parser.ts" };
        role.hear();
        match call("scope.reserve", json!({"room_id": room, "scopes": [scope]})) {
            Ok(_) => {
                role.say("granted");
                role.hear();
                call("scope.release", json!({"room_id": room, "all": true})).unwrap();
                role.say("released");
            }
            Err(failure) if failure.code == ErrorCode::ReservationConflict => role.say("refused"),
            Err(failure) => panic!("{failure}"),
        }
    }
}

/// Has both ask at once, and gives which one was granted its scope.
fn race(both: &mut [Other; 2], round: usize) -> usize {
    // Whoever is told second has no handicap that lasts.
    both[round / 2 % 2].go();
    both[1 - round / 2 % 2].go();
    let answers = both.each_mut().map(|one| one.says().expect("it answers"));
    let granted: Vec<usize> = (0..2).filter(|who| answers[*who] == "granted").collect();
    let [winner] = granted[..] else { panic!("round {round}: {answers:?}") };
    assert_eq!(answers[1 - winner], "refused", "round {round}");
    winner
}

/// Goes through the log: in every round one grant, one incursion, one release, and at no time two scopes.
fn assert_told(place: &Place) {
    let (room, log) = place
        .open()
        .read::<_, StoreError>(|tx| {
            let room = rooms::all(tx)?.remove(0);
            let log = log::after(tx, &room, Seq(0), u32::MAX)?;
            Ok((room, log))
        })
        .unwrap();
    let opened = Room::open(&log[0]).unwrap();
    let mut scopes = Rows::of_new_room();
    let mut told = Vec::new();
    for recorded in &log {
        Reservation::apply(&mut scopes, recorded, &opened);
        let live = scopes.iter().filter(|reservation| reservation.ended.is_none()).count();
        assert!(live <= 1, "{room}: two scopes at event {}", recorded.seq);
        if let Event::Scope(event) = &recorded.event {
            told.push(event);
        }
    }
    assert_eq!(told.len(), 3 * ROUNDS);
    for round in told.chunks(3) {
        let [scope::Event::Reserved(granted), scope::Event::Incursion(incursion), scope::Event::Released(released)] =
            round
        else {
            panic!("{round:?}")
        };
        assert_eq!((&incursion.owner, &released.owner), (&granted.owner, &granted.owner));
        assert_ne!(incursion.incoming, granted.owner);
        assert_eq!(incursion.owner_scope, granted.scope);
    }
}

#[test]
fn two_processes_reserving_overlapping_scopes_at_the_same_instant_500_times_are_never_both_granted() {
    on_every_place(|place| {
        let workspace = workspace(place.directory());
        std::fs::create_dir_all(workspace.join("home")).unwrap();
        let mut both = ["ana", "bo"].map(|name| Other::start_at(name, &place));
        for one in &mut both {
            one.go();
            assert_eq!(one.says().as_deref(), Some("joined"));
        }
        for round in 0..ROUNDS {
            let winner = race(&mut both, round);
            both[winner].go();
            assert_eq!(both[winner].says().as_deref(), Some("released"));
        }
        assert!(both.iter_mut().all(|one| one.ends().success()));
        assert_told(&place);
        let found = doctor::examine(&open(&place.location(), &workspace)).unwrap();
        assert!(found.is_clean(), "{found:?}");
    });
}
