//! kill -9 of a runner and its program while a turn has what waited for its agent: it is back, in order, once.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{World, is_gone};

/// Says that it is there, and stays.
const STAYS: &str = r#"echo $$ > "$here/started"; exec sleep 1000"#;

#[test]
fn killed_between_delivery_and_the_end_its_inputs_are_back_in_order_once() {
    World::on_every_backend(|world| {
        let room = world.join_as("ana");
        world.plays(&[STAYS, r#"answer FAILED "No ladder""#]);
        let started = world.pipe("started");
        let job = world.delegate(&[]);
        for said in ["first", "second"] {
            world.data_at_terminal(&["tell", &job, said]);
        }
        let third = world.run_as("ana", &["handoff", &job, "third"]);
        assert_eq!(third.status, 0, "{third:?}");
        world.data_at_terminal(&["tell", &job, "--interrupt", "before all else"]);

        let mut runner = world.runner(&["--claim-ttl", "1", "--runner-ttl", "1"]);
        let family = started.processes(1);
        let (delivered, consumed) = inputs(&world, "TURN-1");
        assert_eq!(delivered, ["before all else", "first", "second", "third"]);
        runner.kill();
        assert!(family.iter().all(|(_, process)| is_gone(process)));

        let mut next = world.runner(&[]);
        next.says("JOB-001 FAILED");
        next.signal(Signal::TERM);
        next.ends();
        let turns = world.data_of(&["turn", "list"])["turns"].clone();
        let told: Vec<_> =
            turns.as_array().unwrap().iter().rev().map(|turn| (&turn["outcome"], &turn["returned"])).collect();
        let (lost, completed) = (json!("lost"), json!("completed"));
        assert_eq!(told, [(&lost, &json!(true)), (&completed, &Value::Null)], "{turns:#}");
        assert_eq!(inputs(&world, "TURN-2"), (delivered, consumed.clone()), "the same, in the same order");
        let prompt = world.prompt(2);
        let places: Vec<_> = ["> before all else", "> first", "> second", "> third"]
            .map(|said| (prompt.matches(said).count(), prompt.find(said)))
            .to_vec();
        assert!(places.is_sorted() && places.iter().all(|(count, _)| *count == 1), "{places:?}: {prompt}");
        let log = world.log(&room);
        let returned: Vec<_> = log.iter().filter(|event| event["event_type"] == "turn.end").collect();
        assert_eq!(returned.len(), 2, "{returned:#?}");
        world.assert_sound();
    });
}

/// What a turn consumed: what each says, and where it is.
fn inputs(world: &World, turn: &str) -> (Vec<String>, Value) {
    let opened = world.data_of(&["open", turn]);
    let texts = opened["inputs"].as_array().unwrap().iter().map(|input| input["text"].as_str().unwrap().to_owned());
    (texts.collect(), opened["consumed"].clone())
}
