//! A room with all of the bus is sound, and a copy of it is the same room.

use std::sync::Arc;

use baton_app::{App, clock::Time, copy, doctor, environment::Environment};
use baton_core::{
    bus::{Action, Connection, Conversation, Task},
    event::Recorded,
    ids::{RoomId, Seq},
    part::Rows,
    room::Room,
};
use baton_store::{Store, StoreError, engine::Tx, log, rooms, table};
use baton_testkit::{Backend, ManualClock, Place, SequentialIds, TestApp};
use serde_json::json;

use super::scene::{control, group, living, reply, reports, sound, submits, user};

fn open(place: &Place) -> App {
    let time = Time::Told(Arc::new(ManualClock::new()));
    let environment = Environment::of([("HOME", "/nowhere")], "/");
    App::open(&place.location(), environment, time, Box::new(SequentialIds::default())).unwrap()
}

/// The rows of the bus.
type Bus = (Rows<Action>, Rows<Conversation>, Rows<Task>, Rows<Connection>);

fn bus(tx: &mut dyn Tx, room: &RoomId) -> Result<Bus, StoreError> {
    Ok((
        table::all(tx, room)?.into_iter().collect(),
        table::all(tx, room)?.into_iter().collect(),
        table::all(tx, room)?.into_iter().collect(),
        table::all(tx, room)?.into_iter().collect(),
    ))
}

fn everything(store: &Store) -> Vec<(Room, Bus, Vec<Recorded>)> {
    let read = store.read::<_, StoreError>(|tx| {
        let mut found = Vec::new();
        for id in rooms::all(tx)? {
            let room = rooms::load(tx, &id)?.unwrap();
            found.push((room, bus(tx, &id)?, log::after(tx, &id, Seq(0), u32::MAX)?));
        }
        Ok(found)
    });
    read.unwrap()
}

/// A session with everything: actions in every state, conversations, tasks, messages, and somebody who is connected.
fn busy(app: &TestApp) {
    let [ana, bo, cy] = living(app, ["ana", "bo", "cy"]);
    let each = ["accepted", "completed", "blocked", "queued", "rejected", "error"];
    submits(&ana, "g", each.iter().map(|status| user("bo", status)));
    for status in each {
        reports(&bo, status, status);
    }
    submits(&ana, "h", [control("bo", "n", "new"), user("bo", "open"), user("cy", "gone")]);
    bo.does("bus.result", json!({"action_id": "n", "status": "completed", "data": {"new_context_id": "d"}}));
    bo.does("bus.submit", group("r", [reply("ana", "reply", "open")]));
    bo.does("bus.task", json!({"task_id": "t", "status": "running"}));
    bo.does("bus.task_done", json!({"task_id": "u"}));
    ana.does("bus.send", json!({"text": "hello"}));
    ana.does("bus.rename", json!({"name": "ünï ✓"}));
    ana.does("bus.take", json!({}));
    app.app().connect(bo.caller(), &ana.room()).unwrap();
    cy.dies();
    app.app().sweep_gone(&ana.room()).unwrap();
    ana.release(&ana.claim());
}

#[test]
fn a_room_with_all_of_the_bus_is_the_fold_of_its_log_and_so_is_its_copy() {
    for from in Backend::ALL {
        for to in Backend::ALL {
            let (app, place) = (TestApp::open(*from), Place::new(*to));
            busy(&app);
            sound(&app);
            copy::copy(&open(app.place()), &open(&place), &mut |_| {}).unwrap();
            let (was, is) = (everything(&app.place().open()), everything(&place.open()));
            assert_eq!(is, was, "{from:?} to {to:?}");
            let (room, (actions, _, _, connections), _) = &is[0];
            assert!(actions.iter().next().is_some() && connections.iter().next().is_some() && room.name.is_some());
            let report = doctor::examine(&open(&place)).unwrap();
            assert!(report.is_clean(), "{:?}", report.checks);
        }
    }
}
