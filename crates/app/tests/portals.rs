//! Portals: which command a call means, and which room it is about. Played on a small table of its own.

use std::sync::Arc;

use baton_app::{
    App, Caller, Cancel, Failure,
    table::{Asked, CALL, Call, Command, Effect, HELP, Place, Portal, Subject, TABLE, Tier, UseCase},
};
use baton_core::ids::RoomId;
use baton_testkit::{Agent, Backend, TestApp, on_every_backend};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

static DESK: Portal = Portal { name: "desk", tier: Tier::Daily, about: "Papers on a desk." };
static DESKS: &[Command] =
    &[Command::of::<Read>(), Command::of::<Put>(), Command::of::<baton_app::commands::room::List>()];

/// Which room a command was about, and what it was given.
#[derive(Serialize, JsonSchema)]
struct Done {
    room_id: Option<RoomId>,
    paper: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InRoom {
    room_id: RoomId,
    paper: Option<String>,
}

macro_rules! desk {
    ($name:ident $full:literal $effect:ident $input:ident $run:expr) => {
        struct $name;
        impl UseCase for $name {
            const NAME: &'static str = $full;
            const PLACE: Place = Place::Portal(&DESK);
            const EFFECT: Effect = Effect::$effect;
            const ABOUT: &'static str = "For tests.";
            type Input = $input;
            type Output = Done;

            fn perform(_: &App, _: &Caller, input: $input) -> Result<Done, Failure> {
                let run: fn($input) -> Done = $run;
                Ok(run(input))
            }
        }
    };
}

desk!(Read "desk.read" Read InRoom |input| Done { room_id: Some(input.room_id), paper: input.paper });
desk!(Put "desk.put" Write InRoom |input| Done { room_id: Some(input.room_id), paper: input.paper });

/// Finds out what is asked for, without running it.
fn asked(input: Value) -> Result<Asked, Failure> {
    DESK.asked(DESKS, input.as_object().cloned().expect("an object"))
}

/// Finds out which command is meant.
fn meant(input: Value) -> Result<Call, Failure> {
    match asked(input)? {
        Asked::Call(call) => Ok(call),
        Asked::Help(_) => panic!("a command was meant"),
    }
}

/// Calls the portal.
fn call(agent: &Agent<'_>, app: &TestApp, input: Value) -> Result<Value, Failure> {
    meant(input)?.run(app.app(), agent.caller())
}

#[test]
fn an_op_or_a_full_name_finds_the_command_and_its_effect_before_it_runs() {
    let found = |input| {
        let command = meant(input).map_err(|failure| failure.to_string()).unwrap().command;
        (command.name, command.effect)
    };
    assert_eq!(found(json!({"op": "read"})), ("desk.read", Effect::Read));
    assert_eq!(found(json!({"op": "put", "args": null, "cmd": null})), ("desk.put", Effect::Write));
    assert_eq!(found(json!({"op": CALL, "cmd": "desk.put", "args": {}})), ("desk.put", Effect::Write));
}

#[test]
fn help_is_about_the_portal_or_about_an_op_by_either_of_its_names() {
    let about = |input| match asked(input).map_err(|failure| failure.to_json()) {
        Ok(Asked::Help(command)) => Ok(command.map(|command| command.name)),
        Ok(Asked::Call(call)) => panic!("{} was called", call.command.name),
        Err(refusal) => Err(format!("{} {}", refusal["error"], refusal["message"])),
    };
    assert_eq!(about(json!({"op": HELP})), Ok(None));
    assert_eq!(about(json!({"op": HELP, "workspace": "anywhere", "args": {}})), Ok(None));
    assert_eq!(about(json!({"op": HELP, "args": {"op": HELP}})), Ok(None));
    assert_eq!(about(json!({"op": HELP, "args": {"op": "put"}})), Ok(Some("desk.put")));
    assert_eq!(about(json!({"op": HELP, "args": {"op": "desk.put"}})), Ok(Some("desk.put")));
    let refused = |input| about(input).unwrap_err();
    assert_eq!(refused(json!({"op": HELP, "args": {"op": "burn"}})), r#""UNKNOWN_OP" "`desk` has no op `burn`.""#);
    let unknown = r#""INVALID_INPUT" "verb: unknown field `verb`, expected `op`""#;
    assert_eq!(refused(json!({"op": HELP, "args": {"verb": "put"}})), unknown);
}

#[test]
fn wrong_arguments_point_to_the_help_on_their_op() {
    let app = TestApp::open(Backend::Sqlite);
    let ana = app.agent("ana");
    ana.join();
    let refusal = call(&ana, &app, json!({"op": "put", "args": {"sheet": 1}})).unwrap_err();
    assert_eq!(refusal.next, r#"Correct the named field. Op `help` with args {"op":"put"} says what it takes."#);
}

#[test]
fn every_refusal_names_what_is_wrong_and_what_there_is() {
    let refused = |input| meant(input).map(|call| call.command.name).unwrap_err().to_json();
    let shown = |input| {
        let refusal = refused(input);
        format!("{} {} {}", refusal["error"].as_str().unwrap(), refusal["field"], refusal["message"].as_str().unwrap())
    };
    insta::assert_snapshot!([
        shown(json!({})),
        shown(json!({"op": 7})),
        shown(json!({"op": "read", "arguments": {}})),
        shown(json!({"op": "read", "args": "paper"})),
        shown(json!({"op": "read", "args": ["paper"]})),
        shown(json!({"op": "read", "workspace": 5})),
        shown(json!({"op": "read", "cmd": "desk.read"})),
        shown(json!({"op": "call"})),
    ].join("\n"), @r#"
    INVALID_INPUT "op" op: missing field `op`
    INVALID_INPUT "op" op: must be text, not 7
    INVALID_INPUT "arguments" arguments: unknown field `arguments`, expected one of `workspace`, `op`, `args`, `cmd`
    INVALID_INPUT "args" args: must be an object, not "paper"
    INVALID_INPUT "args" args: must be an object, not a list
    INVALID_INPUT "workspace" workspace: must be text, not 5
    INVALID_INPUT "cmd" cmd: goes with op `call` only
    INVALID_INPUT "cmd" cmd: op `call` needs the full name of a command
    "#);
    assert_eq!(
        refused(json!({"op": "list"})),
        json!({
            "error": "UNKNOWN_OP",
            "message": "`desk` has no op `list`.",
            "ops": ["read", "put"],
            "next": "Use one of `ops`; op `help` says what they do and take.",
        })
    );
    let cmds = json!(["desk.read", "desk.put"]);
    for (cmd, next) in [
        ("desk.burn", "Use one of `cmds`."),
        ("room.list", "It belongs to the tool `list_rooms`; here use one of `cmds`."),
    ] {
        let expected = json!({
            "error": "UNKNOWN_CMD", "message": format!("`{cmd}` is no command of `desk`."), "cmds": cmds, "next": next,
        });
        assert_eq!(refused(json!({"op": "call", "cmd": cmd})), expected);
    }
}

#[test]
fn a_portal_is_about_the_named_workspace_else_the_room_joined_last_else_the_one_around_the_caller() {
    on_every_backend(|app| {
        app.workspace().repository("repo");
        app.workspace().dir("repo/src");
        let [ana, bo] = ["ana", "bo"].map(|name| app.agent(name));
        let room = |agent, input| call(agent, &app, input).map(|done| done["room_id"].clone());
        let nowhere = room(&bo, json!({"op": "read"})).unwrap_err();
        assert_eq!(nowhere.message, format!("No room covers {}.", app.workspace().text("")));
        assert_eq!(nowhere.to_json()["next"], "Open one with `join_path`.");

        let around = ana.join()["room_id"].clone();
        let repo = ana.does("room.join", json!({"context_path": "repo", "force_new": true}))["room_id"].clone();
        assert_ne!(around, repo);
        assert_eq!(room(&ana, json!({"op": "read"})), Ok(repo.clone()), "joined last");
        assert_eq!(room(&bo, json!({"op": "read"})), Ok(around.clone()), "around the caller");
        assert_eq!(room(&bo, json!({"op": "read", "workspace": "repo/src"})), Ok(repo.clone()), "by path");
        assert_eq!(room(&bo, json!({"op": "put", "workspace": repo})), Ok(repo.clone()), "by id");
        assert_eq!(room(&bo, json!({"op": "put", "args": {"room_id": repo}})), Ok(repo.clone()), "in the arguments");
        let twice = json!({"op": "put", "workspace": "repo", "args": {"room_id": repo, "paper": "p"}});
        assert_eq!(call(&ana, &app, twice).unwrap(), json!({"room_id": repo, "paper": "p"}));

        let differing = json!({"op": "put", "workspace": ".", "args": {"room_id": repo}});
        let refusal = room(&ana, differing).unwrap_err().to_json();
        assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_INPUT", "workspace"]);
        let missing = room(&ana, json!({"op": "read", "workspace": "gone"})).unwrap_err();
        assert_eq!(missing.code.as_str(), "path_not_found");
    });
}

#[test]
fn agents_on_one_connection_are_each_in_the_room_they_joined() {
    let app = TestApp::open(Backend::Sqlite);
    app.workspace().repository("repo");
    let ana = app.agent("ana");
    let around = ana.join()["room_id"].clone();
    // As two conversations in one Codex.
    let beside = Caller::new(app.agent("bo").caller().actor(), app.workspace().at(""))
        .on(Arc::clone(&ana.caller().connection), Cancel::never());
    let here =
        |caller: &Caller| meant(json!({"op": "read"})).unwrap().run(app.app(), caller).unwrap()["room_id"].clone();
    assert_eq!(here(&beside), around, "around the caller");
    let repo = app.call(&beside, "room.join", json!({"context_path": "repo", "force_new": true})).unwrap();
    assert_eq!((here(&beside), here(ana.caller())), (repo["room_id"].clone(), around));
}

#[test]
fn the_places_of_the_table_are_consistent() {
    let is_portal = |name: &str| TABLE.iter().any(|command| command.op().is_some() && command.tool() == name);
    for (at, command) in TABLE.iter().enumerate() {
        match command.op() {
            Some(op) => {
                // A portal puts the room in, where a command is about one. One that is about all may be asked about one.
                let schema = command.input_schema().as_value().clone();
                let takes_a_room = schema["properties"].get("room_id").is_some();
                let needs_a_room =
                    schema["required"].as_array().is_some_and(|fields| fields.contains(&json!("room_id")));
                let about_one = command.subject == Subject::Room;
                assert!(if about_one { takes_a_room } else { !needs_a_room }, "{}", command.name);
                assert_eq!(command.name, format!("{}.{op}", command.tool()));
                assert!(![CALL, HELP].contains(&op), "{op} is the portal's own");
            }
            None => {
                let tool = command.tool();
                assert!(!is_portal(tool) && TABLE[..at].iter().all(|earlier| earlier.tool() != tool), "{tool}");
            }
        }
    }
}

/// Every field called `name` in a schema, however deep.
fn fields_called<'a>(schema: &'a Value, name: &str, found: &mut Vec<&'a Value>) {
    match schema {
        Value::Object(fields) => {
            let properties = fields.get("properties").and_then(Value::as_object);
            found.extend(properties.and_then(|properties| properties.get(name)));
            fields.values().for_each(|inner| fields_called(inner, name, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| fields_called(inner, name, found)),
        _ => {}
    }
}

#[test]
fn what_is_called_next_is_a_next_step_in_words_and_never_a_place_in_a_list() {
    for command in TABLE {
        let schema = command.output_schema().to_value();
        let mut found = Vec::new();
        fields_called(&schema, "next", &mut found);
        for next in found {
            let is_text = next["type"] == "string" || next["type"] == json!(["string", "null"]);
            assert!(is_text && !next["description"].to_string().contains("page"), "{}: {next}", command.name);
        }
    }
}
