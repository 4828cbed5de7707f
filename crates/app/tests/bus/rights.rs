//! Who may call what: a viewer looks, an agent acts, an operator steers.

use baton_app::{
    Rights,
    table::{self, TABLE},
};
use baton_testkit::on_every_backend;

use super::scene::session;

#[test]
fn people_steer_and_harnesses_act_unless_their_credentials_say_less() {
    on_every_backend(|app| {
        let [ana] = session(&app, ["ana"]);
        let person = app.person("human:eve:1");
        assert_eq!((ana.caller().rights(), person.caller().rights()), (Rights::Agent, Rights::Operator));
        assert_eq!(person.caller().clone().with_rights(Rights::Viewer).rights(), Rights::Viewer);
    });
}

#[test]
fn every_command_of_the_bus_has_the_contracts_name_on_the_wire() {
    let mut names: Vec<String> = TABLE
        .iter()
        .filter(|command| command.name.starts_with("bus."))
        .map(|command| format!("{} = {}", command.wire_name(), command.name))
        .collect();
    names.sort();
    for command in TABLE {
        assert!(std::ptr::eq(table::find_on_wire(command.wire_name()).unwrap(), command), "{}", command.name);
    }
    insta::assert_snapshot!(names.join("\n"), @r"
    action.list = bus.actions
    action.result = bus.result
    action.submit = bus.submit
    action.take = bus.take
    action.wait = bus.await
    agent.add = bus.add
    agent.remove = bus.remove
    agent.update = bus.update
    events.history = bus.history
    message.list = bus.messages
    message.send = bus.send
    relay.submit = bus.relay
    session.close = bus.close
    session.create = bus.open
    session.get = bus.session
    session.list = bus.sessions
    session.update = bus.rename
    task.done = bus.task_done
    task.update = bus.task
    ");
}
