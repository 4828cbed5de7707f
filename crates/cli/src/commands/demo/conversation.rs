//! The bus: ordered work for two agents that are connected to a real server, submitted from a shell that is not.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
    thread,
};

use baton_app::{
    Failure,
    commands::bus::{AddInput, Delivery, ResultInput},
};
use baton_bus::client::{Actions, Client, ClientError, Transport};
use baton_core::{
    bus::{Control, Data, Status, What},
    ids::{AgentId, RoomId},
};
use serde_json::{Value, json};

use super::{
    server::{Server, answer},
    stage::{Stage, off_script, text, wrong},
};

/// The id that the shell of the story speaks for.
const ANA: &str = "ana";
/// Who is connected, and how many actions each is asked.
const RUNTIMES: [(&str, usize); 2] = [("reader", 2), ("tester", 1)];

/// Submits, waits for results, and reads the stream.
pub(super) fn play(stage: &Stage) -> Result<(), Failure> {
    stage.heading("The bus: ana submits ordered work to two connected agents, and waits for their results");
    let server = Server::start(stage, "review.sock")?;
    let opened = answer(&run(stage, &["bus", "open", "review", "--json"], "")?)?;
    let session: RoomId = text(&opened["session"], "id").parse().map_err(wrong)?;
    run(stage, &["bus", "join", "--session", "review", "--id", ANA], "")?;
    stage.say("A server is up. reader and tester connect to its socket; ana uses a shell, straight on the store.");
    // The server goes down with the scene, whatever happens, and whoever is still connected to it with the server.
    thread::scope(|scope| {
        let server = server;
        let mut runtimes = Vec::new();
        for (name, actions) in RUNTIMES {
            let runtime = Runtime::connect(&server.socket, name, &session)?;
            runtimes.push(scope.spawn(move || runtime.serve(actions)));
        }
        let submission = json!({ "group_id": "g1", "actions": [
            { "type": "control", "dst": "reader", "action_id": "g1.0", "action_index": 0, "command": "new" },
            { "type": "message", "dst": "reader", "action_id": "g1.1", "action_index": 1, "kind": "user",
              "text": "Read the diff of section 2." },
            { "type": "message", "dst": "tester", "action_id": "g1.2", "action_index": 2, "kind": "user",
              "text": "Run the tests." },
        ]});
        let submit = ["bus", "submit", "--session", "review", "--file", "-", "--wait"];
        stage.say("ana submits a /new and a message for reader, and a message for tester, and waits:");
        say_lines(stage, &run(stage, &submit, &submission.to_string())?);
        for runtime in runtimes {
            runtime.join().map_err(|_| off_script("a runtime", "its end", &Value::Null))?.map_err(wrong)?;
        }
        server.end()
    })?;
    stage.say("The server has gone. What anybody with a cursor would have been told is in the log:");
    say_lines(stage, &run(stage, &["bus", "tail", "--session", "review", "--after", "0"], "")?);
    Ok(())
}

fn say_lines(stage: &Stage, shown: &str) {
    shown.lines().for_each(|line| stage.say(line));
}

/// Runs a command of ana's that must not refuse, and gives what it shows.
fn run(stage: &Stage, arguments: &[&str], input: &str) -> Result<String, Failure> {
    let mut command: Command = stage.baton(arguments)?;
    // Who opens a session and joins it chooses an id there; afterwards the shell speaks for it.
    if !matches!(arguments, ["bus", "open" | "join", ..]) {
        command.env("BATON_AGENT_ID", ANA);
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(wrong)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).map_err(wrong)?;
    }
    let ran = child.wait_with_output().map_err(wrong)?;
    match ran.status.success() {
        true => String::from_utf8(ran.stdout).map_err(wrong),
        false => Err(off_script(ANA, &arguments.join(" "), &json!(String::from_utf8_lossy(&ran.stderr)))),
    }
}

/// An agent that is connected: what is submitted to it is pushed.
struct Runtime {
    client: Client,
    session: RoomId,
    actions: Actions,
}

impl Runtime {
    fn connect(socket: &Path, name: &str, session: &RoomId) -> Result<Self, Failure> {
        let id: AgentId = name.parse().map_err(wrong)?;
        let client = Client::connect(Transport::Socket(socket.to_owned())).map_err(wrong)?;
        let (room_id, id) = (session.clone(), Some(id));
        client.agent_add(&AddInput { room_id, id, name: None, role: None, idempotency_key: None }).map_err(wrong)?;
        let actions = client.actions(session).map_err(wrong)?;
        Ok(Self { client, session: session.clone(), actions })
    }

    /// Does so many actions, one after the other.
    fn serve(mut self, actions: usize) -> Result<(), ClientError> {
        for _ in 0..actions {
            let Some(delivery) = self.actions.next().transpose()? else { break };
            self.report(&delivery, Status::Accepted, None, None)?;
            let (detail, data) = match &delivery.what {
                What::Control { command: Control::New, .. } => {
                    let begun = "ctx-fresh".parse().ok();
                    (None, Some(Data { new_context_id: begun, new_task_id: None }))
                }
                What::Control { .. } => (None, None),
                What::Message { .. } => (Some("nothing to complain about".to_owned()), None),
            };
            self.report(&delivery, Status::Completed, detail, data)?;
        }
        Ok(())
    }

    fn report(
        &self,
        delivery: &Delivery,
        status: Status,
        detail: Option<String>,
        data: Option<Data>,
    ) -> Result<(), ClientError> {
        let Some(action_id) = delivery.action_id.clone() else { return Ok(()) };
        let (room_id, group_id, action_index) =
            (self.session.clone(), delivery.group_id.clone(), delivery.action_index);
        let told =
            ResultInput { room_id, action_id, group_id, action_index, status, detail, data, idempotency_key: None };
        self.client.result(&told).map(|_| ())
    }
}
