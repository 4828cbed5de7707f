//! What needs a person, on the page: each sort with its form, and what the form does. And requests for agents.

use baton_app::{Caller, table};
use baton_core::{process::SessionKind, room::Actor, time::Ttl};
use serde_json::{Value, json};

use crate::support::{Answer, Browser, EVIL, Shown, World};

/// A story in one room.
struct Story {
    world: World,
    room: String,
}

impl Story {
    async fn begin() -> Self {
        let world = World::foretold().await;
        let room =
            world.call("codex", "room.join", json!({"context_path": "."}))["room_id"].as_str().unwrap().to_owned();
        let story = Self { world, room };
        story.does("claude", "room.join", json!({"context_path": "."}));
        story.does("codex", "agent.register", json!({"name": "amber-otter"}));
        story.does("claude", "agent.register", json!({"name": "quiet-heron"}));
        story
    }

    fn does(&self, who: &str, command: &str, mut input: Value) -> Value {
        if command != "room.join" {
            input["room_id"] = json!(self.room);
        }
        self.world.call(who, command, input)
    }

    /// A person at a terminal.
    fn at_terminal(&self, who: &str, command: &str, input: Value) {
        let actor = Actor::found(who.parse().unwrap(), None, SessionKind::Human);
        let caller = Caller::new(actor, self.world.data().parent().unwrap().to_owned());
        table::find_on_wire(command).unwrap().run(self.world.hub.app(), &caller, input).unwrap();
    }

    /// A job that codex works on, and says something about.
    fn job(&self, title: &str, kind: &str, message: &str) {
        let job = self.does("codex", "jobs.create", json!({"title": title, "prompt": "x"}))["job"].clone();
        self.does("codex", "jobs.claim", json!({"job": job}));
        self.does("codex", "jobs.report", json!({"job": job, "claim_revision": 1, "kind": kind, "message": message}));
    }

    /// codex asks for another agent.
    async fn asks_for_an_agent(&self) {
        let grant = [("room_id", self.room.as_str()), ("agent", "codex"), ("spawn_nodes:bool", "true")];
        Browser::of(&self.world).await.does("agent.grant", &grant).await;
        let input = json!({"title": "Read logs", "prompt": "Read them all.", "message": "Here they are."});
        self.does("codex", "spawn.request", input);
    }

    fn events(&self) -> Vec<String> {
        let page = self.does("codex", "room.events", json!({"limit": 200}));
        page["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["event_type"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// The card of a need.
fn card<'a>(page: &'a Shown, kind: &str) -> &'a str {
    let region = page.region("needs");
    let begin = region.find(&format!("data-need=\"{kind}\"")).unwrap_or_else(|| panic!("no {kind} in {region}"));
    region[begin..].split("</article>").next().unwrap()
}

/// What a form of a piece of a page has filled in already.
fn filled_in(html: &str, command: &str) -> Vec<(String, String)> {
    let begin = html.find(&format!("action=\"/do/{command}\"")).unwrap_or_else(|| panic!("no {command} in {html}"));
    let form = html[begin..].split("</form>").next().unwrap();
    let hidden = form.split("<input type=\"hidden\" name=\"").skip(1);
    let plain =
        |text: &str| text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let field = |rest: &str| {
        let (name, rest) = rest.split_once('"').unwrap();
        let value = rest.split_once("value=\"").unwrap().1.split_once('"').unwrap().0;
        (plain(name), plain(value))
    };
    hidden.map(field).collect()
}

/// Sends the form that a piece of a page has for a command, with what a person adds.
async fn send(browser: &Browser<'_>, html: &str, command: &str, more: &[(&str, &str)]) -> Answer {
    let filled = filled_in(html, command);
    let mut fields: Vec<(&str, &str)> = filled.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    fields.extend(more);
    browser.submit(command, &fields).await
}

async fn settles(browser: &Browser<'_>, kind: &str, command: &str, more: &[(&str, &str)]) {
    let page = browser.page("/").await;
    let answer = send(browser, card(&page, kind), command, more).await;
    assert_eq!(answer.status, 303, "{command}: {}", answer.text());
    let page = browser.page("/").await;
    assert!(!page.region("needs").contains(&format!("data-need=\"{kind}\"")), "{kind} is still there");
}

#[tokio::test]
async fn where_nothing_waits_the_page_says_what_to_do_next() {
    let world = World::start().await;
    let page = Browser::of(&world).await.page("/").await;
    assert!(page.words("needs").contains("Nothing needs you"), "{}", page.words("needs"));
    assert!(page.words("needs").contains("baton install --all"));
    assert!(page.words("rooms").contains("baton join"));
    assert!(!page.region("nav").contains("class=\"count\""));
}

#[tokio::test]
async fn a_question_is_answered_from_its_card() {
    let story = Story::begin().await;
    story.job("Cache", "question", "Evict or grow?");
    let browser = Browser::of(&story.world).await;
    let page = browser.page("/").await;
    assert!(
        card(&page, "question").contains("Evict or grow?") && card(&page, "question").contains("data-ref=\"JOB-001\"")
    );
    assert!(page.region("nav").contains("aria-label=\"1 waiting\""), "{}", page.region("nav"));
    settles(&browser, "question", "jobs.message", &[("message", "Grow.")]).await;
    let opened = story.does("codex", "jobs.open", json!({"job": "JOB-001"}));
    assert!(opened.to_string().contains("Grow."), "{opened}");
}

#[tokio::test]
async fn errors_are_tried_again_proofs_are_given_and_jobs_withdrawn() {
    let story = Story::begin().await;
    let browser = Browser::of(&story.world).await;
    story.job("Broken", "error", "It does not compile.");
    settles(&browser, "failed", "jobs.requeue", &[]).await;
    story.does("codex", "tasks.card.create", json!({"title": "Run", "text": "All tests pass."}));
    story.job("Unproven", "proof_gate", "Nothing shows it.");
    settles(&browser, "proof", "jobs.message", &[("message", "I ran it."), ("refs[]", "CARD-1")]).await;
    story.job("Asks", "question", "Which?");
    settles(&browser, "question", "jobs.cancel", &[("reason", "Not needed.")]).await;
    let listed = story.does("codex", "jobs.list", json!({}));
    let status = |place: usize| listed["jobs"][place]["status"].as_str().unwrap();
    assert_eq!([status(2), status(1), status(0)], ["QUEUED", "RUNNING", "CANCELED"], "{listed}");
}

#[tokio::test]
async fn a_stick_is_taken_over_with_the_evidence_in_sight_by_somebody_who_was_no_member() {
    let story = Story::begin().await;
    story.does("codex", "stick.wait", json!({"max_wait_ms": 0}));
    story.world.clock.advance(Ttl::from_minutes(46));
    let browser = Browser::of(&story.world).await;
    let page = browser.page("/").await;
    let stuck = card(&page, "stuck");
    assert!(stuck.contains("its lease ran out") && stuck.contains("data-liveness=\"unknown\""), "{stuck}");
    let refused = send(&browser, stuck, "stick.takeover", &[]).await;
    assert_eq!(refused.status, 400, "without a reason");
    settles(&browser, "stuck", "stick.takeover", &[("reason", "No answer.")]).await;
    assert_eq!(story.events()[..2], ["takeover", "join"]);
    let page = browser.page("/").await;
    assert!(page.words("hands").contains("You hold the stick"), "{}", page.words("hands"));
    let handoff = [("to_agent_id", "claude"), ("handoff.status", "Cleaned up."), ("handoff.next_action", "Go on.")];
    let passed = send(&browser, page.region("hands"), "stick.pass", &handoff).await;
    assert_eq!(passed.status, 303, "{}", passed.text());
    let turn = story.does("claude", "stick.wait", json!({"max_wait_ms": 0}));
    assert_eq!((&turn["status"], &turn["handoff"]["next_action"]), (&json!("your_turn"), &json!("Go on.")));
    assert!(!browser.page("/").await.0.contains(turn["lease_id"].as_str().unwrap()), "a lease is its holder's");
}

#[tokio::test]
async fn a_free_stick_is_taken_kept_and_released_from_the_page() {
    let story = Story::begin().await;
    let browser = Browser::of(&story.world).await;
    let page = browser.page("/").await;
    assert_eq!(send(&browser, page.region("rooms"), "stick.wait", &[]).await.status, 303);
    let page = browser.page("/").await;
    assert_eq!(send(&browser, page.region("hands"), "stick.heartbeat", &[]).await.status, 303);
    let handoff =
        [("handoff.status", "Looked."), ("handoff.next_action", "Build."), ("handoff.do_not[]", "Push.\r\nTag.")];
    assert_eq!(send(&browser, page.region("hands"), "stick.release", &handoff).await.status, 303);
    let turn = story.does("codex", "stick.wait", json!({"max_wait_ms": 0}));
    assert_eq!(turn["handoff"]["do_not"], json!(["Push.", "Tag."]));
}

#[tokio::test]
async fn what_was_sent_to_a_person_at_their_terminal_is_accepted_and_answered_from_the_page() {
    let story = Story::begin().await;
    let terminal = "human:ana:pts1";
    story.at_terminal(terminal, "room.join", json!({"context_path": "."}));
    let block = json!({"to": terminal, "category": "BLOCKED", "subject": "Port", "blocker": "It is taken.",
                       "requested_action": "Free it.", "urgency": "high"});
    let message = story.does("codex", "inbox.send", block)["message"].clone();
    story.does("codex", "envelope.send", json!({"to": terminal, "message": "Which port?", "response": "required"}));
    let browser = Browser::of(&story.world).await;
    settles(&browser, "ack", "inbox.ack", &[("note", "On it.")]).await;
    settles(&browser, "response", "envelope.send", &[("message", "Port 80.")]).await;
    let sent = story.does("codex", "inbox.sent", json!({}));
    let ours = sent["messages"].as_array().unwrap().iter().find(|sent| sent["message"] == message).unwrap();
    assert_eq!(ours["deliveries"][0]["state"], "accepted");
    let got = story.does("codex", "inbox.list", json!({}));
    assert_eq!(
        (&got["items"][0]["from_agent_id"], &got["items"][0]["subject"]),
        (&json!(terminal), &json!("Port 80."))
    );
}

#[tokio::test]
async fn whoever_collides_is_told_from_the_card() {
    let story = Story::begin().await;
    story.does("codex", "scope.reserve", json!({"scopes": ["src/*"]}));
    let want = json!({"scopes": ["src/lib.rs"], "room_id": story.room});
    assert!(story.world.attempt("claude", "scope.reserve", want).is_err());
    let browser = Browser::of(&story.world).await;
    let page = browser.page("/").await;
    let told = send(&browser, card(&page, "incursion"), "inbox.tell", &[("text", "Work in tests/ first.")]).await;
    assert_eq!(told.status, 303, "{}", told.text());
    let got = story.does("claude", "inbox.list", json!({}));
    assert_eq!(got["items"][0]["subject"], "Work in tests/ first.");
}

#[tokio::test]
async fn a_request_for_an_agent_is_approved_denied_or_changed_on_both_pages() {
    for (address, region, decision, more, status) in [
        ("/", "needs", "approve", vec![], "approved"),
        ("/approvals", "pending", "deny", vec![("reason", "Not now.")], "denied"),
        (
            "/approvals",
            "pending",
            "modify",
            vec![("changes.title", "Read logs"), ("changes.priority", "high")],
            "approved",
        ),
    ] {
        let story = Story::begin().await;
        story.asks_for_an_agent().await;
        let browser = Browser::of(&story.world).await;
        let page = browser.page(address).await;
        assert!(page.words(region).contains("Read them all."), "{}", page.words(region));
        let html = page.region(region);
        let digest = html.split("name=\"digest\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(story.does("codex", "open", json!({"id": "APPROVAL-1"}))["digest"], digest);
        let fields = [("room_id", story.room.as_str()), ("approval", "APPROVAL-1"), ("decision", decision)];
        assert!(html.contains(&format!("name=\"decision\" value=\"{decision}\"")));
        if decision != "deny" {
            let unseen = browser.submit("agent.approval.resolve", &[&fields[..], &more[..]].concat()).await;
            assert_eq!(unseen.status, 400, "{}", unseen.text());
        }
        let fields = [&fields[..], &[("digest", digest)]].concat();
        browser.does("agent.approval.resolve", &[&fields[..], &more[..]].concat()).await;
        let opened = story.does("codex", "open", json!({"id": "APPROVAL-1"}));
        assert_eq!(opened["status"], status, "{opened}");
        let modified = if decision == "modify" { json!(["priority"]) } else { Value::Null };
        assert_eq!(opened["modified"], modified, "what stayed as it was is not called changed");
        let page = browser.page("/approvals").await;
        assert!(page.words("pending").contains("Nobody asks for an agent"));
        assert!(page.words("decided").contains(&format!("{status} APPROVAL-1")), "{}", page.words("decided"));
        assert!(!browser.page("/").await.region("needs").contains("data-need=\"approval\""));
    }
}

#[tokio::test]
async fn a_refused_form_keeps_what_was_typed() {
    let story = Story::begin().await;
    story.job("Cache", "question", "Evict or grow?");
    let browser = Browser::of(&story.world).await;
    let page = browser.page("/").await;
    let long = format!("Grow {EVIL} {}", "x".repeat(400));
    let refused = send(&browser, card(&page, "question"), "jobs.message", &[("message", &long)]).await;
    assert_eq!(refused.status, 400);
    let text = refused.text();
    assert!(text.contains("id=\"refusal\"") && text.contains(&"x".repeat(400)), "{text}");
    assert!(!text.contains("<script>alert") && !text.contains("<img"), "{text}");
}

#[tokio::test]
async fn a_viewer_sees_what_waits_and_has_no_form_for_it() {
    let story = Story::begin().await;
    story.job("Cache", "question", "Evict or grow?");
    story.asks_for_an_agent().await;
    story.does("codex", "stick.wait", json!({"max_wait_ms": 0}));
    story.world.clock.advance(Ttl::from_minutes(46));
    let viewer = Browser::viewer(&story.world).await;
    for address in ["/", "/approvals"] {
        let page = viewer.page(address).await;
        assert!(page.0.contains("Read them all.") && !page.0.contains("action=\"/do/"), "{address}: {}", page.0);
    }
    let page = viewer.page("/").await;
    assert!(card(&page, "question").contains("Evict or grow?"));
    let fields = [("room_id", story.room.as_str()), ("job", "JOB-001"), ("message", "Grow.")];
    let refused = viewer.submit("jobs.message", &fields).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text().contains("data-code=\"FORBIDDEN\""));
}

#[tokio::test]
async fn what_agents_write_is_text() {
    let story = Story::begin().await;
    story.job(EVIL, "question", EVIL);
    let grant = [("room_id", story.room.as_str()), ("agent", "codex"), ("spawn_nodes:bool", "true")];
    let browser = Browser::of(&story.world).await;
    browser.does("agent.grant", &grant).await;
    story.does("codex", "spawn.request", json!({"title": EVIL, "prompt": EVIL, "message": EVIL}));
    for address in ["/", "/approvals"] {
        let page = browser.page(address).await;
        assert!(page.0.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{address}");
        assert!(!page.0.contains("<script>alert") && !page.0.contains("<img src=x"), "{address}");
    }
}
