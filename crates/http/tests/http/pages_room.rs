//! Rooms on the dashboard: what a page says of a story, in the contract's words, and what its forms do.

use baton_core::time::Ttl;
use serde_json::{Value, json};

use crate::support::{Browser, EVIL, Shown, World, words};

/// A story in one room: two agents, and what befell them.
struct Story {
    world: World,
    room: String,
}

impl Story {
    /// codex and claude have joined.
    async fn begin() -> Self {
        let world = World::foretold().await;
        let room =
            world.call("codex", "room.join", json!({"context_path": "."}))["room_id"].as_str().unwrap().to_owned();
        let story = Self { world, room };
        story.does("claude", "room.join", json!({"context_path": "."}));
        story.does("codex", "agent.register", json!({"name": "amber-otter", "role": "builder"}));
        story.does("claude", "agent.register", json!({"name": "quiet-heron"}));
        story
    }

    fn with_room(&self, command: &str, mut input: Value) -> Value {
        if command != "room.join" {
            input["room_id"] = json!(self.room);
        }
        input
    }

    fn does(&self, who: &str, command: &str, input: Value) -> Value {
        self.world.call(who, command, self.with_room(command, input))
    }

    fn refused(&self, who: &str, command: &str, input: Value) {
        assert!(self.world.attempt(who, command, self.with_room(command, input)).is_err(), "{command} is refused");
    }

    /// Takes up the stick: what to show for it.
    fn claims(&self, who: &str) -> Value {
        let turn = self.does(who, "stick.wait", json!({"max_wait_ms": 0}));
        assert_eq!(turn["status"], "your_turn", "{turn}");
        json!({"expected_turn_id": turn["turn_id"], "lease_id": turn["lease_id"]})
    }

    /// Hands the stick to somebody.
    fn passes(&self, who: &str, turn: &Value, to: &str, handoff: Value) {
        let mut input = turn.clone();
        input["to_agent_id"] = json!(to);
        input["handoff"] = handoff;
        self.does(who, "stick.pass", input);
    }

    async fn page(&self, query: &str) -> Shown {
        Browser::of(&self.world).await.page(&format!("/rooms/{}{query}", self.room)).await
    }

    fn state(&self) -> Value {
        self.does("codex", "room.state", json!({}))
    }
}

fn handoff() -> Value {
    json!({
        "status": "The cart survives a session's end.",
        "next_action": "Write the migration.",
        "artifacts": [
            {"path": "src/session.rs", "lines": [80, 120], "role": "review", "note": "the part that expires"},
            {"path": "artifact://diff/1", "role": "output"},
        ],
        "open_questions": ["Keep carts of deleted accounts?"],
        "do_not": ["Touch the payment tables."],
    })
}

fn all_in(told: &str, expected: &[&str]) {
    for words in expected {
        assert!(told.contains(words), "{words:?} is not in {told}");
    }
}

#[tokio::test]
async fn a_room_says_who_holds_the_stick_until_when_and_by_what_evidence() {
    let story = Story::begin().await;
    all_in(&story.page("").await.words("holder"), &["Nobody holds it", "the stick is free"]);
    let turn = story.claims("codex");
    let page = story.page("").await;
    let holder = page.region("holder");
    all_in(holder, &["data-holder=\"codex\"", "data-liveness=\"unknown\""]);
    let expires = 1_767_225_600_000_i64 + 45 * 60 * 1000;
    all_in(holder, &[&format!("data-until=\"{expires}\"")]);
    all_in(
        &page.words("holder"),
        &["amber-otter holds it", "held turn 1", "45m left", "unknown: it told of no process", "not open"],
    );
    story.passes("codex", &turn, "claude", handoff());
    all_in(&story.page("").await.words("holder"), &["Kept for quiet-heron", "20m left"]);
    story.claims("claude");
    story.world.clock.advance(Ttl::from_minutes(46));
    all_in(
        &story.page("").await.words("holder"),
        &["lease over, open to takeover", "open: the lease ran out", "Take over the stick"],
    );
    let rooms = Browser::of(&story.world).await.page("/rooms").await;
    all_in(&rooms.words("rooms"), &["1 waits for you"]);
}

#[tokio::test]
async fn members_are_in_turn_order_with_presence_and_process() {
    let story = Story::begin().await;
    story.claims("codex");
    let page = story.page("").await;
    let members = page.region("members");
    let (first, second) =
        (members.find("data-agent=\"codex\"").unwrap(), members.find("data-agent=\"claude\"").unwrap());
    assert!(first < second);
    all_in(members, &["data-presence=\"active\"", "data-process=\"unknown\"", "data-delegate"]);
    all_in(&page.words("members"), &["amber-otter builder holds the stick", "active, process unknown"]);
    story.world.clock.advance(Ttl::from_minutes(16));
    all_in(story.page("").await.region("members"), &["data-presence=\"stale\""]);
    story.world.clock.advance(Ttl::from_minutes(15));
    all_in(story.page("").await.region("members"), &["data-presence=\"evicted\""]);
}

#[tokio::test]
async fn the_timeline_is_told_by_turns_in_the_contracts_words() {
    let story = Story::begin().await;
    let turn = story.claims("codex");
    story.does("codex", "scope.reserve", json!({"scopes": ["src/cart"]}));
    story.does(
        "codex",
        "tasks.artifact.keep",
        json!({"kind": "diff", "name": "session.diff", "text": "--- a\n+++ b\n"}),
    );
    let asked = json!({"to": "quiet-heron", "category": "BLOCKED", "subject": "Which store?", "blocker": "Two could.", "requested_action": "Decide."});
    let message = story.does("codex", "inbox.send", asked)["message"].clone();
    story.does("claude", "inbox.read", json!({"message": message}));
    story.does("claude", "inbox.ack", json!({"message": message}));
    story.does("codex", "inbox.send", json!({"to": "quiet-heron", "category": "HANDOFF", "subject": "Yours", "summary": "All of it.", "next_action": "Go on."}));
    story.refused("claude", "scope.reserve", json!({"scopes": ["src/cart/migrate.rs"]}));
    story.passes("codex", &turn, "claude", handoff());
    story.claims("claude");
    story.does("claude", "room.note", json!({"text": "the tests are flaky"}));

    let page = story.page("").await;
    let timeline = page.region("timeline");
    let (second, first) = (timeline.find("data-turn=\"2\"").unwrap(), timeline.find("data-turn=\"1\"").unwrap());
    assert!(second < first && first < timeline.find("data-turn=\"0\"").unwrap(), "newest first");
    let told = page.words("timeline");
    all_in(
        &told,
        &[
            "Turn 2: quiet-heron",
            "goes on",
            "Turn 1: amber-otter",
            "held for",
            "Before the first turn",
            "Needs input: amber-otter asks quiet-heron",
            "blocker Two could.",
            "request Decide.",
            "Passed to quiet-heron by amber-otter",
            "Seen by quiet-heron",
            "Accepted by quiet-heron",
            "amber-otter passed the stick to quiet-heron",
            "quiet-heron took up the stick from amber-otter",
            "quiet-heron noted the tests are flaky",
        ],
    );
    let incursion = timeline.split("<li ").find(|row| row.contains("data-type=\"INCURSION\"")).unwrap();
    all_in(incursion, &["protocol-row", "data-row"]);
    all_in(
        &words(incursion),
        &["Incursion: quiet-heron came upon amber-otter in src/cart", "overlap partial", "amber-otter, active"],
    );
    // The handoff is behind a click, in full, and what is stored behind another.
    all_in(timeline, &["<details class=\"handed\">", "Touch the payment tables."]);
    let passed = timeline.split("<li ").find(|row| row.contains("data-type=\"pass\"")).unwrap();
    let seq = passed.split("data-seq=\"").nth(1).unwrap().split('"').next().unwrap();
    all_in(timeline, &[&format!("/open?ref=log%40{seq}\"")]);
    let event = story.page(&format!("/open?ref=log%40{seq}")).await;
    all_in(event.region("raw"), &["&quot;event_type&quot;: &quot;pass&quot;", "&quot;next_action&quot;"]);
    all_in(&event.words("opened"), &["amber-otter passed the stick to quiet-heron", "Write the migration."]);
    // And the handoff that the turn began with is beside it, with a link to what it points to.
    all_in(
        &page.words("handoff"),
        &["From amber-otter. This turn began with it.", "src/session.rs:80-120", "Keep carts of deleted accounts?"],
    );
    all_in(page.region("handoff"), &["/open?ref=artifact%3A%2F%2Fdiff%2F1"]);
}

#[tokio::test]
async fn a_takeover_and_a_resumption_say_on_what_grounds() {
    let story = Story::begin().await;
    story.claims("codex");
    let task = story.does("codex", "tasks.create", json!({"title": "carts"}))["task"].clone();
    story.does("codex", "tasks.start", json!({"task": task}));
    story.world.clock.advance(Ttl::from_minutes(46));
    story.does("claude", "stick.takeover", json!({"expected_turn_id": 1, "reason": "it is silent"}));
    story.does("gemini", "room.join", json!({"context_path": "."}));
    story.does("gemini", "agent.adopt", json!({"agent": "amber-otter"}));
    let page = story.page("").await;
    let told = page.words("timeline");
    all_in(&told, &["took the stick over from", "it is silent", "because the lease ran out"]);
    let resume = page.region("timeline").split("<li ").find(|row| row.contains("data-type=\"RESUME\"")).unwrap();
    all_in(resume, &["protocol-row"]);
    all_in(&words(resume), &["Resumed", "amber-otter", "reason work of its own in progress"]);
}

#[tokio::test]
async fn filters_and_older_parts_of_the_log_are_in_the_address() {
    let story = Story::begin().await;
    for number in 0..150 {
        story.does("codex", "room.note", json!({"text": format!("note {number}.")}));
    }
    let count = |page: &Shown| page.region("timeline").matches("data-seq=").count();
    let newest = story.page("").await;
    all_in(&newest.words("timeline"), &["note 149."]);
    assert_eq!(count(&newest), 60);
    let link = |page: &Shown, label: &str| {
        let timeline = page.region("timeline");
        let end = timeline.find(&format!(">{label}</a>")).unwrap_or_else(|| panic!("no {label}"));
        let address = timeline[..end].rsplit("href=\"").next().unwrap().split('"').next().unwrap();
        address.split_once('?').map_or(String::new(), |(_, query)| format!("?{}", query.replace("&amp;", "&")))
    };
    let older = story.page(&link(&newest, "Older")).await;
    all_in(&older.words("timeline"), &["note 89.", "note 30."]);
    assert!(!older.words("timeline").contains("note 90."), "no event twice");
    let again = story.page(&link(&older, "Newer")).await;
    all_in(&again.words("timeline"), &["note 149.", "note 90."]);
    assert!(!again.words("timeline").contains("note 89."));
    let stick = story.page("?show=stick").await;
    assert!(!stick.words("timeline").contains("note 1"));
    all_in(&stick.words("timeline"), &["amber-otter opened the room"]);
    let nothing = story.page("?show=jobs").await;
    all_in(&nothing.words("timeline"), &["Nothing of this sort", "Show all"]);
}

#[tokio::test]
async fn scopes_are_a_tree_of_paths_with_owners() {
    let story = Story::begin().await;
    story.does("codex", "scope.reserve", json!({"scopes": ["src/cart", "src/session.rs"]}));
    story.does("claude", "scope.reserve", json!({"scopes": ["docs"]}));
    let page = story.page("").await;
    let scopes = page.region("scopes");
    for scope in ["src/cart", "src/session.rs", "docs"] {
        assert_eq!(scopes.matches(&format!("data-scope=\"{scope}\"")).count(), 1, "{scope}");
    }
    all_in(&page.words("scopes"), &["docs (active)quiet-heron", "src/ cart (active)amber-otter"]);
    all_in(scopes, &["data-until="]);
    assert!(!scopes.contains("scope.release"), "what is another's is not given back");
}

#[tokio::test]
async fn forms_of_a_room_do_what_they_say() {
    let story = Story::begin().await;
    let browser = Browser::of(&story.world).await;
    let room = ("room_id", story.room.as_str());
    browser.does("room.note", &[room, ("text", "from a page")]).await;
    browser
        .does(
            "room.policy",
            &[
                room,
                ("policy.owner_lease_ttl_ms:time", "1h 05m"),
                ("policy.claim_ttl_ms:time", ""),
                ("policy.spawn", "off"),
            ],
        )
        .await;
    browser.does("room.reorder", &[room, ("order[]", "claude\r\ncodex")]).await;
    browser.does("inbox.tell", &[room, ("to", "codex"), ("text", "look here"), ("mode", "interrupt")]).await;
    browser.does("tasks.create", &[room, ("title", "carts"), ("definition_of_done", "")]).await;
    browser.does("session.update", &[room, ("name", "The shop")]).await;
    let brief = [
        ("=goal", "A cart that stays"),
        ("=definition_of_done[]", "one\r\ntwo"),
        ("=global_mode", "PLANNING"),
        ("=docs_root", ""),
        ("revision:int", "0"),
    ];
    browser.does("context.brief.edit", &[&[room][..], &brief].concat()).await;

    let page = story.page("").await;
    all_in(&page.words("notes"), &["from a page"]);
    all_in(&page.words("policy"), &["Lease 1h 05m", "Claim 20m", "Spawn off"]);
    let members = page.region("members");
    assert!(members.find("data-agent=\"claude\"").unwrap() < members.find("data-agent=\"codex\"").unwrap());
    all_in(&page.words("timeline"), &["told amber-otter, and stops what it does look here"]);
    all_in(&page.words("messages"), &["to amber-otter: look here", "Not delivered yet by amber-otter"]);
    all_in(&page.words("tasks"), &["TASK-001 carts open Delegate"]);
    all_in(&page.words("brief"), &["Goal A cart that stays Done when one two Mode planning"]);
    assert!(page.0.contains("<h1>The shop</h1>"));

    // What somebody else edited meanwhile is not written over, and what is cleared is gone.
    let late = browser.submit("context.brief.edit", &[&[room][..], &brief].concat()).await;
    assert_eq!((late.status, late.text().contains("The brief was edited since")), (409, true));
    let revision = story.does("codex", "context.brief.show", json!({}))["revision"].to_string();
    browser
        .does(
            "context.brief.edit",
            &[room, ("=goal", ""), ("=definition_of_done[]", ""), ("=global_mode", ""), ("revision:int", &revision)],
        )
        .await;
    assert_eq!(story.does("codex", "context.brief.show", json!({}))["brief"], json!({}));

    let wrong = browser.submit("room.policy", &[room, ("policy.claim_ttl_ms:time", "soon")]).await;
    assert_eq!(wrong.status, 400, "{}", wrong.text());
    browser.does("room.close", &[room, ("expected_turn_id:int", "0"), ("reason", "shipped")]).await;
    assert_eq!(story.state()["room"]["state"], "closed");
    let over = story.page("").await;
    all_in(&over.words("holder"), &["The room is closed"]);
    assert!(!over.0.contains("/do/room."), "nothing is offered in a room that is over");
}

#[tokio::test]
async fn a_viewer_is_offered_nothing_to_press() {
    let story = Story::begin().await;
    let token = story.world.token("looker", baton_http::Role::Viewer, None);
    let address = format!("/rooms/{}", story.room);
    let answer = story.world.send(crate::support::Ask::get(&address).token(&token)).await;
    assert_eq!(answer.status, 200);
    assert!(answer.text().contains("amber-otter") && !answer.text().contains("action=\"/do/"));
}

#[tokio::test]
async fn what_agents_write_is_text() {
    let story = Story::begin().await;
    let turn = story.claims("codex");
    story.does("codex", "room.note", json!({"text": EVIL}));
    story.does("codex", "scope.reserve", json!({"scopes": [EVIL.replace('/', "_")]}));
    story.does("codex", "tasks.create", json!({"title": EVIL}));
    story.does("codex", "tasks.artifact.keep", json!({"kind": "report", "name": EVIL.replace('/', "_"), "text": EVIL}));
    story.does("codex", "context.brief.edit", json!({"goal": EVIL, "constraints": {EVIL: EVIL}}));
    story.does("codex", "inbox.send", json!({"to": "broadcast", "category": "INFO", "subject": EVIL, "body": EVIL}));
    let evil = json!({
        "status": EVIL, "next_action": EVIL, "open_questions": [EVIL], "do_not": [EVIL],
        "artifacts": [{"path": EVIL, "role": "edit", "note": EVIL}],
    });
    story.passes("codex", &turn, "claude", evil);
    for query in ["", "/open?ref=log%406", "/open?ref=TASK-001", "/open?ref=artifact%3A%2F%2Freport%2F1"] {
        let page = story.page(query).await;
        assert!(!page.0.contains("<script>alert") && !page.0.contains("<img src=x"), "{query}");
        assert!(page.0.contains("&lt;script&gt;alert(1)"), "{query} shows it as text");
        // Within an attribute nothing ends it.
        assert!(!page.0.contains("alert(2)>\""), "{query}");
    }
}

#[tokio::test]
async fn a_page_stays_small_however_much_happened() {
    let story = Story::begin().await;
    let mut turn = story.claims("codex");
    let long = "word ".repeat(600);
    for number in 0..2_000 {
        let text = if number % 10 == 0 { long.clone() } else { format!("note {number}") };
        story.does("codex", "room.note", json!({"text": text}));
        if number % 400 == 399 {
            let next = if number % 800 == 399 { ("codex", "claude") } else { ("claude", "codex") };
            let handoff =
                json!({"status": long, "next_action": long, "do_not": [long.chars().take(1_000).collect::<String>()]});
            story.passes(next.0, &turn, next.1, handoff);
            turn = story.claims(next.1);
        }
    }
    let page = story.page("").await;
    assert!(page.0.len() < 200_000, "{} bytes", page.0.len());
    all_in(&page.words("timeline"), &["note 1999", "All of it"]);
}

#[tokio::test]
async fn every_room_is_listed_with_its_stick_and_members_and_closed_ones_apart() {
    let world = World::foretold().await;
    let browser = Browser::of(&world).await;
    all_in(&browser.page("/rooms").await.words("rooms"), &["No rooms yet", "baton join"]);
    for number in 0..70 {
        let name = format!("room {number} {EVIL}");
        let made = world.data_of(crate::support::Ask::post("/v1/sessions").json(json!({"name": name}))).await;
        let room = made["session"]["id"].clone();
        world.clock.advance(Ttl::from_secs(1));
        if number == 69 {
            world.call("worker", "agent.add", json!({"room_id": room, "id": "worker", "name": "Worker"}));
        }
        if number == 68 {
            world
                .data_of(crate::support::Ask::new("DELETE", &format!("/v1/sessions/{}", room.as_str().unwrap())))
                .await;
        }
    }
    let page = browser.page("/rooms").await;
    assert_eq!(page.region("rooms").matches("data-room=").count(), 59);
    all_in(&page.words("closed"), &["Closed, 1", "room 68"]);
    all_in(&page.words("rooms"), &["room 69 <script>", "the stick is free turn 0", "Worker", "changed"]);
    assert!(page.0.len() < 200_000 && !page.0.contains("<script>alert"), "{} bytes", page.0.len());
    let older = browser.page("/rooms?skip=60").await;
    assert_eq!(older.region("rooms").matches("data-room=").count(), 10);
}
