//! What comes back from a job in a worktree: looked at, applied, made a branch, sent back.

use std::{fs, io::Write, process::Stdio};

use serde_json::json;

use crate::support::{Ran, World};

const PROVEN: &str = r#"answer DONE "It is dry" "\"$(prove)\"""#;
/// Changes a file, adds one, removes one and makes one executable.
const MENDS: &str = "echo more >> AGENTS.md; printf '\\000\\377dry' > roof.bin; rm old.txt; chmod +x run.sh";

fn read(world: &World, file: &str) -> String {
    fs::read_to_string(world.workspace().join(file)).expect("the workspace has it")
}

/// A workspace in which a job has mended something in its worktree.
fn mended(world: World) -> World {
    world.write("old.txt", "old\n");
    world.write("run.sh", "#!/bin/sh\n");
    let world = world.with_repository();
    world.join_as("ana");
    world.plays(&[&format!("{MENDS}; {PROVEN}")]);
    world.delegate(&["--isolation", "worktree"]);
    world.run_once();
    assert_eq!(world.job("JOB-001").0["status"], "DONE");
    world
}

fn takes_the_stick(world: &World) {
    let ran = world.run_as("ana", &["wait"]);
    assert_eq!(ran.status, 0, "{ran:?}");
}

#[test]
fn what_a_job_changed_is_looked_at_refused_without_the_stick_and_then_applied() {
    World::on_every_backend(|world| {
        let world = mended(world);
        let stat = world.run_as("ana", &["job", "diff", "1", "--stat"]);
        for part in
            ["M +1 -0", "AGENTS.md", "D +0 -1", "old.txt", "A binary", "roof.bin", "run.sh", "baton job apply JOB-001"]
        {
            assert!(stat.stdout.contains(part), "{part}: {stat:?}");
        }
        let told = world.run_as("ana", &["job", "diff", "1", "--json"]).json()["data"].clone();
        assert_eq!(
            (&told["usable"], &told["slice"], &told["ref"]),
            (&json!(true), &json!(1), &json!("artifact://diff/5"))
        );
        let refused = world.run_as("ana", &["job", "apply", "1"]);
        assert_eq!(refused.status, 3, "{refused:?}");
        for part in ["STICK_NEEDED", "The stick is free", "baton wait"] {
            assert!(refused.stderr.contains(part), "{part}: {refused:?}");
        }
        assert_eq!(read(&world, "AGENTS.md"), "# A workspace\n");
        let checked = world.run_as("ana", &["job", "apply", "1", "--check"]);
        assert!(checked.status == 0 && checked.stdout.contains("would apply: 4 files"), "{checked:?}");
        takes_the_stick(&world);
        let applied = world.run_as("ana", &["job", "apply", "1"]);
        assert!(applied.status == 0 && applied.stdout.contains("is applied to the workspace: 4 files"), "{applied:?}");
        assert_eq!(read(&world, "AGENTS.md"), "# A workspace\nmore\n");
        assert_eq!(fs::read(world.workspace().join("roof.bin")).unwrap(), b"\0\xffdry");
        assert!(!world.workspace().join("old.txt").exists());
        let again = world.run_as("ana", &["job", "apply", "1"]);
        assert!(again.status == 0 && again.stdout.contains("already"), "{again:?}");
        assert_eq!(world.kinds("JOB-001"), ["created", "claimed", "progress", "completed", "applied"]);
        world.assert_sound();
    });
}

#[test]
fn a_printed_diff_is_what_git_applies() {
    let world = mended(World::new());
    let mut diff = world.baton(&["job", "diff", "JOB-001"]);
    diff.env("BATON_AGENT_ID", "test:ana");
    let printed = diff.output().unwrap();
    assert!(printed.status.success(), "{printed:?}");
    let mut git = world.command("git");
    let mut child = git.args(["apply", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&printed.stdout).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read(world.workspace().join("roof.bin")).unwrap(), b"\0\xffdry");
    assert!(!world.workspace().join("old.txt").exists());
}

#[test]
fn a_conflict_is_refused_as_a_whole_and_a_branch_is_made_all_the_same() {
    let world = mended(World::new());
    world.write("AGENTS.md", "# Another workspace\n");
    takes_the_stick(&world);
    let refused = world.run_as("ana", &["job", "apply", "1"]);
    assert!(refused.status == 3 && refused.stderr.contains("PATCH_CONFLICT"), "{refused:?}");
    assert!(refused.stderr.contains("AGENTS.md") && refused.stderr.contains("not committed"), "{refused:?}");
    world.git(&["commit", "--quiet", "--all", "--message=mine"]);
    let refused = world.run_as("ana", &["job", "apply", "1"]);
    assert!(refused.status == 3 && refused.stderr.contains("changed the same lines"), "{refused:?}");
    assert_eq!((read(&world, "AGENTS.md"), read(&world, "old.txt")), ("# Another workspace\n".into(), "old\n".into()));
    assert!(!world.workspace().join("roof.bin").exists());
    let made = world.run_as("ana", &["job", "branch", "1"]);
    assert!(made.status == 0 && made.stdout.contains("next: git merge baton/JOB-001"), "{made:?}");
    let mut show = world.command("git");
    show.args(["show", "baton/JOB-001:AGENTS.md"]);
    assert_eq!(Ran::of(show).stdout, "# A workspace\nmore\n");
    assert_eq!(read(&world, "AGENTS.md"), "# Another workspace\n");
    let again = world.run_as("ana", &["job", "branch", "1"]);
    assert!(again.status == 0 && again.stdout.contains("had already"), "{again:?}");
}

#[test]
fn a_job_that_is_sent_back_goes_on_from_its_former_patch_on_the_present_commit() {
    World::on_every_backend(|world| {
        let world = mended(world);
        // The workspace moves on meanwhile.
        world.write("other.txt", "other\n");
        world.git(&["add", "other.txt"]);
        world.git(&["commit", "--quiet", "--message=meanwhile"]);
        let looks = "cat AGENTS.md other.txt > \"$here/seen\"; ls >> \"$here/seen\"; echo test > test.txt";
        world.plays(&["exit 1", &format!("{looks}; {PROVEN}")]);
        let sent = world.run_as("ana", &["job", "send-back", "1", "A test is missing."]);
        assert!(sent.status == 0 && sent.stdout.contains("JOB-001 is QUEUED"), "{sent:?}");
        let (job, _) = world.job("JOB-001");
        assert_eq!((&job["summary"], &job["meta"]["goes_on_from"]), (&json!("It is dry"), &json!("artifact://diff/5")));
        let said = world.run_once();
        assert!(said.contains("are in this worktree again"), "{said}");
        let seen = fs::read_to_string(world.root().join("seen")).unwrap();
        assert!(seen.starts_with("# A workspace\nmore\nother\n") && seen.contains("roof.bin"), "{seen}");
        assert!(!seen.contains("old.txt"), "{seen}");
        let told = world.prompt(2);
        for part in
            ["A test is missing.", "This job ended before: It is dry", "artifact://diff/5", "Do what the review asks"]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert_eq!(world.job("JOB-001").0["status"], "DONE");
        takes_the_stick(&world);
        let applied = world.run_as("ana", &["job", "apply", "1"]);
        assert!(applied.status == 0 && applied.stdout.contains("5 files"), "{applied:?}");
        assert_eq!(
            (read(&world, "test.txt"), read(&world, "AGENTS.md")),
            ("test\n".into(), "# A workspace\nmore\n".into())
        );
        world.assert_sound();
    });
}

#[test]
fn a_former_patch_that_does_not_apply_any_more_is_told_and_the_job_goes_on() {
    let world = mended(World::new());
    world.write("AGENTS.md", "# Another workspace\n");
    world.git(&["commit", "--quiet", "--all", "--message=mine"]);
    world.plays(&[PROVEN]);
    world.run_as("ana", &["job", "send-back", "1", "Once more."]);
    fs::remove_file(world.root().join("slices")).unwrap();
    world.run_once();
    let told = world.prompt(1);
    assert!(told.contains("Your earlier changes are not in this worktree"), "{told}");
    assert!(told.contains("artifact://diff/5"), "{told}");
    assert_eq!(world.job("JOB-001").0["status"], "DONE");
    // Nothing is left of the former patch, and that is what its newest diff says.
    takes_the_stick(&world);
    let refused = world.run_as("ana", &["job", "apply", "1"]);
    assert!(refused.status == 3 && refused.stderr.contains("changed nothing"), "{refused:?}");
}

#[test]
fn a_review_of_a_running_job_gives_it_another_slice_after_this_one() {
    World::on_every_backend(|world| {
        let world = world.with_repository();
        world.join_as("ana");
        let (started, go_on) = (world.pipe("started"), world.pipe("go-on"));
        let first = format!("echo one > one.txt; echo $$ > \"$here/started\"; cat \"$here/go-on\"; {PROVEN}");
        world.plays(&[&first, &format!("cat one.txt; echo two > two.txt; {PROVEN}")]);
        let job = world.delegate(&["--isolation", "worktree"]);
        let runner = world.runner(&["--once"]);
        started.read();
        let sent = world.run_as("ana", &["job", "send-back", &job, "Also the gutter."]);
        assert!(sent.status == 0 && sent.stdout.contains("RUNNING"), "{sent:?}");
        go_on.write("");
        runner.ends();
        assert_eq!((world.slices(), &world.job(&job).0["status"]), (2, &json!("DONE")));
        let told = world.prompt(2);
        assert!(told.contains("Also the gutter.") && told.contains("You said DONE: It is dry"), "{told}");
        let stat = world.run_as("ana", &["job", "diff", &job, "--stat"]);
        assert!(stat.stdout.contains("one.txt") && stat.stdout.contains("two.txt"), "{stat:?}");
        let first = world.run_as("ana", &["job", "diff", &job, "--stat", "--slice", "1"]);
        assert!(first.stdout.contains("one.txt") && !first.stdout.contains("two.txt"), "{first:?}");
        world.assert_sound();
    });
}
