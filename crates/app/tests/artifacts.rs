//! Files: keeping them, finding them again, and giving up what nothing leads to.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use baton_app::{App, clock::Time, copy, doctor, environment::Environment, table};
use baton_core::limits;
use baton_testkit::{Agent, Backend, ManualClock, Place, SequentialIds, TestApp, assignment, on_every_backend};
use serde_json::{Value, json};

const HOUR: Duration = Duration::from_secs(60 * 60);

fn keep(agent: &Agent<'_>, kind: &str, text: &str) -> String {
    let kept = agent.does("tasks.artifact.keep", json!({"kind": kind, "name": format!("{kind}.txt"), "text": text}));
    kept["ref"].as_str().unwrap().to_owned()
}

fn refs(listed: &Value) -> Vec<&str> {
    listed["artifacts"].as_array().unwrap().iter().map(|file| file["ref"].as_str().unwrap()).collect()
}

/// Where this app keeps files of all stores.
fn directory(app: &TestApp) -> PathBuf {
    let data = match app.place().backend() {
        Backend::Sqlite => app.place().data_directory(),
        Backend::Postgres => app.workspace().at("home/.local/share/baton"),
    };
    data.join("artifacts")
}

/// The files of the only store that has any.
fn own(app: &TestApp) -> PathBuf {
    let mut stores: Vec<PathBuf> = fs::read_dir(directory(app)).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(stores.len(), 1, "{stores:?}");
    stores.remove(0)
}

/// All content and drafts below a directory, by name.
fn contents(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for directory in fs::read_dir(root).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if directory.file_name().is_some_and(|name| name != "locks") {
            found.extend(fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    found.sort();
    found
}

fn age(path: &Path, by: Duration) {
    let file = File::options().write(true).open(path).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    file.set_modified(modified - by).unwrap();
}

fn gc(person: &Agent<'_>, input: Value) -> Value {
    person.does("tasks.artifact.gc", input)
}

/// A person in the room of `agent`.
fn operator<'a>(app: &'a TestApp, agent: &Agent<'_>) -> Agent<'a> {
    let person = app.person("ana");
    person.enter(&agent.room());
    person
}

#[test]
fn agents_and_people_keep_files_and_find_them_by_job_node_and_kind() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let ana = operator(&app, &codex);
        codex.does("jobs.create", json!({"title": "j", "prompt": "Do it."}));
        let kept = codex.does("tasks.artifact.keep", json!({"kind": "diff", "name": "a.diff", "text": "+1\n"}));
        let expected = json!({
            "room_id": codex.room(), "ref": "artifact://diff/1", "kind": "diff", "name": "a.diff", "bytes": 3,
            "sha256": kept["sha256"], "host": kept["host"], "node": "codex", "created_by": "codex",
            "created_at": "2026-01-01T00:00:00.000Z", "redacted": false,
        });
        assert_eq!(kept, expected);
        claude.does("tasks.artifact.keep", json!({"kind": "log", "name": "l", "text": "x", "job": "JOB-001"}));
        ana.does("tasks.artifact.keep", json!({"kind": "report", "name": "r", "text": "y"}));
        keep(&codex, "log", "z");
        let list = |input: Value| {
            refs(&claude.does("tasks.artifact.list", input)).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let all = ["artifact://log/4", "artifact://report/3", "artifact://log/2", "artifact://diff/1"];
        assert_eq!(list(json!({})), all);
        assert_eq!(list(json!({"job": "JOB-001"})), ["artifact://log/2"]);
        assert_eq!(list(json!({"node": "codex"})), ["artifact://log/4", "artifact://diff/1"]);
        assert_eq!(list(json!({"node": "ana", "kind": "log"})), [""; 0]);
        assert_eq!(list(json!({"kind": "log", "limit": 1})), ["artifact://log/4"]);
        assert_eq!(list(json!({"kind": "log", "before": 4, "limit": 1})), ["artifact://log/2"]);
        assert_eq!(list(json!({"kind": "log", "job": "JOB-001", "node": "codex"})), [""; 0]);
        let page = claude.does("tasks.artifact.list", json!({"kind": "log", "limit": 1}));
        assert_eq!(page["has_more"], true);
        assert_eq!(claude.refused("tasks.artifact.list", json!({"turn": "TURN-9"}))["error"], "UNKNOWN_ID");
        let opened = claude.does("open", json!({"id": "artifact://diff/1"}));
        assert_eq!(opened["content"]["text"], "+1\n");
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn what_cannot_be_kept_is_refused_with_the_field_and_leaves_nothing() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let before = app.everything();
        let large = "x".repeat(limits::ARTIFACT_BYTES as usize + 1);
        for (input, error, field) in [
            (json!({"kind": "contextpack"}), "INVALID_INPUT", "kind"),
            (json!({"kind": "picture"}), "INVALID_INPUT", "kind"),
            (json!({"name": "../x"}), "INVALID_INPUT", "name"),
            (json!({"name": " "}), "INVALID_INPUT", "name"),
            (json!({"text": large}), "INVALID_INPUT", "content"),
            (json!({"job": "JOB-009"}), "UNKNOWN_ID", "refs"),
            (json!({"turn": "TURN-9"}), "UNKNOWN_ID", ""),
        ] {
            let mut whole = json!({"kind": "report", "name": "r", "text": "x"});
            whole.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
            let refusal = codex.refused("tasks.artifact.keep", whole);
            let shown = refusal["field"].as_str().unwrap_or_default();
            assert_eq!((&refusal["error"], shown), (&json!(error), field), "{refusal}");
        }
        assert_eq!(app.everything(), before);
        let keyed = json!({"kind": "report", "name": "r", "text": "x", "idempotency_key": "k"});
        let first = codex.does("tasks.artifact.keep", keyed.clone());
        assert_eq!(codex.does("tasks.artifact.keep", keyed), first);
        assert_eq!(codex.story(), "create join artifact.keep");
        codex.does("room.close", json!({"expected_turn_id": 0}));
        let closed = codex.refused("tasks.artifact.keep", json!({"kind": "report", "name": "r", "text": "x"}));
        assert_eq!(closed["error"], "room_closed");
    });
}

#[test]
fn what_a_jobs_own_agent_keeps_belongs_to_its_job_as_long_as_its_claim_is_in_force() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let runner = app.agent("runner");
        runner.enter(&codex.room());
        let job = codex.does("jobs.create", json!({"title": "j", "prompt": "Do it."}))["job"].clone();
        let claimed = runner.does("jobs.claim", json!({"job": job, "runner_id": "r1"}));
        let assignment = assignment(&claimed);
        let own = app.agent("child").caller().clone().assigned(assignment.clone());
        let input = json!({"room_id": codex.room(), "kind": "report", "name": "r", "text": "x"});
        let kept = app.call(&own, "tasks.artifact.keep", input.clone()).unwrap();
        assert_eq!((&kept["job"], &kept["node"]), (&json!("JOB-001"), &json!(assignment.agent_id())));
        let listed = codex.does("tasks.artifact.list", json!({"node": "JOB-001"}));
        assert_eq!(refs(&listed), ["artifact://report/1"]);
        codex.does("jobs.cancel", json!({"job": job, "reason": "no"}));
        let refusal = app.call(&own, "tasks.artifact.keep", input).unwrap_err().to_json();
        assert_eq!(refusal["error"], "CONFLICT", "{refusal}");
    });
}

#[test]
fn no_kind_of_secret_gets_into_what_is_kept() {
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLXRoYXQtaXMtbG9uZw";
    let secrets = [
        ("key=", "sk-abcdef0123456789abcdef"),
        ("", "ghp_0123456789abcdefghijABCDEFGHIJ"),
        ("", "github_pat_0123456789abcdefghij"),
        ("", "glpat-0123456789abcdef"),
        ("id ", "AKIA0123456789ABCDEF"),
        ("", "AIza0123456789abcdefghijklmnopqrstuv"),
        ("", "xoxb-0123456789-abc"),
        ("", "npm_0123456789abcdefghijklmnopqrstuv"),
        ("", "hf_0123456789abcdefghijklmno"),
        ("Authorization: Bearer ", "abc123.def456-ghi789"),
        ("", token),
        ("DB_PASSWORD=", "hunter2!"),
        ("api_key: ", "\"s3cr3tvalue\""),
        ("postgres://baton:", "s3cr3t@localhost/db"),
        ("", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----"),
    ];
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        for (before, secret) in secrets {
            let text = format!("fine\n{before}{secret}\nalso fine\n");
            let kept = codex.does("tasks.artifact.keep", json!({"kind": "log", "name": "out.log", "text": text}));
            assert_eq!(kept["redacted"], true, "{secret}");
            let shown = codex.does("open", json!({"id": kept["ref"], "offset": 0}))["content"]["text"].clone();
            let shown = shown.as_str().unwrap();
            assert!(shown.starts_with("fine\n") && shown.ends_with("\nalso fine\n"), "{shown}");
            let core = secret.trim_matches('"').split(['@', '\n']).next_back().unwrap_or(secret);
            assert!(!shown.contains(secret) && shown.contains("[redacted:"), "{core}: {shown}");
        }
        for path in contents(&own(&app)) {
            let text = fs::read_to_string(&path).unwrap();
            assert!(secrets.iter().all(|(_, secret)| !text.contains(secret)), "{text}");
        }
    });
}

#[test]
fn a_file_that_was_changed_or_removed_is_never_shown_and_the_old_place_is_read() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let id = keep(&codex, "diff", "the truth");
        let open = || codex.does("open", json!({"id": id}));
        let [path] = contents(&own(&app)).try_into().unwrap();
        fs::write(&path, "the trutH").unwrap();
        let changed = open();
        assert_eq!(changed.get("content"), None, "the size fits, the content does not");
        assert!(changed["unavailable"].as_str().unwrap().contains("was changed"), "{changed}");
        assert_eq!(keep(&codex, "diff", "the truth"), "artifact://diff/2");
        assert_eq!(open()["content"]["text"], "the truth", "keeping it again mends it");
        let old = directory(&app).join(path.strip_prefix(own(&app)).unwrap());
        fs::create_dir_all(old.parent().unwrap()).unwrap();
        fs::rename(&path, &old).unwrap();
        assert_eq!(open()["content"]["text"], "the truth", "from where everything was kept before");
        fs::remove_file(old).unwrap();
        assert!(open()["unavailable"].as_str().unwrap().contains("gone"));
    });
}

#[test]
fn litter_goes_after_an_hour_and_what_a_record_names_stays() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let ana = operator(&app, &codex);
        assert_eq!(gc(&ana, json!({}))["files"], 0, "there is nothing yet");
        keep(&codex, "log", "kept");
        let shelf = own(&app);
        let [kept] = contents(&shelf).try_into().unwrap();
        let litter = |name: &str, old: bool| {
            let path = shelf.join("ab").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "litter").unwrap();
            if old {
                age(&path, HOUR);
            }
            path
        };
        let unnamed = [litter(&"ab".repeat(32), true), litter(".4711-3", true)];
        let stays = [litter(&"ab1".repeat(32)[..64], false), litter(".4711-4", false), litter("README", true)];
        age(&kept, 2 * HOUR);
        let forbidden = codex.refused("tasks.artifact.gc", json!({}));
        assert_eq!([&forbidden["error"], &forbidden["needs"]], ["FORBIDDEN", "operator"]);
        let expected = json!({"dry_run": true, "dropped": 0, "files": 1, "drafts": 1, "bytes": 12});
        // A process that another test starts has the lock of a directory too until it is its own program.
        let mut found = gc(&ana, json!({"dry_run": true}));
        while found.get("busy").is_some() {
            found = gc(&ana, json!({"dry_run": true}));
        }
        assert_eq!(found, expected);
        assert!(unnamed.iter().all(|path| path.exists()));
        assert_eq!(gc(&ana, json!({}))["files"], 1);
        assert!(unnamed.iter().all(|path| !path.exists()));
        assert!(stays.iter().chain([&kept]).all(|path| path.exists()));
        for days in [0, 3651] {
            assert_eq!(ana.refused("tasks.artifact.gc", json!({"older_than_days": days}))["field"], "older_than_days");
        }
    });
}

#[test]
fn what_a_ref_reaches_is_never_given_up_wherever_the_ref_is() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let ana = operator(&app, &codex);
        let files: Vec<String> = (1..=8).map(|number| keep(&codex, "report", &format!("number {number}"))).collect();
        let twin = keep(&codex, "diff", "number 7");
        codex.does("tasks.card.create", json!({"title": "c", "text": "t", "refs": [files[0]]}));
        codex.does("room.note", json!({"text": format!("as {} shows", files[1])}));
        let job =
            codex.does("jobs.create", json!({"title": "j", "prompt": format!("Read {}.", files[2])}))["job"].clone();
        codex.does("jobs.message", json!({"job": job, "message": "look", "refs": [files[3]]}));
        codex.does(
            "inbox.send",
            json!({"to": "claude", "category": "INFO", "subject": "s", "body": format!("{} is it", files[4])}),
        );
        let of_job = claude
            .does("tasks.artifact.keep", json!({"kind": "log", "name": "l", "text": "of an open job", "job": job}));
        let of_job = of_job["ref"].as_str().unwrap();
        let turn = codex.claim();
        let mut handoff = baton_testkit::handoff("done");
        handoff["next_action"] = json!(format!("Apply {}", files[5]));
        codex.does("stick.release", turn.showing(json!({"handoff": handoff})));
        app.later_minutes(2 * 24 * 60);
        let young = keep(&codex, "log", "young");

        let dry = gc(&ana, json!({"older_than_days": 1, "dry_run": true}));
        let gone = [files[6].as_str(), files[7].as_str(), twin.as_str()];
        assert_eq!(refs(&dry), gone);
        assert_eq!((&dry["dropped"], &dry["files"], &dry["bytes"]), (&json!(3), &json!(2), &json!(16)));
        let done = gc(&ana, json!({"older_than_days": 1}));
        assert_eq!((refs(&done), &done["files"]), (gone.to_vec(), &json!(2)));
        assert_eq!(gc(&ana, json!({"older_than_days": 1}))["dropped"], 0, "once");
        for id in files[..6].iter().map(String::as_str).chain([of_job, &young]) {
            assert!(codex.does("open", json!({"id": id})).get("content").is_some(), "{id}");
        }
        for id in gone {
            let opened = codex.does("open", json!({"id": id}));
            assert_eq!(opened.get("content"), None);
            assert!(opened["unavailable"].as_str().unwrap().starts_with("Its content was given up at 2026-01-03"));
            let astray = codex.refused("tasks.card.create", json!({"title": "c", "text": "t", "refs": [id]}));
            assert_eq!(astray["error"], "UNKNOWN_ID", "nobody points to it from now on");
        }
        assert_eq!(codex.does("room.events", json!({"limit": 1}))["events"][0]["event_type"], "artifact.drop");
        codex.does("jobs.cancel", json!({"job": job, "reason": "no"}));
        assert_eq!(refs(&gc(&ana, json!({"older_than_days": 1}))), [of_job], "its job is over");
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn content_stays_as_long_as_one_record_names_it_in_whatever_room() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let ana = operator(&app, &codex);
        keep(&codex, "log", "same");
        let claude = app.agent("claude");
        app.workspace().dir("elsewhere");
        claude.does("room.join", json!({"context_path": app.workspace().at("elsewhere"), "force_new": true}));
        assert_ne!(claude.room(), codex.room());
        let there = keep(&claude, "log", "same");
        claude.does("room.note", json!({"text": format!("see {there}")}));
        app.later_minutes(2 * 24 * 60);
        codex.does("room.close", json!({"expected_turn_id": 0}));
        let done = gc(&ana, json!({"older_than_days": 1}));
        assert_eq!((&done["dropped"], &done["files"]), (&json!(1), &json!(0)), "a closed room's too");
        assert_eq!(claude.does("open", json!({"id": there}))["content"]["text"], "same");
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn stores_that_share_a_data_directory_leave_each_others_files_alone() {
    let server = TestApp::open(Backend::Postgres);
    let [codex] = server.joined(["codex"]);
    let kept = keep(&codex, "log", "the server's");
    let data = directory(&server).parent().unwrap().to_owned();
    let environment = || Environment::of([("HOME", server.workspace().text("home"))], server.workspace().at(""));
    let open = |location: &baton_app::Location| {
        let time = Time::Told(Arc::new(ManualClock::new()));
        App::open(location, environment(), time, Box::new(SequentialIds::default())).unwrap()
    };
    let embedded = open(&baton_app::Location::Directory(data));
    let other = Place::new(Backend::Postgres);
    let second = open(&other.location());
    let ana = server.person("ana");
    let call = |app: &App, command: &str, input: Value| {
        table::find(command).unwrap().run(app, ana.caller(), input).unwrap_or_else(|failure| panic!("{failure}"))
    };
    let mut theirs = Vec::new();
    for app in [&embedded, &second] {
        let room = call(app, "room.join", json!({"context_path": server.workspace().at("")}))["room_id"].clone();
        let input = json!({"room_id": room, "kind": "log", "name": "x", "text": "another store's"});
        theirs.push((room, call(app, "tasks.artifact.keep", input)["ref"].clone()));
    }
    for store in fs::read_dir(directory(&server)).unwrap() {
        contents(&store.unwrap().path()).iter().for_each(|path| age(path, 2 * HOUR));
    }
    for app in [server.app(), &embedded, &second] {
        assert_eq!(call(app, "tasks.artifact.gc", json!({}))["files"], 0);
    }
    assert_eq!(codex.does("open", json!({"id": kept, "offset": 0}))["content"]["text"], "the server's");
    for (app, (room, id)) in [&embedded, &second].into_iter().zip(&theirs) {
        let opened = call(app, "open", json!({"id": id, "workspace": room, "offset": 0}));
        assert_eq!(opened["content"]["text"], "another store's");
    }
}

/// Counts those who are done, or have failed.
struct Ends<'a>(&'a AtomicUsize);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_file_that_is_kept_while_others_collect_is_never_lost() {
    const ROUNDS: usize = 40;
    let content = |round: usize| format!("content {round}");
    let elsewhere = TestApp::open(Backend::Sqlite);
    let [hashing] = elsewhere.joined(["hashing"]);
    let hash = |round: usize| {
        let input = json!({"kind": "log", "name": "x", "text": content(round)});
        hashing.does("tasks.artifact.keep", input)["sha256"].as_str().unwrap().to_owned()
    };
    let hashes: Vec<String> = (0..ROUNDS).map(hash).collect();
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        keep(&codex, "diff", "the first");
        let shelf = own(&app);
        let apps: Vec<TestApp> = (0..4).map(|_| app.beside()).collect();
        let (keepers, collectors) = apps.split_at(2);
        let done = AtomicUsize::new(0);
        thread::scope(|scope| {
            for collector in collectors {
                let (ana, done) = (operator(collector, &codex), &done);
                scope.spawn(move || {
                    while done.load(Ordering::Relaxed) < 2 {
                        gc(&ana, json!({}));
                    }
                });
            }
            for (number, keeper) in keepers.iter().enumerate() {
                let (agent, done, shelf, hashes) = (codex.through(keeper), &done, &shelf, &hashes);
                scope.spawn(move || {
                    let _ends = Ends(done);
                    for (round, hash) in hashes.iter().enumerate() {
                        // It is there already, and nobody names it: whoever collects is about to remove it.
                        let path = shelf.join(&hash[..2]).join(hash);
                        let planted = shelf.join(format!("planted-by-{number}"));
                        fs::create_dir_all(path.parent().unwrap()).unwrap();
                        fs::write(&planted, content(round)).unwrap();
                        age(&planted, 2 * HOUR);
                        fs::rename(planted, path).unwrap();
                        let id = keep(&agent, "log", &content(round));
                        let opened = agent.does("open", json!({"id": id, "offset": 0}));
                        assert_eq!(opened["content"]["text"], content(round), "{id}: {opened}");
                    }
                });
            }
        });
        for number in 2..=2 * ROUNDS + 1 {
            let opened = codex.does("open", json!({"id": format!("artifact://log/{number}")}));
            assert!(opened.get("content").is_some(), "{number}: {opened}");
        }
    });
}

#[test]
fn a_copied_store_has_the_files_that_are_here_and_says_which_are_not() {
    for (from, to) in [(Backend::Sqlite, Backend::Postgres), (Backend::Postgres, Backend::Sqlite)] {
        let app = TestApp::open(from);
        let [codex] = app.joined(["codex"]);
        let kept = keep(&codex, "log", "kept");
        keep(&codex, "diff", "kept");
        let lost = keep(&codex, "report", "lost");
        let path = contents(&own(&app)).into_iter().find(|path| fs::read(path).unwrap() == b"lost").unwrap();
        fs::remove_file(path).unwrap();
        let place = Place::new(to);
        let home = place.directory().join("home");
        let environment = Environment::of([("HOME", home.to_str().unwrap())], "/");
        let time = Time::Told(Arc::new(ManualClock::new()));
        let copied = App::open(&place.location(), environment, time, Box::new(SequentialIds::default())).unwrap();
        let report = copy::copy(app.app(), &copied, &mut |_| {}).unwrap();
        assert_eq!((report.files.files, report.files.bytes), (1, 4), "the same content once");
        let missing: Vec<String> = report.files.missing.iter().map(|missing| missing.reference.to_string()).collect();
        assert_eq!((missing, &report.files.missing[0].host), (vec![lost], &None));
        let input = json!({"id": kept, "workspace": codex.room(), "offset": 0});
        let opened = table::find("open").unwrap().run(&copied, codex.caller(), input).unwrap();
        assert_eq!(opened["content"]["text"], "kept");
    }
}
