//! Programs of jobs on the socket: the server sees the minder above them.

use baton_bus::client::{Client, Transport};
use baton_core::ids::RoomId;
use baton_testkit::{Other, Role, assignment};
use serde_json::{Value, json};

use crate::{
    peer::Served,
    world::{World, run},
};

/// A process with the arguments of a minder and the job of one in its environment. What it starts has that no more.
fn start_minded(world: &World, assignment: &str) -> Other {
    let directory = world.data();
    std::fs::write(directory.join("minder"), "env -u BATON_JOB \"$@\"\nexit $?\n").unwrap();
    let job = format!("BATON_JOB={assignment}");
    let become_minder = format!("cd '{}' && exec -a baton sh minder \"$@\"", directory.display());
    Other::start_through("env", &[&job, "bash", "-c", &become_minder, "bash"], "minded", &directory)
}

/// Its calls in the session, as the job's agent and as one that it added itself.
pub(crate) fn play(role: &Role) {
    let session: RoomId = std::fs::read_to_string(role.directory.join("session")).unwrap().parse().unwrap();
    let connect = || Client::connect(Transport::Socket(role.directory.join(baton_bus::socket::FILE_NAME))).unwrap();
    let call = |client: &Client, command: &str, mut input: Value| {
        input["room_id"] = json!(session);
        let told = match client.call(command, &input, None) {
            Ok(answer) => answer,
            Err(refused) => json!({"code": refused.code}),
        };
        role.say(&told.to_string());
    };
    let (own, helper) = (connect(), connect());
    call(&own, "agent.add", json!({"name": "job-001"}));
    call(&helper, "agent.add", json!({"id": "helper"}));
    call(&helper, "jobs.create", json!({"title": "Dig", "prompt": "Deep.", "executor_profile": "deep"}));
    role.hear();
    for client in [&own, &helper] {
        call(client, "jobs.report", json!({"kind": "progress", "message": "half"}));
        call(client, "room.note", json!({"text": "I was here."}));
    }
}

#[tokio::test]
async fn a_program_below_a_minder_is_its_jobs_agent_on_the_socket_and_so_is_whomever_it_adds() {
    let world = World::new();
    let _served = Served::new(&world);
    let room = world.room();
    let ana = world.caller("ana");
    run(&world.app, &ana, "jobs.create", json!({"room_id": room, "title": "Mend it", "prompt": "It rains in."}));
    let claim = |force: bool| {
        let input = json!({"room_id": room, "job": "JOB-001", "force": force});
        assignment(&run(&world.app, &world.caller("runner:one"), "jobs.claim", input))
    };
    let first = claim(false);
    std::fs::write(world.data().join("session"), room.as_str()).unwrap();
    let mut program = start_minded(&world, &first.reveal());
    let says = |mut program: Other| async {
        let told = tokio::task::spawn_blocking(move || {
            let said = program.says().unwrap();
            (program, serde_json::from_str::<Value>(&said).unwrap())
        });
        told.await.unwrap()
    };
    let mut told = Vec::new();
    for _ in 0..3 {
        let (next, said) = says(program).await;
        program = next;
        told.push(said);
    }
    assert_eq!(told[0]["agent"]["id"], first.agent_id().as_str(), "{told:#?}");
    assert_eq!(told[1]["agent"]["id"], "helper", "{told:#?}");
    assert_eq!(told[2]["code"], "SPAWN_FORBIDDEN", "{told:#?}");
    claim(true);
    program.go();
    for _ in 0..4 {
        let (next, said) = says(program).await;
        program = next;
        assert_eq!(said["code"], "CONFLICT", "{said}");
    }
    tokio::task::spawn_blocking(move || program.ends()).await.unwrap();
}
