//! A job, from delegation to proof: a real runner drives a real program, which asks, is answered, and shows what it did.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Child, Command, Stdio},
};

use baton_app::Failure;
use serde_json::{Value, json};

use super::stage::{Agent, Stage, off_script, program, text, wrong};

/// The agent program: it reads its prompt, works in its directory, and answers with JSON. It asks first.
const AGENT: &str = r#"#!/bin/sh
baton="$1"
if grep -q '^JOB-[0-9]*@[0-9]* manager'; then
    echo "- retries: 3" >> plan.md
    card=$("$baton" card create "Retries are in the plan" --kind evidence --text "plan.md has a line for them." \
        --ref "CMD: grep retries plan.md" --json | sed 's/.*"card":"\([^"]*\)".*/\1/')
    echo "{\"status\":\"DONE\",\"summary\":\"Added retries to plan.md.\",\"refs\":[\"$card\",\"CMD: grep retries plan.md\"],\"events\":[]}"
else
    "$baton" job report --kind question "How many retries?" > /dev/null
    echo '{"status":"CONTINUE","summary":"I need a number.","refs":[],"events":[]}'
fi
"#;

/// Delegates, answers, and reads the proof.
pub(super) fn play(stage: &Stage, codex: &mut Agent) -> Result<(), Failure> {
    stage.heading("Delegation: codex hands a job to a runner, is asked, answers, and gets proof");
    let created = stage.op(
        codex,
        "jobs",
        "create",
        json!({"title": "Put retries into the plan", "prompt": "plan.md says nothing of retries. Add them.", "executor": "command"}),
    )?;
    let job = text(&created, "job");
    stage.say(&format!("{job} waits. The radar says how to start a runner; one is started for real."));
    let mut runner = Runner::start(stage)?;
    let asked = follow(stage, codex, &job, "question")?;
    stage.say(&format!("The agent asks: \"{}\" The radar shows it, with the answer to copy:", text(&asked, "message")));
    let radar = stage.op(codex, "jobs", "radar", json!({"fmt": "lines"}))?;
    let row = text(&radar, "lines").lines().find(|line| line.contains(" ? ")).map(str::to_owned);
    stage.say(&row.ok_or_else(|| off_script("codex", "jobs radar", &radar))?);
    stage.op(codex, "jobs", "radar", json!({"reply_job": job, "reply_message": "Three."}))?;
    stage.say("codex replies: \"Three.\" The next slice begins with it.");
    let done = follow(stage, codex, &job, "completed")?;
    let refs: Vec<&str> = done["refs"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    stage.say(&format!("{job} is DONE, with proof: {}", refs.join(", ")));
    runner.end()
}

/// Waits until something of this kind happens to the job.
fn follow(stage: &Stage, agent: &mut Agent, job: &str, kind: &str) -> Result<Value, Failure> {
    let mut after = Value::Null;
    loop {
        let args = json!({"job": job, "after": after, "max_wait_ms": 20_000});
        let tail = stage.op(agent, "jobs", "tail", args)?;
        let events = tail["events"].as_array().cloned().unwrap_or_default();
        if events.is_empty() {
            return Err(off_script(agent.name, &format!("waiting for a {kind}"), &tail));
        }
        if let Some(found) = events.into_iter().find(|event| event["kind"] == kind) {
            return Ok(found);
        }
        after = tail["cursor"].clone();
    }
}

/// A runner on stage. It ends with the scene, whatever happens.
struct Runner(Child);

impl Runner {
    fn start(stage: &Stage) -> Result<Self, Failure> {
        let home = stage.home();
        let (agent, config) = (home.join("agent.sh"), home.join("config.toml"));
        fs::write(&agent, AGENT).map_err(wrong)?;
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o700)).map_err(wrong)?;
        let argv = json!([agent, program()?]);
        fs::write(&config, format!("[executors.command]\nargv = {argv}\n")).map_err(wrong)?;
        let mut command: Command = stage.baton(&["run", "--once", "--runner-id", "demo-runner"])?;
        command.env("BATON_CONFIG", config).stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
        Ok(Self(command.spawn().map_err(wrong)?))
    }

    fn end(&mut self) -> Result<(), Failure> {
        let status = self.0.wait().map_err(wrong)?;
        if status.success() { Ok(()) } else { Err(off_script("the runner", "its end", &json!(status.to_string()))) }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // One that has ended cannot be killed, and need not.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
