//! Jobs on the dashboard: the radar and its filters, a job's page and its forms, and the panel in which one is delegated.

use baton_app::artifacts::{Keeping, Proof};
use baton_core::{
    ids::RoomId,
    lease::Fence,
    library::{ArtifactKind, PatchOrigin},
    time::Ttl,
};
use serde_json::{Value, json};

use crate::support::{Browser, EVIL, Shown, World};

struct Story {
    world: World,
    room: String,
}

impl Story {
    async fn begin() -> Self {
        let world = World::foretold().await;
        let room =
            world.call("codex", "room.join", json!({"context_path": "."}))["room_id"].as_str().unwrap().to_owned();
        Self { world, room }
    }

    fn does(&self, command: &str, mut input: Value) -> Value {
        input["room_id"] = json!(self.room);
        self.world.call("codex", command, input)
    }

    fn creates(&self, title: &str, more: Value) {
        let mut input = json!({"title": title, "prompt": "Do it."});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.does("jobs.create", input);
    }

    fn claims(&self, number: u32, ttl_ms: u64) {
        self.does("jobs.claim", json!({"job": format!("JOB-{number:03}"), "lease_ttl_ms": ttl_ms}));
    }

    fn reports(&self, number: u32, kind: &str, message: &str) {
        let job = format!("JOB-{number:03}");
        self.does("jobs.report", json!({"job": job, "claim_revision": 1, "kind": kind, "message": message}));
    }

    /// A job that met an error, one that asks, one without proof, one whose runner is lost, one that waits and one that failed.
    async fn with_every_marker() -> Self {
        let story = Self::begin().await;
        for title in ["Broken", "Asks", "Unproven", "Lost", "Waits", "Over"] {
            story.creates(title, json!({}));
        }
        for number in [1, 2, 3, 4, 6] {
            story.claims(number, if number == 4 { 1_000 } else { 300_000 });
        }
        story.reports(1, "error", "It does not compile.");
        story.reports(2, "question", "Evict or grow?");
        story.reports(2, "progress", "Meanwhile something else.");
        story.reports(3, "proof_gate", "Nothing shows it.");
        story
            .does("jobs.complete", json!({"job": "JOB-006", "claim_revision": 1, "status": "FAILED", "summary": "no"}));
        story.world.clock.advance(Ttl::from_secs(2));
        story
    }

    async fn jobs(&self, query: &str) -> Shown {
        Browser::of(&self.world).await.page(&format!("/rooms/{}/jobs{query}", self.room)).await
    }

    async fn job(&self, number: u32, query: &str) -> Shown {
        let address = format!("/rooms/{}/jobs/JOB-{number:03}{query}", self.room);
        Browser::of(&self.world).await.page(&address).await
    }
}

/// The jobs on a radar, each with its marker.
fn rows(page: &Shown) -> Vec<(String, String)> {
    let radar = page.region("radar");
    let attribute = |row: &str, name: &str| {
        let rest = row.split_once(&format!(" {name}=\"")).map_or("", |(_, rest)| rest);
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    radar
        .split("<tr id=\"job-")
        .skip(1)
        .map(|row| (attribute(row, "data-job"), attribute(row, "data-marker")))
        .collect()
}

fn numbers(page: &Shown) -> Vec<String> {
    rows(page).into_iter().map(|(job, _)| job).collect()
}

#[tokio::test]
async fn the_radar_has_markers_in_words_counts_and_the_question_itself() {
    let story = Story::with_every_marker().await;
    let page = story.jobs("").await;
    let expected = [("JOB-001", "!"), ("JOB-002", "?"), ("JOB-003", "!"), ("JOB-004", "~"), ("JOB-005", "")];
    assert_eq!(rows(&page), expected.map(|(job, marker)| (job.to_owned(), marker.to_owned())));
    let words = page.words("radar");
    for said in [
        "! met an error",
        "? asks you",
        "! lacks proof",
        "~ lost its runner",
        "Evict or grow?",
        "waits for a runner",
        "No runner is here.",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
    let counts = page.words("counts");
    for said in ["! met an error 1", "? asks you 1", "~ lost its runner 1", "Not over 5", "Queued 1", "Failed 1"] {
        assert!(counts.contains(said), "{said}: {counts}");
    }
    assert!(counts.contains(&format!("baton run --room {}", story.room)), "{counts}");
    let everywhere = Browser::of(&story.world).await.page("/jobs").await;
    assert_eq!(rows(&everywhere), rows(&page));
}

#[tokio::test]
async fn what_is_looked_for_is_in_the_address() {
    let story = Story::with_every_marker().await;
    story.does("tasks.create", json!({"title": "t"}));
    story.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The core"}));
    story.creates("Of the task", json!({"task": "TASK-001", "anchor": "a:core", "executor": "codex"}));
    for (query, expected) in [
        ("?marker=question", vec!["JOB-002"]),
        ("?status=FAILED", vec!["JOB-006"]),
        ("?status=QUEUED", vec!["JOB-007", "JOB-005"]),
        ("?task=TASK-001", vec!["JOB-007"]),
        ("?anchor=a:core", vec!["JOB-007"]),
        ("?executor=codex", vec!["JOB-007"]),
        ("?runner=codex", vec!["JOB-001", "JOB-002", "JOB-003", "JOB-004"]),
        ("?text=proven", vec!["JOB-003"]),
        ("?text=nowhere+to+be+found", vec![]),
        ("?status=all&sort=oldest", vec!["JOB-001", "JOB-002", "JOB-003", "JOB-004", "JOB-005", "JOB-006", "JOB-007"]),
        ("?status=all", vec!["JOB-007", "JOB-006", "JOB-005", "JOB-004", "JOB-003", "JOB-002", "JOB-001"]),
    ] {
        assert_eq!(numbers(&story.jobs(query).await), expected, "{query}");
    }
    let wrong = story.jobs("?task=nonsense").await;
    assert!(wrong.words("filter").contains("task: nonsense is none."), "{}", wrong.words("filter"));
}

#[tokio::test]
async fn runners_are_shown_with_what_they_can_do_and_what_does_not_fit() {
    let story = Story::begin().await;
    story.creates("Work", json!({}));
    let can = json!({"executors": [{"executor": "codex", "profiles": ["fast", "deep"]}], "max_parallel": 3});
    let beat = json!({"runner_id": "r1", "status": "live", "active_job_id": "JOB-001", "capabilities": can});
    story.does("jobs.runner.heartbeat", beat);
    let page = story.jobs("").await;
    let words = page.words("runners");
    for said in ["1 at work", "r1", "codex fast, deep", "up to 3 jobs at a time", "a job that nobody is doing: JOB-001"]
    {
        assert!(words.contains(said), "{said}: {words}");
    }
    assert!(page.region("runners").contains("data-until"));
    story.world.clock.advance(Ttl::from_minutes(5));
    let later = story.jobs("").await;
    assert!(later.region("runners").contains("data-standing=\"offline\""), "{}", later.words("runners"));
}

#[tokio::test]
async fn a_question_is_answered_from_the_radar_and_is_in_the_thread_then() {
    let story = Story::with_every_marker().await;
    let browser = Browser::of(&story.world).await;
    let fields = [("room_id", story.room.as_str()), ("job", "JOB-002"), ("message", "Evict."), ("_back", "/jobs")];
    browser.does("jobs.message", &fields).await;
    assert!(!rows(&story.jobs("").await).contains(&("JOB-002".to_owned(), "?".to_owned())));
    let page = story.job(2, "").await;
    let thread = page.words("thread");
    let (asked, told) = (thread.find("Evict or grow?").unwrap(), thread.find("Evict. ").unwrap_or(usize::MAX));
    assert!(asked < told && thread.contains("told it"), "{thread}");
    assert!(
        page.region("thread").contains("data-kind=\"question\"") && page.region("thread").contains("class=\"manager\"")
    );
    let without = story.job(2, "?progress=no").await;
    assert!(!without.words("thread").contains("Meanwhile") && page.words("thread").contains("Meanwhile"));
}

#[tokio::test]
async fn every_command_line_on_a_page_names_the_store() {
    let story = Story::with_every_marker().await;
    let browser = Browser::of(&story.world).await;
    let room = format!("/rooms/{}", story.room);
    let below = |rest: &str| format!("{room}{rest}");
    let mut addresses: Vec<String> =
        ["/", "/rooms", "/jobs", "/agents", "/approvals", "/search", "/doctor"].map(str::to_owned).into();
    addresses.extend(["", "/jobs", "/jobs/JOB-003", "/graph"].map(below));
    for address in addresses {
        let page = browser.page(&address).await;
        let commands = page.0.split("<span class=\"cli\"><code>").skip(1).map(|rest| rest.split('<').next().unwrap());
        for command in commands {
            assert!(command.contains(" --store /"), "{address}: {command}");
        }
    }
    let page = story.job(3, "").await;
    for words in ["job open JOB-003", "job tail JOB-003"] {
        assert!(page.region("job").contains(&format!("baton {words} --room {} --store /", story.room)), "{words}");
    }
}

#[tokio::test]
async fn a_job_is_requeued_and_canceled_for_a_reason() {
    let story = Story::with_every_marker().await;
    let browser = Browser::of(&story.world).await;
    let room = story.room.as_str();
    browser.does("jobs.requeue", &[("room_id", room), ("job", "JOB-004"), ("reason", "Its runner is gone.")]).await;
    let page = story.job(4, "").await;
    assert!(page.words("job").starts_with("The job Queued"), "{}", page.words("job"));
    assert!(page.words("thread").contains("Its runner is gone."));
    let refused = browser.submit("jobs.cancel", &[("room_id", room), ("job", "JOB-004")]).await;
    assert!(refused.status != 303 && refused.text().contains("reason"), "{}", refused.text());
    browser.does("jobs.cancel", &[("room_id", room), ("job", "JOB-004"), ("reason", "Not wanted.")]).await;
    let page = story.job(4, "").await;
    assert!(page.words("job").starts_with("The job Canceled"), "{}", page.words("job"));
    assert!(!page.region("thread").contains("<form"), "nobody is told any more");
}

#[tokio::test]
async fn a_jobs_page_says_what_it_asks_what_it_changed_what_it_printed_and_what_it_lacks() {
    let story = Story::with_every_marker().await;
    let diff = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-old <b>\n+new &\n";
    let begun = story.does("context.turn.begin", json!({"job": "JOB-003", "claim_revision": 1}));
    let proof = Proof { job: "JOB-003".parse().unwrap(), runner: "codex".parse().unwrap(), revision: Fence(1) };
    let turn = begun["turn"].as_str().unwrap().parse().ok();
    let files =
        [(ArtifactKind::Diff, "diff.patch", diff), (ArtifactKind::Log, "log.txt", "compiling\nthe last line\n")];
    for (kind, name, text) in files {
        let keeping = Keeping { kind, name, content: text.as_bytes(), proof: Some(&proof), turn, patch: None };
        let caller = story.world.caller("codex");
        story.world.hub.app().keep_artifact(&caller, &story.room.parse().unwrap(), &keeping).unwrap();
    }
    let ended = json!({"turn": begun["turn"], "claim_revision": 1, "outcome": "completed"});
    story.does("context.turn.end", ended);
    let page = story.job(3, "").await;
    assert!(page.words("prompt").contains("Do it."));
    assert!(
        page.words("diff").contains("x.rs") && page.region("diff").contains("old &lt;b&gt;"),
        "{}",
        page.words("diff")
    );
    assert!(page.region("log").contains("<pre") && page.words("log").contains("the last line"));
    assert!(
        page.words("proof").contains("Reported DONE without proof")
            && page.words("proof").contains("Nothing shows it.")
    );
    assert!(page.0.contains("data-side=\"strip\""), "the feed makes way");
}

#[tokio::test]
async fn a_jobs_page_says_how_each_reference_stands_as_proof() {
    let story = Story::begin().await;
    story.creates("Mend it", json!({}));
    story.claims(1, 300_000);
    story.does("tasks.card.create", json!({"title": "It holds", "text": "See."}));
    let uses = json!([{"name": "shell", "detail": "make", "state": "done"}, {"name": "shell", "detail": "make check", "state": "failed"}]);
    let shown = json!({"job": "JOB-001", "claim_revision": 1});
    let with = |more: Value| {
        let mut input = more;
        input.as_object_mut().unwrap().extend(shown.as_object().unwrap().clone());
        input
    };
    story.does("context.turn.begin", with(json!({"executor": "codex"})));
    story.does("context.turn.tools", json!({"turn": "TURN-1", "claim_revision": 1, "uses": uses}));
    let refs = ["CARD-1", "CMD: make", "CMD: make check", "LINK: https://example.org"];
    story.does("jobs.complete", with(json!({"status": "DONE", "summary": "Mended.", "refs": refs})));
    let region = story.job(1, "").await.region("proof").to_owned();
    for standing in ["made", "seen", "failed", "claimed"] {
        assert_eq!(region.matches(&format!("data-standing=\"{standing}\"")).count(), 1, "{standing}: {region}");
    }
}

#[tokio::test]
async fn a_patch_is_offered_to_be_applied_made_a_branch_and_sent_back() {
    let story = Story::begin().await;
    story.creates("Mends", json!({"isolation": "worktree"}));
    story.claims(1, 300_000);
    let begun = story.does("context.turn.begin", json!({"job": "JOB-001", "claim_revision": 1}));
    let keep = |redacted: bool| {
        let line = if redacted { format!("ghp_{}", "a1B2".repeat(10)) } else { "new".to_owned() };
        let text = format!("diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-old\n+{line}\n");
        let origin = PatchOrigin { base: "b".repeat(40), ..PatchOrigin::default() };
        let proof = Proof { job: "JOB-001".parse().unwrap(), runner: "codex".parse().unwrap(), revision: Fence(1) };
        let (kind, turn) = (ArtifactKind::Diff, begun["turn"].as_str().unwrap().parse().ok());
        let keeping = Keeping {
            kind,
            name: "diff.patch",
            content: text.as_bytes(),
            proof: Some(&proof),
            turn,
            patch: Some(&origin),
        };
        let caller = story.world.caller("codex");
        story.world.hub.app().keep_artifact(&caller, &story.room.parse().unwrap(), &keeping).unwrap();
    };
    keep(false);
    let page = story.job(1, "").await;
    let diff = page.region("diff");
    for part in ["/do/jobs.apply", "/do/jobs.branch", "bbbbbbbbbbbb", "+1 −1"] {
        assert!(diff.contains(part), "{part}: {diff}");
    }
    assert!(page.region("job").contains("/do/jobs.send_back"));
    let browser = Browser::of(&story.world).await;
    let (room, back) = (story.room.as_str(), "/jobs");
    let refused = browser.submit("jobs.apply", &[("room_id", room), ("job", "JOB-001"), ("_back", back)]).await;
    assert!(refused.status >= 400 && refused.text().contains("id=\"refusal\""), "{}", refused.text());
    let fields = [("room_id", room), ("job", "JOB-001"), ("message", "A test is missing."), ("_back", back)];
    assert_eq!(browser.submit("jobs.send_back", &fields).await.status, 303);
    assert!(story.job(1, "").await.words("thread").contains("A test is missing."));
    keep(true);
    let diff = story.job(1, "").await.region("diff").to_owned();
    assert!(diff.contains("data-patch=\"unusable\"") && !diff.contains("/do/jobs.apply"), "{diff}");
}

#[tokio::test]
async fn what_a_program_prints_is_seen_while_its_turn_goes_on() {
    let story = Story::begin().await;
    story.creates("Runs", json!({}));
    story.claims(1, 300_000);
    story.does("context.turn.begin", json!({"job": "JOB-001", "claim_revision": 1, "executor": "codex"}));
    let room: RoomId = story.room.parse().unwrap();
    let mut tail = story.world.hub.app().begin_tail(&room, "JOB-001".parse().unwrap()).unwrap();
    tail.push("the first line").unwrap();
    assert!(story.job(1, "").await.words("log").contains("the first line"));
    tail.push("the second <b>line").unwrap();
    let page = story.job(1, "").await;
    assert!(page.words("log").contains("is running") && page.region("log").contains("the second &lt;b&gt;line"));
    drop(tail);
    assert!(story.job(1, "").await.words("log").contains("on the machine of its runner"));
}

#[tokio::test]
async fn a_job_is_delegated_from_a_task_an_agent_and_a_room() {
    let story = Story::begin().await;
    story.does("tasks.create", json!({"title": "The cart"}));
    let browser = Browser::of(&story.world).await;
    let room = story.room.as_str();
    let opened = browser.page(&format!("/rooms/{room}/jobs?status=all&panel=delegate&title=Mend+it")).await;
    assert!(opened.0.contains("id=\"delegate\"") && opened.0.contains("value=\"Mend it\""));
    // Closing keeps the rest of the address.
    assert!(opened.0.contains(&format!("href=\"/rooms/{room}/jobs?status=all\" data-close")), "{}", opened.0);
    assert!(opened.0.contains("action=\"/do/tasks.macro.delegate\""));
    let fields = [
        ("room_id", room),
        ("_done", "Delegated as {job}."),
        ("_back", "/jobs"),
        ("title", "Mend it"),
        ("prompt", "All of it."),
        ("definition_of_done", "It works."),
        ("executor", "auto"),
        ("meta.role", "reviewer"),
        ("job_priority", "high"),
        ("expected_artifacts[]", "report"),
        ("expected_artifacts[]", "diff"),
        ("policy.prefer[]", "claude_code"),
        ("policy.min_profile", "deep"),
        ("isolation", "worktree"),
        ("meta.grants.read_only:bool", "true"),
    ];
    let answer = browser.submit("tasks.macro.delegate", &fields).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    let flash = answer.headers.iter().find(|(_, value)| value.starts_with("baton_flash="));
    assert!(flash.is_some_and(|(_, value)| value.contains("JOB%2D001")), "{flash:?}");
    let job = story.does("jobs.open", json!({"job": "JOB-001"}))["job"].clone();
    assert_eq!((&job["task"], &job["priority"]), (&json!("TASK-002"), &json!("HIGH")));
    let meta = &job["meta"];
    assert_eq!((&meta["role"], &meta["isolation"]), (&json!("reviewer"), &json!("worktree")));
    assert_eq!(meta["expected_artifacts"], json!(["report", "diff"]));
    assert_eq!(meta["policy"], json!({"prefer": ["claude_code"], "min_profile": "deep"}));
    assert_eq!(meta["grants"]["read_only"], true);

    let of_task = browser.page(&format!("/?panel=delegate&room={room}&task=TASK-001&agent=quiet+heron")).await;
    assert!(of_task.0.contains("action=\"/do/jobs.create\"") && of_task.0.contains("value=\"TASK-001\""));
    assert!(of_task.0.contains("name=\"meta.about_agent\" value=\"quiet heron\""));
    let fields =
        [("room_id", room), ("title", "More"), ("prompt", "p"), ("task", "TASK-001"), ("meta.about_agent", "h")];
    browser.does("jobs.create", &fields).await;
    let job = story.does("jobs.open", json!({"job": "JOB-002"}))["job"].clone();
    assert_eq!((&job["task"], &job["meta"]["about_agent"]), (&json!("TASK-001"), &json!("h")));
    let refused =
        browser.submit("jobs.create", &[("room_id", room), ("title", "t"), ("prompt", "p"), ("executor", "gpt")]).await;
    assert!(refused.status != 303 && refused.text().contains("claude_code"), "{}", refused.text());
}

#[tokio::test]
async fn titles_and_messages_are_text_whatever_is_in_them() {
    let story = Story::begin().await;
    story.creates(EVIL, json!({}));
    story.claims(1, 300_000);
    story.reports(1, "question", EVIL);
    let browser = Browser::of(&story.world).await;
    let panel = format!("/jobs?panel=delegate&room={}&agent=%3Cscript%3E&title=%22%3E%3Cscript%3E", story.room);
    for page in [story.jobs("").await, story.job(1, "").await, browser.page(&panel).await] {
        assert!(!page.0.contains("<script>") && !page.0.contains("<img src=x"), "{}", page.0);
    }
    assert!(story.jobs("").await.words("radar").contains("<script>alert(1)"));
}

#[tokio::test]
async fn two_thousand_jobs_are_shown_a_page_at_a_time() {
    let story = Story::begin().await;
    for number in 0..2_000 {
        story.creates(&format!("Job {number} {EVIL}"), json!({}));
    }
    let mut seen = Vec::new();
    let mut query = "?status=all&sort=oldest".to_owned();
    for _ in 0..2 {
        let page = story.jobs(&query).await;
        assert!(page.0.len() < 200_000, "{} bytes", page.0.len());
        seen.extend(numbers(&page));
        let next = page.region("radar").rsplit_once("cursor=").map(|(_, rest)| rest.split(['"', '&']).next().unwrap());
        query = format!("?status=all&sort=oldest&cursor={}", next.unwrap());
    }
    assert_eq!(seen.len(), 120);
    assert_eq!((seen[0].as_str(), seen[119].as_str()), ("JOB-001", "JOB-120"));
    let first = story.jobs("").await;
    assert!(first.0.len() < 200_000 && first.words("counts").contains("Queued 1000+"), "{}", first.words("counts"));
}
