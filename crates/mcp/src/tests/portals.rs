//! Portals, as agents see and call them, on a small table of their own.

use baton_app::{
    App, Caller, Failure,
    commands::room::{
        AppendNoteResult, Events, EventsInput, GetRoomEventsResult, Join, Note, NoteInput, SetPolicy, SetPolicyInput,
        SetRoomPolicyResult,
    },
    table::{self, Command, Effect, Place, Portal, Tier, UseCase},
};
use serde_json::{Value, json};

use super::wire::Wire;
use crate::tools::Tools;

static DESK: Portal = Portal { name: "desk", tier: Tier::Daily, about: "Papers on a desk." };
static SHELF: Portal = Portal { name: "shelf", tier: Tier::Full, about: "Papers on a shelf." };
static TABLE: &[Command] =
    &[Command::of::<Put>(), Command::of::<Join>(), Command::of::<Read>(), Command::of::<Tidy>(), Command::of::<Find>()];

/// A command of the real table, in a portal.
macro_rules! moved {
    ($name:ident $full:literal $portal:ident $effect:ident $same:ident $input:ident $output:ident) => {
        struct $name;
        impl UseCase for $name {
            const NAME: &'static str = $full;
            const PLACE: Place = Place::Portal(&$portal);
            const EFFECT: Effect = Effect::$effect;
            const ABOUT: &'static str = $same::ABOUT;
            type Input = $input;
            type Output = $output;

            fn perform(app: &App, caller: &Caller, input: $input) -> Result<$output, Failure> {
                $same::run(app, caller, input)
            }
        }
    };
}

moved!(Put "desk.put" DESK Write Note NoteInput AppendNoteResult);
moved!(Read "desk.read" DESK Read Events EventsInput GetRoomEventsResult);
moved!(Tidy "desk.tidy" DESK Write SetPolicy SetPolicyInput SetRoomPolicyResult);
moved!(Find "shelf.find" SHELF Read Events EventsInput GetRoomEventsResult);

async fn greeted(tier: Tier) -> Wire {
    let mut wire = Wire::offering(Tools::of(TABLE, tier));
    wire.initialize("2025-11-25").await;
    wire
}

#[tokio::test]
async fn a_portal_is_one_tool_with_a_short_line_for_the_first_ops() {
    let mut wire = greeted(Tier::Full).await;
    let tools = wire.request("tools/list", json!({})).await["result"]["tools"].take();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["desk", "join_path", "shelf"]);
    assert_eq!(tools[2]["annotations"]["readOnlyHint"], true, "all that it does is read");
    insta::assert_json_snapshot!(tools[0]);
    // Without its description: what a portal costs, however little it does.
    let bytes = tools[2].to_string().len() - tools[2]["description"].to_string().len();
    assert!(bytes <= 310, "{bytes} bytes");
}

#[tokio::test]
async fn a_portal_with_many_ops_names_those_that_its_description_has_no_room_for() {
    let mut wire = Wire::offering(Tools::of(table::TABLE, Tier::Daily));
    wire.initialize("2025-11-25").await;
    let tools = wire.request("tools/list", json!({})).await["result"]["tools"].take();
    let jobs = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "jobs").unwrap();
    insta::assert_snapshot!(jobs["description"].as_str().unwrap(), @r"
    Jobs: delegate, watch, answer, use results; runners claim and report.
    create(title, prompt, kind?, priority?, …)
    radar(status?, task?, anchor?, limit?, …)
    message(job, message, refs[]?)
    help(op?)
    more: open tail list cancel requeue claim report complete runner.heartbeat|retire diff apply branch send_back
    ");
}

#[tokio::test]
async fn an_op_runs_as_its_command_in_the_room_that_was_joined() {
    let mut wire = greeted(Tier::Daily).await;
    let room = wire.join().await;
    let put = wire.call("desk", json!({"op": "put", "args": {"text": "hello"}})).await;
    assert_eq!(put["isError"], false, "{put}");
    let put = &put["structuredContent"];
    assert_eq!((&put["ok"], &put["command"], &put["data"]["room_id"]), (&json!(true), &json!("desk.put"), &room));
    assert_eq!(put.as_object().unwrap().len(), 3, "{put}");
    let read = json!({"op": "call", "cmd": "desk.read", "workspace": room, "args": {"limit": 1}});
    let read = wire.call("desk", read).await;
    assert_eq!(read["structuredContent"]["command"], "desk.read", "the command has one name, however it is called");
    assert_eq!(read["structuredContent"]["data"]["events"][0]["note"], "hello", "{read}");
    for (input, command, code) in [
        (json!({"op": "burn"}), "desk", "UNKNOWN_OP"),
        (json!({"op": "call", "cmd": "room.join"}), "desk", "UNKNOWN_CMD"),
        (json!({"op": "put", "args": {"text": 5}}), "desk.put", "INVALID_INPUT"),
    ] {
        let refused = wire.call("desk", input).await;
        let envelope = &refused["structuredContent"];
        assert_eq!((&refused["isError"], &envelope["ok"]), (&json!(true), &json!(false)));
        assert_eq!((&envelope["command"], &envelope["error"]["code"]), (&json!(command), &json!(code)));
        assert!(
            envelope.get("data").is_none() && envelope["error"]["next"].as_str().is_some_and(|next| !next.is_empty())
        );
    }
}

#[tokio::test]
async fn a_portal_says_what_its_ops_are_and_all_about_one() {
    let mut wire = greeted(Tier::Daily).await;
    let mut help = async |args: Value| {
        let told = wire.call("desk", json!({"op": "help", "args": args})).await["structuredContent"].take();
        assert_eq!((&told["ok"], &told["command"]), (&json!(true), &json!("desk.help")), "{told}");
        told["data"].clone()
    };
    insta::assert_json_snapshot!("help", help(json!({})).await);
    insta::assert_json_snapshot!("help_on_an_op", help(json!({"op": "read"})).await);
}

#[tokio::test]
async fn a_name_that_is_no_tool_is_told_where_its_command_is() {
    let mut wire = greeted(Tier::Daily).await;
    let mut advice = async |name: &str| {
        let refused: Value = wire.call(name, json!({})).await["structuredContent"].take();
        assert_eq!((&refused["error"], &refused["tools"]), (&json!("UNKNOWN_TOOL"), &json!(["desk", "join_path"])));
        refused["next"].as_str().unwrap().to_owned()
    };
    assert_eq!(advice("desk_put").await, "Call the tool `desk` with op `put`.");
    assert_eq!(advice("desk.put").await, "Call the tool `desk` with op `put`.");
    assert_eq!(advice("room_join").await, "Call the tool `join_path`.");
    assert_eq!(advice("desk_jobs_list").await, "Use one of `tools`.");
    let full = "is offered by `baton mcp --tools full` only";
    assert_eq!(advice("shelf_find").await, format!("Call the tool `shelf` with op `find`, which {full}."));
    assert_eq!(advice("shelf").await, format!("This tool {full}. Use one of `tools`."));
}
