//! Where handoffs come from, and what a terminal shows of them.

use std::fs;

use serde_json::json;

use crate::support::{Ran, Transcript, World, handoff};

#[test]
fn a_handoff_comes_from_a_file_from_standard_input_or_from_the_editor() {
    let world = World::new();
    world.join_as("ana");
    let file = |name: &str, text: &str| {
        let path = world.workspace().join(name);
        fs::write(&path, text).unwrap();
        // A script is given to the shell to read: a file that was just written may be too busy to be executed.
        format!("sh {}", path.display())
    };
    let page = "# Status\nread the code\nall of it\n\n# Next action\nwrite it down\n\n# Artifacts\nsrc/a.rs:3-9=edit\n";
    file("handoff.md", page);
    file("handoff.json", r#"{"status":"from a file","next_action":"go on","do_not":["stop"]}"#);
    let editor = file("editor", r#"sed -i 's/^What I did:$/edited it/; s/^# Next action$/&\nsee to it/' "$1""#);
    let (quitter, reader) = (file("quitter", "exit 1"), file("reader", "exit 0"));
    let received = |arguments: &[&str], input: &str, editor: &str| {
        assert_eq!(world.run_as("ana", &["wait"]).status, 0);
        let mut command = world.baton(&[&["release", "--json"], arguments].concat());
        command.env("BATON_AGENT_ID", "test:ana").env("EDITOR", editor);
        let ran = Ran::with_input(command, input);
        if ran.status != 0 {
            return json!([ran.status, ran.json()["error"]["message"]]);
        }
        world.data_of(&["room", "events", "--limit", "1"])["events"][0]["handoff"].clone()
    };
    let edited = json!({ "path": "src/a.rs", "lines": [3, 9], "role": "edit" });
    let from_page =
        json!({ "status": "read the code\nall of it", "next_action": "write it down", "artifacts": [edited] });
    assert_eq!(received(&["--file", "handoff.md"], "", ""), from_page);
    assert_eq!(received(&["--file", "-"], page, ""), from_page);
    assert_eq!(
        received(&["--file", "handoff.json", "--next", "from a flag"], "", ""),
        json!({ "status": "from a file", "next_action": "from a flag", "do_not": ["stop"] })
    );
    assert_eq!(received(&["--edit"], "", &quitter)[0], 2);
    assert_eq!(received(&["--edit"], "", &reader)[0], 2, "an untouched draft says nothing");
    assert_eq!(received(&["--edit"], "", "no-such-editor")[0], 2);
    assert_eq!(
        received(&["--edit"], "", &editor),
        json!({ "status": "edited it\nWhat I learned:\nOpen risks:", "next_action": "see to it" })
    );
}

#[test]
fn from_git_lists_what_changed_since_the_turn_began() {
    let world = World::new();
    let git = |arguments: &[&str]| {
        let mut command = world.command("git");
        command.args(["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]).args(arguments);
        // Long before the turn, whose beginning is what counts.
        command.env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z").env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z");
        let ran = Ran::of(command);
        assert_eq!(ran.status, 0, "{ran:?}");
    };
    let write = |name: &str, text: &str| fs::write(world.workspace().join(name), text).unwrap();
    git(&["init", "--quiet"]);
    write("kept.txt", "1\n2\n3\n4\n5\n");
    write("gone.txt", "bye\n");
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "before the turn"]);
    let mut story = Transcript::new(&world);
    story.run("ana", &["join"]);
    story.run("ana", &["wait"]);
    write("kept.txt", "1\ntwo\n3\n4\nfive\nsix\n");
    write("new.txt", "a\nb\nc\n");
    fs::remove_file(world.workspace().join("gone.txt")).unwrap();
    story.run("ana", &["release", "--status", "edited", "--next", "review", "--from-git"]);
    story.run("ana", &["room", "events", "--limit", "1"]);
    insta::assert_snapshot!(story.text(), @"
    ana$ baton join
    Opened room_1 at WORKSPACE as test:ana (humble-orca).
    next: baton wait

    ana$ baton wait
    It is your turn: turn 1, lease lease_1, which runs out in SPAN.

    next: work, `baton heartbeat` now and then, then baton release --status … --next …

    ana$ baton release --status edited --next review --from-git
    Nobody else is here: the stick is free, and your handoff waits for whoever takes it up (event 4).
    Your handoff points to gone.txt, kept.txt:2-6, new.txt:1-3.

    ana$ baton room events --limit 1
        4  TIME  turn 1    humble-orca released the stick
             status    edited
             next      review
             review    gone.txt  deleted
             review    kept.txt:2-6
             review    new.txt:1-3  new file
    more: baton room events --room room_1 --before 4
    ");
}

#[test]
fn what_an_agent_writes_cannot_reach_the_terminal_as_control_characters() {
    let world = World::new();
    let evil = "ok\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}reversed\r\u{9b}31m";
    let mut ana = world.agent("ana");
    ana.ok("append_note", json!({ "text": evil }));
    ana.claim();
    world.join_as("bo");
    let mut handed_over = handoff(evil, evil);
    handed_over["artifacts"] = json!([{ "path": evil, "role": "edit", "note": evil }]);
    handed_over["open_questions"] = json!([evil]);
    handed_over["do_not"] = json!([evil]);
    let arguments = ana.fenced(json!({ "handoff": handed_over }));
    ana.ok("release_stick", arguments);
    for arguments in [&["status"][..], &["room", "events"], &["wait"], &["room", "state"], &["room", "list"]] {
        let ran = world.run_as("bo", arguments);
        assert_eq!(ran.status, 0, "{ran:?}");
        assert!(arguments == ["room", "list"] || ran.stdout.contains("ok[2J]0;ownedreversed31m"), "{ran:?}");
        assert!(!(ran.stdout + &ran.stderr).contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}'));
    }
    let refused = world.run_as("bo", &["pass", evil, "--status", "s", "--next", "n"]);
    assert_eq!(refused.status, 3, "{refused:?}");
    assert!(!refused.stderr.contains(|c: char| c.is_control() && c != '\n'), "{refused:?}");
}
