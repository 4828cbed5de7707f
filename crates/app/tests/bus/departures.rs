//! Leaving and adopting: what an agent owed.

use baton_testkit::on_every_backend;
use serde_json::json;

use super::scene::{adds, ends, named, reports, session, sound, standing, submits, takes, user};

#[test]
fn who_leaves_a_room_by_any_way_ends_what_it_was_asked() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        submits(&ana, "g", [user("bo", "a1"), user("cy", "a2"), user("cy", "a3")]);
        reports(&cy, "a2", "accepted");
        bo.does("room.leave", json!({}));
        cy.does("bus.remove", json!({}));
        for action in ["a1", "a2", "a3"] {
            assert_eq!(
                (standing(&ana, action), ends(&ana, action)),
                ("error: its target left the session".to_owned(), 1)
            );
        }
        // Who comes back finds nothing left over.
        adds(&bo, &ana.room());
        assert_eq!(takes(&bo), [""; 0]);
        submits(&ana, "h", [user("bo", "a4")]);
        assert_eq!(takes(&bo), ["a4"]);
        sound(&app);
    });
}

#[test]
fn what_waits_goes_on_with_who_adopts_and_what_was_taken_on_ends() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        bo.does("agent.register", json!({"name": "amber-otter"}));
        let task = bo.does("tasks.create", json!({"title": "x"}))["task"].clone();
        bo.does("tasks.start", json!({"task": task}));
        submits(&ana, "g", [user("bo", "accepted"), user("bo", "told"), user("bo", "waiting")]);
        bo.does("bus.take", json!({"limit": 2}));
        reports(&bo, "accepted", "accepted");
        app.later_minutes(20);
        let cy = app.agent("cy");
        cy.join();
        cy.does("agent.adopt", json!({"agent": "amber-otter"}));
        assert_eq!(standing(&ana, "accepted"), "error: its target goes on as another session");
        assert_eq!(named(&cy.does("bus.take", json!({"resume_after": 0}))), ["told", "waiting"]);
        for action in ["told", "waiting"] {
            reports(&cy, action, "completed");
            assert_eq!(ends(&ana, action), 1);
        }
        sound(&app);
    });
}
