//! What a room is for, and what agents get to know of it, at the command line.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Ran, Transcript, World};

fn done(world: &World, who: &str, arguments: &[&str]) -> Value {
    let ran = world.run_as(who, &[arguments, &["--json"]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    ran.json()["data"].clone()
}

#[test]
fn a_brief_is_shown_and_edited_with_flags() {
    let world = World::new();
    world.join_as("ana");
    let mut story = Transcript::new(&world);
    story.run("ana", &["brief", "show"]);
    story.run("ana", &["brief", "edit"]);
    story.run(
        "ana",
        &[
            "brief",
            "edit",
            "--goal",
            "Ship it",
            "--done",
            "tests pass",
            "--mode",
            "planning",
            "--constraint",
            "offline=true",
        ],
    );
    story.run("ana", &["brief", "edit", "--constraint", "api=v1 stays", "--without", "offline", "--clear", "mode"]);
    story.run("ana", &["brief", "edit", "--docs", "../elsewhere"]);
    story.run("ana", &["brief", "edit", "--goal", "x", "--revision", "3"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton brief show
    Nobody has said what this room is for.
    next: baton brief edit --goal …

    ana$ baton brief edit
    INVALID_INPUT: Nothing is to be changed.
      next: Say what: --goal, --done, --mode, --docs, --constraint, --file or --edit.
    [exit 2]

    ana$ baton brief edit --goal "Ship it" --done "tests pass" --mode planning --constraint offline=true
    Revision 3, by test:ana, changed SPAN ago
      goal      Ship it
      done when tests pass
      mode      PLANNING
      must      offline: true

    ana$ baton brief edit --constraint "api=v1 stays" --without offline --clear mode
    Revision 4, by test:ana, changed SPAN ago
      goal      Ship it
      done when tests pass
      must      api: v1 stays

    ana$ baton brief edit --docs ../elsewhere
    INVALID_INPUT: docs_root must stay inside the workspace: give a directory from its root, like docs, with / between names and without "..".
      field: docs_root
      next: Correct the named field.
    [exit 2]

    ana$ baton brief edit --goal x --revision 3
    CONFLICT: The brief was edited since: revision 3 was shown, 4 is in force.
      revision: 4
      updated_by: test:ana
      next: Read it with `baton brief show`, and make your change to that.
    [exit 3]
    "#);
}

#[test]
fn a_brief_comes_from_the_editor_a_file_or_standard_input() {
    let world = World::new();
    world.join_as("ana");
    done(&world, "ana", &["brief", "edit", "--goal", "Ship it", "--constraint", "offline=true"]);
    let script = world.workspace().join("editor");
    fs::write(&script, r#"sed -i 's/^Ship it$/Ship it well/; s/^offline=true$/api=v1/' "$1""#).unwrap();
    let edited = |arguments: &[&str], input: &str, editor: &str| {
        let mut command = world.baton(&[&["brief", "edit", "--json"], arguments].concat());
        command.env("BATON_AGENT_ID", "test:ana").env("EDITOR", editor);
        Ran::with_input(command, input).json()
    };
    let answer = edited(&["--edit"], "", &format!("sh {}", script.display()));
    assert_eq!(answer["data"]["brief"], json!({"goal": "Ship it well", "constraints": {"api": "v1"}}));
    assert_eq!(edited(&["--edit"], "", "false")["error"]["code"], "INVALID_INPUT");
    let answer = edited(&["--file", "-"], r#"{"goal": "From JSON"}"#, "");
    assert_eq!(answer["data"]["brief"], json!({"goal": "From JSON"}));
    let answer = edited(&["--file", "-"], "# Goal\nFrom a page\n\n# Mode\nplanning\n", "");
    assert_eq!(answer["data"]["brief"], json!({"goal": "From a page", "global_mode": "PLANNING"}));
}

#[test]
fn packs_are_built_compared_and_opened_and_go_with_the_stick() {
    let world = World::new();
    world.join_as("ana");
    world.join_as("bo");
    fs::create_dir(world.workspace().join("docs")).unwrap();
    fs::write(world.workspace().join("docs/PLAN.md"), "# The plan\n\nFirst this.\n").unwrap();
    fs::write(world.workspace().join("docs/a.rs"), "//! A part.\n").unwrap();
    done(&world, "ana", &["brief", "edit", "--goal", "Ship it", "--docs", "docs"]);
    let mut inside = world.baton(&["context", "build", "--file", "a.rs", "--json"]);
    inside.env("BATON_AGENT_ID", "test:ana").current_dir(world.workspace().join("docs"));
    let built = Ran::of(inside).json()["data"].clone();
    let first = built["ref"].as_str().unwrap();
    let text = world.run_as("ana", &["context", "build"]).stdout;
    assert!(text.contains(" tokens\n") && text.contains("next: baton open contextpack://pack/"), "{text}");
    let longer =
        done(&world, "ana", &["context", "append", first, "--question", "which port?", "--constraint", "api=v1"]);
    let longer = longer["ref"].as_str().unwrap();
    let shown = world.run_as("bo", &["open", longer]).stdout;
    for line in [
        "  goal      Ship it\n",
        "  must      api: v1\n",
        "  question  which port? (",
        "  file      docs/a.rs  A part.\n",
        "  document  docs/PLAN.md\n",
    ] {
        assert!(shown.contains(line), "{line:?} in {shown}");
    }
    let compared = world.run_as("bo", &["context", "diff", first, longer]).stdout;
    assert!(compared.contains("openQuestions\n  + {\"text\":\"which port?\""), "{compared}");
    let same = world.run_as("bo", &["context", "diff", first, first]).stdout;
    assert_eq!(same, "They say the same.\n");
    let merged = done(&world, "bo", &["context", "merge", first, longer]);
    assert!(merged["tokens"].as_u64().unwrap() > 0);
    let listed = world.run_as("bo", &["context", "list", "--limit", "1"]).stdout;
    assert!(listed.contains("more: baton context list --before "), "{listed}");

    done(&world, "ana", &["wait"]);
    done(&world, "ana", &["release", "--status", "begun", "--next", "go on", "--context", "auto"]);
    let waited = world.run_as("bo", &["wait"]).stdout;
    assert!(waited.contains("  context   baton open contextpack://pack/"), "{waited}");
    let status = world.run_as("bo", &["status"]).stdout;
    assert!(status.contains("  context   baton open contextpack://pack/"), "{status}");
    let wrong = world.run_as("bo", &["release", "--status", "s", "--next", "n", "--context", "JOB-001"]);
    assert_eq!(wrong.status, 2, "{wrong:?}");
    world.assert_sound();
}
