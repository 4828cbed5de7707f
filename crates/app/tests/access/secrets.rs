//! Secrets in every text that any command takes: none is in the answer, in a column of the store or in a file.
//!
//! The fields come from the schemas of the command table, so that a new field is tried without anybody having to say so.

use std::collections::BTreeMap;

use baton_app::table::{Command, Effect, Permission, Role, TABLE};
use baton_testkit::{TestApp, on_every_backend};
use serde_json::{Map, Value, json};

use super::{
    input::{Extent, object},
    scene::{OTHER_JOB, Scene},
};

/// Letters that a number is put between, so that whatever holds it can be told from everything else.
const NEEDLE: (&str, &str) = ("q7Xz", "Kw3v");

fn needle(number: usize) -> String {
    format!("{}{number:05}{}", NEEDLE.0, NEEDLE.1)
}

/// One secret of each kind, all of them with the needle in it.
fn corpus(number: usize) -> Vec<String> {
    let n = needle(number);
    let long = format!("{n}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0");
    let hex = format!("{number:064x}");
    vec![
        format!("ghp_{long}"),
        format!("github_pat_{long}"),
        format!("glpat-{long}"),
        format!("sk-{long}"),
        format!("sk-ant-api03-{long}"),
        format!("sk_live_{long}"),
        format!("AKIA{}A1B2", n.to_uppercase()),
        format!("AIza{long}"),
        format!("xoxb-{long}"),
        format!("npm_{long}"),
        format!("hf_{long}"),
        format!("eyJhbGciOiJI.eyJ{n}.{long}"),
        format!("Authorization: Bearer {long}"),
        format!("postgres://ana:{n}@db/x"),
        format!("DB_PASSWORD={n}"),
        format!(r#"{{"client_secret": "{n}"}}"#),
        format!("curl -u ana:{n} x"),
        format!("machine db login ana password {n}"),
        format!("baton_{hex}{n}"),
        format!("room_1/JOB-001/1/r1/cap_{}", n.to_lowercase().repeat(2)),
        format!("-----BEGIN PRIVATE KEY-----\n{n}\n-----END PRIVATE KEY-----"),
    ]
}

/// The numbers of the needles in a text, in any case.
fn needles_in(text: &str) -> Vec<usize> {
    let lower = text.to_ascii_lowercase();
    let first = NEEDLE.0.to_ascii_lowercase();
    let numbers = lower.match_indices(&first).filter_map(|(at, _)| {
        let digits = lower.get(at + first.len()..at + first.len() + 5)?;
        digits.parse().ok()
    });
    numbers.collect()
}

/// The way to a text in an input.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    Item,
    /// Any field of an object that takes all.
    Anything,
}

fn shown(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => text.push_str(&format!(".{name}")),
            Step::Item => text.push_str("[]"),
            Step::Anything => text.push_str(".*"),
        }
    }
    text
}

/// The schema that is meant, through references and choices that leave one besides nothing.
fn meant<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    if let Some(name) = schema["$ref"].as_str() {
        return meant(root, root.pointer(name.trim_start_matches('#')).unwrap());
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(all) = schema[choice].as_array() {
            return all.iter().filter(|one| one["type"] != "null").flat_map(|one| meant(root, one)).collect();
        }
    }
    vec![schema]
}

fn is_of(schema: &Value, kind: &str) -> bool {
    schema["type"] == kind || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
}

/// Every way to a text.
fn texts(root: &Value, schema: &Value, path: &[Step], found: &mut Vec<Vec<Step>>) {
    for schema in meant(root, schema) {
        let deeper = |step: Step| [path, &[step]].concat();
        if schema.get("enum").is_some() || schema.get("const").is_some() {
            continue;
        }
        if schema.as_bool() == Some(true) || is_of(schema, "string") || schema.get("type").is_none() {
            found.push(path.to_vec());
        } else if is_of(schema, "array") {
            texts(root, &schema["items"], &deeper(Step::Item), found);
        } else if is_of(schema, "object") {
            match schema["properties"].as_object() {
                Some(fields) => {
                    for (name, field) in fields {
                        texts(root, field, &deeper(Step::Field(name.clone())), found);
                    }
                }
                None => found.push(deeper(Step::Anything)),
            }
        }
    }
    found.dedup();
}

/// An input that has `leaf` at the end of `path`, and otherwise what is required.
fn placed(root: &Value, schema: &Value, path: &[Step], leaf: &str, scene: &Scene<'_>) -> Value {
    let Some((step, rest)) = path.split_first() else { return json!(leaf) };
    let kind = match step {
        Step::Field(_) | Step::Anything => "object",
        Step::Item => "array",
    };
    let all = meant(root, schema);
    let has = |schema: &&&Value| match step {
        Step::Field(name) => schema["properties"].get(name).is_some(),
        Step::Item | Step::Anything => is_of(schema, kind),
    };
    let schema = all.iter().find(has).unwrap();
    match step {
        Step::Field(name) => {
            let mut fields = object(root, schema, Extent::Least, scene);
            fields.insert(name.clone(), placed(root, &schema["properties"][name], rest, leaf, scene));
            Value::Object(fields)
        }
        Step::Item => json!([placed(root, &schema["items"], rest, leaf, scene)]),
        Step::Anything => json!({"note": leaf, leaf: 1, "deep": [{"api_key": leaf}]}),
    }
}

/// The choices that a caller must make, each with one way to make it; the first ways are what an input has anyway.
fn choices(schema: &Value) -> Vec<(String, Value)> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut found = Vec::new();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        if !required.contains(&name.as_str()) {
            continue;
        }
        let ways: Vec<Value> = meant(schema, field)
            .into_iter()
            .flat_map(|one| {
                one["enum"].as_array().cloned().unwrap_or_else(|| one.get("const").cloned().into_iter().collect())
            })
            .collect();
        found.extend(ways.into_iter().skip(1).map(|way| (name.clone(), way)));
    }
    found
}

/// The role in which a command does most.
fn role(command: &Command) -> Role {
    match command.name {
        "jobs.report" => Role::JobAgent,
        _ if command.access.owner == Permission::No => Role::Operator,
        // The holder of the stick has nothing to wait for and cannot leave.
        "room.leave" | "stick.wait" | "stick.takeover" | "room.reorder" => Role::Agent,
        _ => Role::Owner,
    }
}

/// What must be there for a command to do something, and what its input must say for that.
fn prepared(command: &Command, field: &str, scene: &Scene<'_>) -> Map<String, Value> {
    let (caller, founder) = (&scene.caller, &scene.founder);
    founder.does("tasks.create", json!({"title": "Mend it"}));
    founder.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core"}));
    founder.does("tasks.card.create", json!({"title": "Seen", "text": "It rains in."}));
    let said = match command.name {
        "jobs.complete" => {
            let claimed = caller.does("jobs.claim", json!({"job": OTHER_JOB}));
            json!({"job": OTHER_JOB, "claim_revision": claimed["job"]["revision"]})
        }
        "jobs.requeue" => {
            founder.does("jobs.cancel", json!({"job": OTHER_JOB, "reason": "to be done again"}));
            json!({})
        }
        "jobs.radar" => json!({"reply_job": OTHER_JOB, "reply_message": "left"}),
        "context.turn.prompt" | "context.turn.tools" | "context.turn.end" => {
            let begun = caller.does("context.turn.begin", json!({}));
            json!({"turn": begun["turn"]})
        }
        "bus.result" | "bus.task_done" | "bus.relay" => {
            let action = json!({"type": "message", "kind": "user", "action_id": "a0", "action_index": 0,
                "dst": caller.id(), "text": "do it"});
            founder.does("bus.submit", json!({"group_id": "g", "task_id": "t", "actions": [action]}));
            if command.name == "bus.result" { json!({"action_id": "a0", "status": "completed"}) } else { json!({}) }
        }
        "inbox.ack" => {
            let to = json!({"to": caller.id(), "category": "INFO", "subject": "s", "body": "b"});
            let sent = founder.does("inbox.send", to);
            json!({"message": sent["message"]})
        }
        "inbox.send" => match field {
            "summary" | "next_action" => {
                json!({"to": "founder", "category": "HANDOFF", "subject": "s", "summary": "x", "next_action": "y"})
            }
            "blocker" | "requested_action" => {
                json!({"to": "founder", "category": "BLOCKED", "subject": "s", "blocker": "x", "requested_action": "y"})
            }
            _ => json!({"to": "founder", "category": "INFO", "subject": "s", "body": "b"}),
        },
        "envelope.send" if field == "envelope" => json!({}),
        "envelope.send" => json!({"to": "founder", "message": "m"}),
        "jobs.report" => json!({"message": "half"}),
        "context.append" => {
            let built = caller.does("context.build", json!({}));
            json!({"pack": built["ref"]})
        }
        "bus.close" => {
            caller.release(&scene.turn);
            json!({})
        }
        "stick.takeover" => {
            scene.app.later_minutes(300);
            json!({})
        }
        "agent.approval.resolve" => {
            let ask = json!({"title": "Read", "prompt": "Read it.", "message": "Here."});
            let operator = scene.operator();
            operator.does("bus.add", json!({}));
            let asked = operator.does("spawn.request", ask);
            let listed = operator.does("agent.approval.list", json!({}));
            let digest = listed["approvals"][0]["digest"].clone();
            let decision = if field == "changes" { "modify" } else { "approve" };
            json!({"approval": asked["approval"], "decision": decision, "digest": digest})
        }
        "spawn.request" => {
            scene.operator().does("agent.grant", json!({"agent": caller.id(), "spawn_nodes": true}));
            json!({})
        }
        "tasks.done" => {
            caller.does("tasks.start", json!({"task": "TASK-001"}));
            json!({})
        }
        "room.close" => json!({"lease_id": scene.turn.lease_id}),
        _ => json!({}),
    };
    match said {
        Value::Object(said) => said,
        _ => unreachable!("it is an object"),
    }
}

/// Completes parts of an input that the schema does not tell, around the field that is tried.
fn fit(input: &mut Value, path: &[Step], leaf: &str, scene: &Scene<'_>) {
    let (from, to) = (scene.caller.id(), scene.founder.id());
    let tried = |name: &str| path.contains(&Step::Field(name.to_owned()));
    if tried("actions") {
        let action = &mut input["actions"][0];
        let rest = if tried("args") {
            json!({"type": "control", "command": "review"})
        } else {
            json!({"type": "message", "kind": "user", "text": "do it", "dst": to, "action_id": "a0"})
        };
        for (name, value) in rest.as_object().unwrap().iter().filter(|(name, _)| !tried(name)) {
            action[name] = value.clone();
        }
        if tried("note") {
            action["plan"]["steps"] = json!(["one"]);
        }
        action["dst"] = if tried("dst") { action["dst"].clone() } else { json!(to) };
    }
    for list in ["files", "docs"].into_iter().filter(|list| tried(list) && !tried("path")) {
        if let Some(entry) = input[list][0].as_object_mut() {
            entry.insert("path".to_owned(), json!("README.md"));
        }
    }
    if tried("capabilities") {
        input["capabilities"]["executors"] = json!([{"executor": "codex", "profiles": ["fast"]}]);
    }
    if tried("envelope") {
        input["envelope"] = json!({
            "kind": "handoff", "id": format!("payload-{}", scene.room), "fromNodeId": from, "toNodeId": to,
            "createdAt": "2026-01-01T00:00:00Z", "meta": {"note": leaf},
            "payload": {"message": leaf, "structured": {"note": leaf, "password": leaf}, "status": {"ok": true, "reason": leaf}},
        });
    }
}

/// A field of a command, with a secret in it.
struct Try {
    field: String,
    accepted: bool,
}

/// Calls `command` with `leaf` in one of its fields, and once more with the same key. Gives whether it was carried out.
fn attempt(
    app: &TestApp,
    command: &Command,
    path: &[Step],
    leaf: &str,
    number: usize,
    choice: Option<(String, Value)>,
    leaks: &mut Vec<String>,
) -> bool {
    let schema = command.input_schema().to_value();
    let scene = Scene::of(app, role(command));
    let field = path.first().map_or_else(String::new, |first| shown(std::slice::from_ref(first)));
    let said = prepared(command, &field, &scene);
    let mut input = placed(&schema, &schema, path, leaf, &scene);
    for (name, value) in said {
        // The field that is tried stays.
        if path.first() != Some(&Step::Field(name.clone())) {
            input[&name] = value;
        }
    }
    fit(&mut input, path, leaf, &scene);
    let fields = &schema["properties"];
    if let Some((name, way)) = choice {
        input[&name] = way;
    } else if fields.get("idempotency_key").is_some()
        && path.first() != Some(&Step::Field("idempotency_key".to_owned()))
    {
        input["idempotency_key"] = json!(format!("k{number}"));
    }
    let call = || app.call(scene.impatient().caller(), command.name, input.clone());
    let (first, again) = (call(), call());
    for answer in [&first, &again] {
        let text = match answer {
            Ok(answer) => answer.to_string(),
            Err(failure) => format!("{failure:?} {failure} {}", failure.to_json()),
        };
        if !needles_in(&text).is_empty() {
            leaks.push(format!("{} {} is answered: {text}", command.name, shown(path)));
        }
    }
    if let (Ok(first), Ok(again)) = (&first, &again)
        && input.get("idempotency_key").is_some()
        && command.name != "jobs.claim"
    {
        assert_eq!(first, again, "{}: a repeated request is known by its key", command.name);
    }
    first.is_ok()
}

/// The fields whose secrets no command carries out, because they are ids, names, numbers in a text, or choices.
fn refused(tries: &[(&str, Try)]) -> String {
    let mut fields: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (command, tried) in tries.iter().filter(|(_, tried)| !tried.accepted) {
        fields.entry(command).or_default().push(&tried.field);
    }
    fields.iter().map(|(command, fields)| format!("{command}: {}", fields.join(" "))).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_secret_in_any_field_of_any_command_is_answered_or_stored() {
    on_every_backend(|app| {
        let (mut tries, mut leaks): (Vec<(&str, Try)>, Vec<String>) = Default::default();
        for command in TABLE.iter().filter(|command| matches!(command.effect, Effect::Write | Effect::Wait)) {
            let schema = command.input_schema().to_value();
            let mut paths = Vec::new();
            texts(&schema, &schema, &[], &mut paths);
            // Identity by hand is tested with identities. Rooms and keys are the same for every command.
            let is_usual = |name: &str| matches!(name, "room_id" | "idempotency_key") && command.name != "jobs.create";
            paths.retain(|path| match path.first() {
                Some(Step::Field(name)) => name != "agent_id_override" && !is_usual(name),
                Some(Step::Item | Step::Anything) | None => true,
            });
            for path in paths {
                let number = tries.len();
                let secrets = corpus(number);
                // A short field takes one secret, a long one takes all, and a reference one that is a command.
                let receipt = format!("CMD: {}", secrets[16]);
                let accepted = [secrets.join(" ").as_str(), &secrets[0], &receipt]
                    .into_iter()
                    .enumerate()
                    .any(|(turn, leaf)| attempt(&app, command, &path, leaf, number * 3 + turn, None, &mut leaks));
                for choice in choices(&schema).into_iter().filter(|_| accepted) {
                    attempt(&app, command, &path, &secrets.join(" "), 0, Some(choice), &mut leaks);
                }
                tries.push((command.name, Try { field: shown(&path), accepted }));
            }
        }
        for (place, text) in app.every_text() {
            for number in needles_in(&text) {
                let (command, tried) = &tries[number];
                leaks.push(format!("{command} {} is in {place}", tried.field));
            }
        }
        leaks.sort();
        leaks.dedup();
        assert!(leaks.is_empty(), "{}", leaks.join("\n"));
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused(&tries), @"
            agent.adopt: agent scopes[]
            agent.approval.resolve: approval digest changes.role changes.priority
            agent.edge.add: from to
            agent.edge.remove: from to
            agent.grant: agent
            agent.heartbeat: agent
            agent.init: adopt register role scopes[]
            agent.register: name role
            agent.wake: agent
            bus.add: id name role
            bus.await: group_id
            bus.relay: task_id
            bus.remove: id
            bus.result: action_id group_id data.new_context_id data.new_task_id
            bus.send: dst context.context_id context.owner_id context.parent_message_id task_id reply_to
            bus.submit: group_id actions[].type actions[].dst actions[].action_id actions[].kind actions[].reply_to_action_id actions[].command context.context_id context.owner_id context.parent_message_id task_id
            bus.task: task_id context_id
            bus.task_done: task_id context_id
            bus.update: id name
            context.append: pack artifacts[] inputs[]
            context.brief.edit: global_mode
            context.build: agent job base
            context.merge: packs[]
            context.turn.begin: job runner_id
            context.turn.end: turn
            context.turn.prompt: turn role context_ref
            context.turn.tools: turn runner_id uses[].at
            envelope.send: to artifacts[].type context_ref reply_to id
            inbox.ack: message
            inbox.list: state
            inbox.read: message
            inbox.send: to category bead_id scope
            inbox.tell: to
            jobs.apply: job
            jobs.branch: job branch
            jobs.cancel: job
            jobs.claim: job runner_id
            jobs.complete: job runner_id
            jobs.create: room_id priority task anchor idempotency_key
            jobs.message: job
            jobs.radar: task anchor reply_job
            jobs.report: job runner_id
            jobs.requeue: job
            jobs.runner.heartbeat: runner_id active_job_id active_jobs[]
            jobs.runner.reset: runner_id
            jobs.runner.retire: runner_id
            jobs.send_back: job
            room.close: lease_id
            room.join: context_path
            room.policy: lease_id
            room.reorder: order[]
            scope.release: scopes[]
            scope.reserve: scopes[] bead_id
            spawn.request: artifacts[].type context_ref role priority task anchor
            stick.heartbeat: lease_id
            stick.pass: lease_id to_agent_id handoff.context_ref
            stick.release: lease_id handoff.context_ref
            stick.wait: cursor
            tasks.anchor.set: anchor
            tasks.artifact.keep: job turn
            tasks.assign: task assignee
            tasks.card.create: task anchor job
            tasks.card.pin: card
            tasks.create: scopes[] assignee
            tasks.done: task
            tasks.focus: task
            tasks.macro.delegate: task anchor job_priority
            tasks.macro.fanout_jobs: task anchors[] job_priority
            tasks.macro.merge_report: jobs[] task
            tasks.macro.start: scopes[]
            tasks.plan.create: tasks[]
            tasks.start: task scopes[]
            ");
        }
    });
}

#[test]
fn a_handoff_is_stored_as_it_was_given_but_for_its_secrets() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        let status = |secret: &str| format!("  Half\tdone.\r\n\n\n  use {secret},\u{a0}then stop — naïve \u{200b} ");
        let key = &corpus(7)[0];
        let turn = ana.claim();
        let handoff = json!({"status": status(key), "next_action": "  go\ton  ",
            "do_not": [format!("TOKEN='{}'\n\tkeep  this", needle(7))], "artifacts": [{"path": " a b.rs ", "role": "edit"}]});
        let given = ana.call("stick.release", turn.showing(json!({"handoff": handoff})));
        given.unwrap_or_else(|failure| panic!("{failure}"));
        let received = bo.wait()["handoff"].clone();
        assert_eq!(received["status"], status("[redacted:github]"));
        assert_eq!(received["next_action"], "  go\ton  ");
        assert_eq!(received["do_not"], json!(["TOKEN='[redacted:token]'\n\tkeep  this"]));
        assert_eq!(received["artifacts"], handoff["artifacts"]);
        let stored = format!("{:?}", app.every_text());
        assert!(needles_in(&stored).is_empty());
    });
}
