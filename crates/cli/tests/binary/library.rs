//! What is kept, at the command line: cards, the map, plans, the task in focus; opened and searched.

use serde_json::{Value, json};

use crate::support::{Transcript, World};

#[test]
fn what_is_found_is_kept_pointed_to_found_again_and_opened() {
    let world = World::new();
    world.join_as("ana");
    let mut story = Transcript::new(&world);
    story.run("ana", &["card", "list"]);
    story.run("ana", &["anchor", "list"]);
    story.run("ana", &["plan", "list"]);
    story.run(
        "ana",
        &["anchor", "set", "a:core", "The rules", "--text", "crates/core, and nothing that talks to a disk"],
    );
    story.run(
        "ana",
        &[
            "task",
            "begin",
            "write the parser",
            "--scope",
            "src/*",
            "--done-when",
            "it parses",
            "--verify",
            "cargo test",
        ],
    );
    story.run("ana", &["task", "create", "read the docs"]);
    story.run("ana", &["plan", "create", "first this", "--text", "because of that", "--task", "2", "--task", "1"]);
    story.run(
        "ana",
        &[
            "card",
            "create",
            "tabs it is",
            "--kind",
            "decision",
            "--text",
            "Asked bo.\nBo said so.",
            "--tag",
            "style",
            "--pin",
            "--task",
            "1",
            "--anchor",
            "a:core",
            "--ref",
            "PLAN-1",
            "--ref",
            "CMD: cargo fmt",
        ],
    );
    story.run("ana", &["card", "create", "a remark", "--text", "on parsers"]);
    story.run("ana", &["note", "the parser is slow"]);
    story.run("ana", &["card", "list", "--limit", "1"]);
    story.run("ana", &["card", "list", "--pinned"]);
    story.run("ana", &["card", "pin", "1", "--off"]);
    story.run("ana", &["card", "pin", "1"]);
    story.run("ana", &["card", "show", "1"]);
    story.run("ana", &["open", "PLAN-1"]);
    story.run("ana", &["open", "a:core"]);
    story.run("ana", &["open", "notes@11"]);
    story.run("ana", &["task", "snapshot"]);
    story.run("ana", &["task", "focus"]);
    story.run("ana", &["task", "focus", "2"]);
    story.run("ana", &["task", "focus", "--clear"]);
    story.run("ana", &["search", "pars"]);
    story.run("ana", &["search", "pars", "--kind", "note"]);
    story.run("ana", &["search", "nowhere"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton card list
    No cards.
    next: baton card create TITLE --text …

    ana$ baton anchor list
    No part of the map is described.
    next: baton anchor set a:NAME TITLE

    ana$ baton plan list
    No plans.
    next: baton plan create TITLE --task …

    ana$ baton anchor set a:core "The rules" --text "crates/core, and nothing that talks to a disk"
    a:core  The rules

    ana$ baton task begin "write the parser" --scope src/* --done-when "it parses" --verify "cargo test"
    TASK-001 is in progress with humble-orca: write the parser
    next: baton task done TASK-001

    ana$ baton task create "read the docs"
    TASK-002 is open, and nobody's yet: read the docs
    next: baton task start TASK-002

    ana$ baton plan create "first this" --text "because of that" --task 2 --task 1
    PLAN-1  test:ana  first this

    ana$ baton card create "tabs it is" --kind decision --text "Asked bo.\nBo said so." --tag style --pin --task 1 --anchor a:core --ref PLAN-1 --ref "CMD: cargo fmt"
    Kept as CARD-1  decision  tabs it is #style  (TASK-001, a:core)  pinned

    ana$ baton card create "a remark" --text "on parsers"
    Kept as CARD-2  note  a remark

    ana$ baton note "the parser is slow"
    Noted as notes@11.

    ana$ baton card list --limit 1
    CARD-2  note  a remark
    more: baton card list --before CARD-2

    ana$ baton card list --pinned
    CARD-1  decision  tabs it is #style  (TASK-001, a:core)  pinned

    ana$ baton card pin 1 --off
    CARD-1  decision  tabs it is #style  (TASK-001, a:core)

    ana$ baton card pin 1
    CARD-1  decision  tabs it is #style  (TASK-001, a:core)  pinned

    ana$ baton card show 1
    CARD-1  decision  tabs it is #style  (TASK-001, a:core)  pinned
      by        test:ana, created SPAN ago
      refs      PLAN-1, CMD: cargo fmt

    Asked bo.
    Bo said so.

    ana$ baton open PLAN-1
    PLAN-1  first this
      by        test:ana, created SPAN ago
      tasks     TASK-002, TASK-001

    because of that

    ana$ baton open a:core
    a:core  The rules

    crates/core, and nothing that talks to a disk

    Cards
    CARD-1  decision  tabs it is #style  (TASK-001, a:core)  pinned

    ana$ baton open notes@11
    notes@11  by test:ana, created SPAN ago

    the parser is slow

    ana$ baton task snapshot
    TASK-001 (in_progress) @test:ana write the parser
    scopes: src/*
    done when: it parses
    verify: cargo test
    CARD-1 [decision] tabs it is | open id=CARD-1

    ana$ baton task focus
    TASK-001 is in progress with humble-orca: write the parser
    next: baton task done TASK-001

    ana$ baton task focus 2
    TASK-002 is open, and nobody's yet: read the docs
    next: baton task start TASK-002

    ana$ baton task focus --clear
    You have turned to none; this is what you are at.
    TASK-001 is in progress with humble-orca: write the parser
    next: baton task done TASK-001

    ana$ baton search pars
    TASK-001  write the parser
        it parses cargo test
    notes@11  the parser is slow
        the parser is slow
    CARD-2  a remark
        on parsers
    next: baton open TASK-001

    ana$ baton search pars --kind note
    notes@11  the parser is slow
        the parser is slow
    next: baton open notes@11

    ana$ baton search nowhere
    Nothing has all these words.
    "#);
    world.assert_sound();
}

#[test]
fn work_is_split_along_the_map_and_brought_together_in_one_report() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        let ok = |who: &str, arguments: &[&str]| {
            let ran = world.run_as(who, &[arguments, &["--json"]].concat());
            assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
            ran.json()["data"].clone()
        };
        for anchor in ["a:core", "a:app"] {
            ok("ana", &["anchor", "set", anchor, "A part"]);
        }
        let begun = ok("ana", &["task", "begin", "everything"]);
        let split = [
            "job",
            "fanout",
            "--anchor",
            "a:core",
            "--anchor",
            "a:app",
            "--prompt",
            "Do it.",
            "--title-prefix",
            "Review",
        ];
        let fanned = ok("ana", &split);
        assert_eq!(fanned["task"], begun["task"], "the task in focus");
        let anchors: Vec<_> =
            fanned["jobs"].as_array().into_iter().flatten().map(|job| job["anchor"].clone()).collect();
        assert_eq!(anchors, ["a:app", "a:core"]);
        ok("r1", &["job", "claim", "1"]);
        let card = ok("r1", &["card", "create", "green", "--text", "7 tests", "--kind", "test", "--job", "1"]);
        let (done, proof) =
            (["job", "complete", "1", "reviewed", "--revision", "1"], ["--ref", "CARD-1", "--ref", "CMD: cargo test"]);
        assert_eq!(card["card"], "CARD-1");
        ok("r1", &[&done[..], &proof].concat());
        let merged = ok("ana", &["job", "merge", "2", "1", "--title", "The review"]);
        assert_eq!((&merged["card"]["pinned"], &merged["card"]["task"]), (&json!(true), &begun["task"]));
        let text = merged["text"].as_str().unwrap_or_default();
        for words in ["The review", "JOB-001", "reviewed", "cargo test", "CARD-1", "JOB-002"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        let unpinned = ok("ana", &["job", "merge", "2", "1", "--title", "The review", "--no-pin"]);
        assert_eq!((&unpinned["card"]["pinned"], &unpinned["text"]), (&json!(false), &merged["text"]));
        let shown = world.run_as("ana", &["job", "merge", "1"]);
        assert!(shown.status == 0 && shown.stdout.ends_with("Kept as CARD-4.\n"), "{shown:?}");
        world.assert_sound();
    });
}

#[test]
fn a_long_text_is_opened_in_parts() {
    let world = World::new();
    world.join_as("ana");
    let long: String = (0..900).map(|line| format!("line {line} of many\n")).collect();
    std::fs::write(world.workspace().join("long.md"), &long).unwrap_or_default();
    let kept = world.run_as("ana", &["card", "create", "long", "--file", "long.md"]);
    assert_eq!(kept.status, 0, "{kept:?}");
    let (mut whole, mut offset) = (String::new(), "0".to_owned());
    loop {
        let ran = world.run_as("ana", &["open", "CARD-1", "--offset", &offset, "--json"]);
        assert_eq!(ran.status, 0, "{ran:?}");
        let part: Value = ran.json()["data"].clone();
        whole.push_str(part["text"].as_str().unwrap_or_default());
        match part["next_offset"].as_u64() {
            Some(next) => offset = next.to_string(),
            None => break,
        }
    }
    assert_eq!(whole, long.trim_end());
    let text = world.run_as("ana", &["open", "CARD-1"]).stdout;
    assert!(text.contains("more: baton open CARD-1 --offset "), "{text}");
    let tail = world.run_as("ana", &["open", "CARD-1", "--offset", "-20"]).stdout;
    assert!(tail.contains("line 899 of many") && tail.contains("all of it: baton open CARD-1 --offset 0"), "{tail}");
}

#[test]
fn the_skill_packs_are_printed_and_cut_at_a_line() {
    let world = World::new();
    for profile in ["daily", "strict", "research", "teamlead"] {
        let ran = world.run(&["skill", profile]);
        assert!(ran.status == 0 && ran.stdout.starts_with("# "), "{profile}: {ran:?}");
        assert_eq!(ran.stdout, world.run(&["skill", profile]).stdout);
    }
    let cut = world.run(&["skill", "--max-chars", "300", "--json"]).json()["data"].clone();
    assert_eq!((&cut["profile"], &cut["truncated"]), (&json!("daily"), &json!(true)));
    assert!(cut["chars"].as_u64().is_some_and(|chars| chars <= 300), "{cut}");
}

#[test]
fn what_cannot_be_kept_or_found_is_refused() {
    let world = World::new();
    let room = world.join_as("ana");
    assert_eq!(world.run_as("ana", &["task", "create", "a"]).status, 0);
    let before = world.log(&room).len();
    let long = "x".repeat(16 * 1024 + 1);
    for (arguments, status, code) in [
        (&["card", "create", "t"][..], 2, "INVALID_INPUT"),
        (&["card", "create", " ", "--text", "x"], 2, "INVALID_INPUT"),
        (&["card", "create", "t", "--text", "x", "--file", "AGENTS.md"], 2, "INVALID_INPUT"),
        (&["card", "create", "t", "--text", &long], 2, "INVALID_INPUT"),
        (&["card", "create", "t", "--file", "missing"], 2, "INVALID_INPUT"),
        (&["card", "create", "t", "--text", "x", "--kind", "joke"], 2, "INVALID_INPUT"),
        (&["card", "create", "t", "--text", "x", "--ref", "CARD-9"], 4, "UNKNOWN_ID"),
        (&["card", "create", "t", "--text", "x", "--ref", "there"], 2, "INVALID_INPUT"),
        (&["card", "create", "t", "--text", "x", "--task", "9"], 4, "UNKNOWN_ID"),
        (&["card", "pin", "9"], 4, "UNKNOWN_ID"),
        (&["card", "show", "9"], 4, "UNKNOWN_ID"),
        (&["card", "show", "nine"], 2, "INVALID_INPUT"),
        (&["card", "list", "--limit", "0"], 2, "INVALID_LIMIT"),
        (&["anchor", "set", "core", "title"], 2, "INVALID_INPUT"),
        (&["anchor", "set", "a:core", " "], 2, "INVALID_INPUT"),
        (&["plan", "create", "p", "--text", "x", "--task", "9"], 4, "UNKNOWN_ID"),
        (&["plan", "list", "--before", "first"], 2, "INVALID_INPUT"),
        (&["task", "focus", "9"], 4, "UNKNOWN_ID"),
        (&["task", "focus", "1", "--clear"], 2, "INVALID_INPUT"),
        (&["task", "snapshot", "9"], 4, "UNKNOWN_ID"),
        (&["task", "begin", " "], 2, "INVALID_ARGS"),
        (&["open"], 2, "INVALID_INPUT"),
        (&["open", "somewhere"], 2, "INVALID_INPUT"),
        (&["open", "CMD: ls"], 2, "INVALID_INPUT"),
        (&["open", "CARD-9"], 4, "UNKNOWN_ID"),
        (&["open", "JOB-001@1"], 4, "UNKNOWN_ID"),
        (&["open", "runner:nobody"], 4, "UNKNOWN_ID"),
        (&["open", "artifact://diff/1"], 4, "UNKNOWN_ID"),
        (&["search"], 2, "INVALID_INPUT"),
        (&["search", "\"("], 2, "INVALID_INPUT"),
        (&["search", "a", "--kind", "secret"], 2, "INVALID_INPUT"),
        (&["search", "a", "--limit", "101"], 2, "INVALID_LIMIT"),
        (&["skill", "guru"], 2, "INVALID_INPUT"),
    ] {
        let ran = world.run_as("ana", &[arguments, &["--json"]].concat());
        assert_eq!((ran.status, ran.code()), (status, code.to_owned()), "{arguments:?}: {ran:?}");
    }
    assert_eq!(world.log(&room).len(), before);
}
