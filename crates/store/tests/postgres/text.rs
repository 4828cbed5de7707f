//! Texts that one engine might take and the other not: both give the same answers.

use std::cell::RefCell;

use baton_testkit::{Agent, Backend, TestApp, handoff};
use serde_json::{Value, json};

/// Odd texts: NUL, other controls, characters outside the first plane, non-characters, what looks like SQL, and much.
fn odd_texts() -> Vec<String> {
    let mut odd: Vec<String> = [
        "",
        "\0",
        "before\0after",
        "\u{1}\u{7f}\u{85}\u{2028}",
        "\u{fffd}\u{fffe}\u{ffff}\u{10ffff}",
        "\u{feff}e\u{301}\u{202e}\u{1f9d1}\u{200d}\u{1f4bb}",
        "'; DROP TABLE baton.rooms; -- ?1 $1 \\ %",
        "\\u0000 \\x00",
    ]
    .map(str::to_owned)
    .to_vec();
    odd.extend([100, 128, 129, 3000, 16 * 1024, 16 * 1024 + 1].map(unlike_itself));
    odd
}

/// A text of this length that cannot be made shorter: engines differ in how long a key they can look up.
fn unlike_itself(length: usize) -> String {
    let mut state = 1_u32;
    let letter = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[(state >> 26) as usize])
    };
    (0..length).map(letter).collect()
}

/// Everything that is said to an app, and everything it answers.
struct Conversation {
    app: TestApp,
    said: RefCell<Vec<String>>,
}

impl Conversation {
    fn with(backend: Backend) -> Vec<String> {
        let conversation = Self { app: TestApp::open(backend), said: RefCell::default() };
        conversation.about_paths();
        conversation.about_notes_and_keys();
        conversation.about_handoffs();
        conversation.about_names_and_reasons();
        conversation.about_jobs();
        conversation.about_what_is_kept();
        conversation.said.take()
    }

    /// Says something, and takes down what does not differ from one test's directory to the next.
    fn say(&self, agent: &Agent<'_>, command: &str, input: Value) {
        let shown: String = input.to_string().chars().take(300).collect();
        let answer = agent.call(command, input).unwrap_or_else(|failure| failure.to_json());
        let line = format!("{command} {shown}: {answer}").replace(&self.app.workspace().text(""), "ROOT");
        self.said.borrow_mut().push(line);
    }

    fn about_paths(&self) {
        let agent = self.app.agent("ana");
        for odd in odd_texts() {
            self.say(&agent, "room.join", json!({"context_path": odd}));
            self.say(&agent, "room.join", json!({"context_path": self.app.workspace().at("").join(&odd)}));
        }
        for directory in deep_directories(&self.app) {
            self.say(&agent, "room.join", json!({"context_path": directory, "force_new": true}));
        }
        self.say(&agent, "room.list", json!({}));
    }

    fn about_notes_and_keys(&self) {
        let [agent] = self.app.joined(["ana"]);
        for odd in odd_texts() {
            self.say(&agent, "room.note", json!({"text": odd}));
            for text in ["keyed", "keyed", "otherwise"] {
                self.say(&agent, "room.note", json!({"text": text, "idempotency_key": odd}));
            }
            self.say(&agent, "room.state", json!({"room_id": odd}));
        }
        self.say(&agent, "room.events", json!({"after": 0, "limit": 200}));
    }

    fn about_handoffs(&self) {
        let [agent] = self.app.joined(["ana"]);
        for odd in odd_texts() {
            let artifacts = json!([{"path": odd, "role": "edit", "note": odd}]);
            for handed in [
                json!({"status": odd, "next_action": odd}),
                json!({"status": "s", "next_action": "n", "artifacts": artifacts, "do_not": [odd]}),
            ] {
                let turn = agent.claim();
                self.say(&agent, "stick.release", turn.showing(json!({"handoff": handed})));
                // However that went, the next one begins with a claim.
                let _ = agent.call("stick.release", turn.showing(json!({"handoff": handoff("done")})));
            }
            self.say(&agent, "room.state", json!({}));
        }
        self.say(&agent, "room.events", json!({"after": 0, "limit": 200}));
    }

    /// What is said on a job is cut short into its row, and what came of it too.
    fn about_jobs(&self) {
        let [agent] = self.app.joined(["ana"]);
        let job = json!({"title": "x", "prompt": "x"});
        for odd in odd_texts() {
            self.say(&agent, "jobs.create", json!({"title": odd, "prompt": "x"}));
            self.say(&agent, "jobs.create", json!({"title": "x", "prompt": odd, "kind": odd}));
            self.say(&agent, "jobs.create", json!({"title": "x", "prompt": "x", "meta": {"key": odd, &odd: 1}}));
            let created = agent.does("jobs.create", job.clone())["job"].clone();
            self.say(&agent, "jobs.message", json!({"job": created, "message": odd}));
            let claim = agent.does("jobs.claim", json!({"job": created, "runner_id": "r1"}));
            let shown = |mut rest: Value| {
                rest["job"] = created.clone();
                rest["runner_id"] = "r1".into();
                rest["claim_revision"] = claim["job"]["revision"].clone();
                rest
            };
            for kind in ["progress", "question"] {
                self.say(&agent, "jobs.report", shown(json!({"kind": kind, "message": odd, "meta": {"key": odd}})));
            }
            self.say(&agent, "jobs.complete", shown(json!({"status": "FAILED", "summary": odd, "refs": [odd]})));
            self.say(&agent, "jobs.complete", shown(json!({"status": "FAILED", "summary": odd})));
            self.say(&agent, "jobs.open", json!({"job": created}));
            self.say(&agent, "jobs.cancel", json!({"job": created, "reason": odd}));
            let heartbeat = json!({"runner_id": "r1", "status": "idle", "capabilities": {
                "executors": [{"executor": "codex", "profiles": ["fast"]}], "sandbox_policy": odd}});
            self.say(&agent, "jobs.runner.heartbeat", heartbeat);
            self.say(&agent, "jobs.runner.heartbeat", json!({"runner_id": odd, "status": "idle"}));
        }
        self.say(&agent, "jobs.radar", json!({}));
    }

    fn about_what_is_kept(&self) {
        let [agent] = self.app.joined(["ana"]);
        for odd in odd_texts() {
            self.say(&agent, "tasks.create", json!({"title": odd}));
            self.say(&agent, "tasks.create", json!({"title": "x", "definition_of_done": odd}));
            self.say(&agent, "tasks.create", json!({"title": "x", "verification": [odd]}));
            self.say(&agent, "tasks.card.create", json!({"title": odd, "text": "x"}));
            self.say(&agent, "tasks.card.create", json!({"title": "x", "text": odd}));
            self.say(&agent, "tasks.card.create", json!({"title": "x", "text": "x", "tags": [odd]}));
            self.say(&agent, "tasks.anchor.set", json!({"anchor": format!("a:{odd}"), "title": "x"}));
            self.say(&agent, "tasks.anchor.set", json!({"anchor": "a:core", "title": odd}));
            self.say(&agent, "tasks.anchor.set", json!({"anchor": "a:core", "title": "x", "text": odd}));
            self.say(&agent, "tasks.plan.create", json!({"title": odd}));
            self.say(&agent, "tasks.plan.create", json!({"title": "x", "text": odd}));
            self.say(&agent, "tasks.search", json!({"query": odd}));
            self.say(&agent, "open", json!({"id": odd}));
        }
        self.say(&agent, "tasks.list", json!({"limit": 200}));
    }

    fn about_names_and_reasons(&self) {
        let root = self.app.workspace().at("");
        for odd in odd_texts() {
            let stranger = self.app.agent("cy");
            self.say(&stranger, "room.join", json!({"context_path": root, "agent_id_override": odd}));
            let [agent] = self.app.joined(["ana"]);
            self.say(&agent, "room.close", json!({"reason": odd}));
        }
    }
}

/// Directories whose paths are long and unlike themselves.
fn deep_directories(app: &TestApp) -> Vec<String> {
    let root = app.workspace().text("");
    [1000, 2000, 2600, 2720, 3000, 3500, 3900]
        .map(|length| {
            let mut path = root.clone();
            for (index, part) in unlike_itself(length - root.len()).as_bytes().chunks(200).enumerate() {
                path.push('/');
                path.push_str(&format!("{length}-{index}"));
                path.push_str(std::str::from_utf8(part).unwrap());
            }
            app.workspace().dir(path.strip_prefix(&root).unwrap().trim_start_matches('/'));
            path
        })
        .to_vec()
}

#[test]
fn odd_texts_get_the_same_answers_from_both_engines() {
    let (sqlite, postgres) = (Conversation::with(Backend::Sqlite), Conversation::with(Backend::Postgres));
    assert_eq!(sqlite.len(), postgres.len());
    for (one, other) in sqlite.iter().zip(&postgres) {
        let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
        let rest = |line: &str| line.chars().skip(same.saturating_sub(40)).take(400).collect::<String>();
        let begins: String = one.chars().take(100).collect();
        assert!(one == other, "{begins}\nSQLite: … {}\nPostgres: … {}", rest(one), rest(other));
    }
}
