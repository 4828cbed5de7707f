//! `baton confine`: the kernel keeps a command's writes out of a room's workspace, whichever way it tries.
//!
//! Every attempt is made for real. One that a machine might refuse by itself is first made without confinement, where it
//! must come off.
#![expect(clippy::unwrap_used, reason = "these helpers are part of tests, where a failed step ends the test")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use crate::support::{BATON, Ran, World};

/// A world in which bo is a member of the workspace's room, without the stick.
fn world() -> World {
    let world = World::new();
    world.write("a.txt", "a\n");
    world.write("src/lib.rs", "lib\n");
    world.write("docs/guide.md", "guide\n");
    world.join_as("ana");
    world.join_as("bo");
    world
}

/// Runs a script of `test:WHO` in the workspace, confined to its room. `$HOME` is outside, `$W` the workspace.
fn confined(world: &World, who: &str, script: &str) -> Ran {
    Ran::of(confined_command(world, who, &["sh", "-c", script]))
}

fn confined_command(world: &World, who: &str, words: &[&str]) -> Command {
    let mut command = world.baton(&["confine", "--room", ".", "--"]);
    command.args(words).env("W", world.workspace()).env("BATON_AGENT_ID", format!("test:{who}"));
    command
}

/// Runs a script as it is.
fn free(world: &World, script: &str) -> Ran {
    let mut command = world.command("sh");
    command.args(["-c", script]).env("W", world.workspace());
    Ran::of(command)
}

/// Has bo attempt each script, which must fail and leave the workspace as it was.
fn assert_refused(world: &World, scripts: &[&str]) {
    let before = World::files(&world.workspace());
    for script in scripts {
        let ran = confined(world, "bo", script);
        assert_ne!(ran.status, 0, "{script}: {ran:?}");
        assert_eq!(World::files(&world.workspace()), before, "{script}: {ran:?}");
        assert!(
            ["denied", "not permitted", "cross-device", "Bad file descriptor", "could not write index"]
                .iter()
                .any(|word| ran.stderr.contains(word)),
            "{script} failed for another reason: {ran:?}"
        );
    }
}

fn assert_works(world: &World, who: &str, script: &str) {
    let ran = confined(world, who, script);
    assert_eq!(ran.status, 0, "{script}: {ran:?}");
}

/// A process that was not confined, in the workspace, until it is dropped.
struct Outside(Child);

impl Outside {
    fn start(world: &World) -> Self {
        Self(world.command("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
fn without_the_stick_no_write_reaches_the_workspace() {
    assert_refused(
        &world(),
        &[
            "echo x > a.txt",
            "echo x >> a.txt",
            "echo x > new.txt",
            "echo x > src/new.rs",
            "truncate -s 0 a.txt",
            "dd if=/dev/zero of=a.txt bs=1 count=1 conv=notrunc",
            "rm a.txt",
            "mkdir new",
            "rmdir docs || rm -r docs",
            "ln -s a.txt link",
            "ln a.txt hard",
            "mkfifo pipe",
            "mv a.txt b.txt",
            "sed -i s/a/b/ a.txt",
            "sh -c 'sh -c \"echo x > a.txt\"'",
        ],
    );
}

#[test]
fn reading_and_writing_elsewhere_go_on_as_ever() {
    let world = world();
    let script = "cat a.txt src/lib.rs && ls docs && cd \"$HOME\" && mkdir -p d/e && echo 1 > d/e/f && mv d/e/f d/g && ln d/g d/h \
                  && ln -s g d/s && rm -r d/e && truncate -s 0 d/g && echo x > /dev/null && echo name > /proc/self/comm";
    let ran = confined(&world, "bo", script);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "a\nlib\nguide.md\n"), "{ran:?}");
}

#[test]
fn ones_own_scope_is_writable_and_a_foreign_one_is_not() {
    let world = world();
    assert_eq!(world.run_as("bo", &["scope", "reserve", "src"]).status, 0);
    assert_eq!(world.run_as("ana", &["scope", "reserve", "docs"]).status, 0);
    assert_works(
        &world,
        "bo",
        "echo x > src/lib.rs && echo x > src/new && mkdir src/d && mv src/new src/d/ && rm -r src/d",
    );
    assert_refused(
        &world,
        &["echo x > docs/guide.md", "mv src/lib.rs docs/", "mv docs/guide.md src/", "echo x > a.txt", "mv src lib"],
    );
    assert_works(&world, "ana", "echo x > docs/guide.md");
}

#[test]
fn the_holder_writes_everywhere_but_in_scopes_of_others() {
    let world = world();
    assert_eq!(world.run_as("bo", &["wait", "--timeout", "0"]).status, 0);
    assert_works(&world, "bo", "echo x > a.txt && echo x > new && mkdir d && rm -r d docs");
    assert_eq!(world.run_as("ana", &["scope", "reserve", "src"]).status, 0);
    assert_works(&world, "bo", "echo y > a.txt");
    assert_refused(&world, &["echo x > src/lib.rs", "echo x > src/new", "rm -r src", "mv src lib"]);
    let ran = confined(&world, "ana", "echo x > a.txt");
    assert_ne!(ran.status, 0, "the stick is bo's: {ran:?}");
}

#[test]
fn a_scope_that_does_not_exist_yet_is_named_and_stays_closed() {
    let world = world();
    assert_eq!(world.run_as("bo", &["scope", "reserve", "new/dir", "src"]).status, 0);
    let ran = confined(&world, "bo", "echo x > src/new.rs && mkdir new");
    assert_ne!(ran.status, 0);
    let path = world.workspace().join("new/dir");
    assert!(ran.stderr.starts_with(&format!("warning: {} cannot be written", path.display())), "{ran:?}");
    assert!(world.workspace().join("src/new.rs").exists() && !world.workspace().join("new").exists());
}

#[test]
fn symbolic_links_lead_to_the_same_refusal() {
    let world = world();
    // Beside the way down to the room, where every entry gets a rule of its own.
    symlink(world.workspace(), world.root().join("beside")).unwrap();
    symlink(world.workspace(), world.home().join("before")).unwrap();
    assert_refused(
        &world,
        &[
            "echo x > \"$HOME/before/a.txt\"",
            "echo x > \"$HOME/../beside/a.txt\"",
            "ln -s \"$W\" \"$HOME/now\" && echo x > \"$HOME/now/new\"",
            "ln -s \"$W/a.txt\" \"$HOME/file\" && echo x > \"$HOME/file\"",
        ],
    );
}

#[test]
fn hard_links_to_files_of_the_workspace_cannot_be_made() {
    let world = world();
    assert_refused(
        &world,
        &[
            "ln a.txt \"$HOME/hard\"",
            "ln a.txt \"$HOME/hard\"; echo x > \"$HOME/a\" && ln \"$HOME/a\" \"$W/hard\"",
            "ln -L a.txt /dev/shm/hard",
        ],
    );
    assert!(!world.home().join("hard").exists());
}

#[test]
fn proc_is_no_way_around() {
    let world = world();
    let outside = Outside::start(&world);
    let pid = outside.0.id();
    let ways = [
        "echo x > \"/proc/self/root$W/a.txt\"".to_owned(),
        "echo x > /proc/self/cwd/a.txt".to_owned(),
        "exec 3< a.txt; echo x > /proc/self/fd/3".to_owned(),
        format!("echo x > /proc/{pid}/cwd/a.txt"),
        format!("echo x > \"/proc/{pid}/root$W/a.txt\""),
        format!("exec 3<> /proc/{pid}/mem"),
        format!("nsenter --target {pid} --mount sh -c 'echo x > \"$W/a.txt\"'"),
    ];
    assert_refused(&world, &ways.iter().map(String::as_str).collect::<Vec<_>>());
    for way in [format!("echo a > /proc/{pid}/cwd/a.txt"), format!("exec 3<> /proc/{pid}/mem")] {
        let ran = free(&world, &way);
        assert_eq!(ran.status, 0, "{way}: {ran:?}");
    }
}

#[test]
fn nothing_is_renamed_into_the_workspace_or_out_of_it_nor_is_what_it_lies_in() {
    let world = world();
    assert_refused(
        &world,
        &[
            "echo x > \"$HOME/x\"; mv \"$HOME/x\" \"$W/x\"",
            "echo x > \"$HOME/x\"; mv -f \"$HOME/x\" \"$W/a.txt\"",
            "mkdir -p \"$HOME/d\"; mv \"$HOME/d\" \"$W/d\"",
            "mv a.txt \"$HOME/taken\"",
            "mv docs \"$HOME/docs\"",
            "mv \"$W\" \"$W.old\"",
            "mv \"$W\" \"$HOME/work\"",
            "mv \"$W/..\" \"$HOME/all\" || mv \"$(dirname \"$W\")\" \"$(dirname \"$W\").old\"",
            "mkdir \"$W/../work2\"",
        ],
    );
}

#[test]
fn namespaces_mounts_and_chroot_are_no_way_around() {
    let world = world();
    fs::create_dir(world.home().join("m")).unwrap();
    let mount =
        "unshare -Urm --propagation unchanged sh -c 'mount --bind \"$W\" \"$HOME/m\" && echo x > \"$HOME/m/new\"'";
    assert_refused(
        &world,
        &[
            mount,
            "unshare -Ur --root=/ sh -c 'echo x > \"$W/new\"'",
            "unshare -Urm --propagation unchanged sh -c 'mount -t tmpfs none \"$W\"'",
            "unshare -Urm --propagation unchanged sh -c 'mount -t overlay -o lowerdir=\"$W\",upperdir=\"$W\",workdir=\"$HOME\" none \"$HOME/m\"'",
        ],
    );
    let ran = free(&world, mount);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(world.workspace().join("new").exists());
}

#[test]
fn a_second_mount_of_the_workspace_is_closed_too() {
    let world = world();
    for directory in ["m", "d"] {
        fs::create_dir(world.home().join(directory)).unwrap();
    }
    let mut command = world.command("unshare");
    let script = "mount --bind \"$W\" \"$HOME/m\" && exec \"$0\" confine --room . -- sh -c \
                  'cat \"$HOME/m/a.txt\" && echo x > \"$HOME/d/out\" && echo x > \"$HOME/m/a.txt\"'";
    command.args(["-Urm", "sh", "-c", script, BATON]).env("W", world.workspace()).env("BATON_AGENT_ID", "test:bo");
    let ran = Ran::of(command);
    assert!(ran.status != 0 && ran.stdout == "a\n" && ran.stderr.contains("denied"), "{ran:?}");
    assert!(world.home().join("d/out").exists());
    assert_eq!(fs::read(world.workspace().join("a.txt")).unwrap(), b"a\n");
}

#[test]
fn descriptors_that_were_open_for_writing_are_closed_and_the_standard_ones_stay() {
    let world = world();
    let mut command = world.command("sh");
    let script = "exec 9>> a.txt; exec \"$0\" confine --room . -- sh -c 'cat; echo x >&9'";
    command.args(["-c", script, BATON]).env("BATON_AGENT_ID", "test:bo");
    let ran = Ran::with_input(command, "typed\n");
    assert!(ran.status != 0 && ran.stdout == "typed\n", "{ran:?}");
    assert_eq!(fs::read(world.workspace().join("a.txt")).unwrap(), b"a\n");
}

#[test]
fn setuid_programs_get_no_rights_of_their_own() {
    let ran = confined(&world(), "bo", "grep NoNewPrivs /proc/self/status");
    assert_eq!(ran.stdout, "NoNewPrivs:\t1\n", "{ran:?}");
}

#[test]
fn git_moves_nothing_and_still_tells() {
    let world = world().with_repository();
    world.write("a.txt", "changed\n");
    assert_refused(
        &world,
        &[
            "git checkout -b other",
            "git checkout -- a.txt",
            "git stash",
            "git reset --hard",
            "git add a.txt",
            "git -c user.name=A -c user.email=a@b commit -am x",
            "git worktree add \"$HOME/tree\"",
        ],
    );
    let ran = confined(&world, "bo", "git status --short && git log --format=%s");
    assert_eq!((ran.status, ran.stdout.as_str()), (0, " M a.txt\nfirst\n"), "{ran:?}");
}

#[test]
fn other_working_trees_and_a_git_directory_elsewhere_belong_to_the_room() {
    let world = world().with_repository();
    world.git(&["init", "--quiet", "--separate-git-dir", "../store.git"]);
    world.git(&["worktree", "add", "--quiet", "../tree"]);
    assert_eq!(world.run_as("bo", &["scope", "reserve", "src"]).status, 0);
    assert_refused(
        &world,
        &[
            "echo x > ../tree/a.txt",
            "echo x > ../store.git/HEAD",
            "cd ../tree && git -c user.name=A -c user.email=a@b commit --allow-empty -m x",
        ],
    );
    assert_works(&world, "bo", "echo x > src/lib.rs && echo x > ../tree/src/lib.rs");
    let tree = |file: &str| fs::read(world.root().join("tree").join(file)).unwrap();
    assert_eq!((tree("a.txt"), tree("src/lib.rs")), (b"a\n".to_vec(), b"x\n".to_vec()));
}

#[test]
fn baton_works_in_a_confined_shell_as_the_same_agent_also_with_its_data_in_the_workspace() {
    let world = World::new();
    let data = world.workspace().join(".data");
    let join = |words: &[&str]| {
        let mut command = world.baton(words);
        command.env("BATON_DATA_DIR", &data);
        let ran = Ran::of(command);
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.json()["data"]["agent_id"].clone()
    };
    let outside = join(&["join", "--json"]);
    assert_eq!(join(&["confine", "--room", ".", "--", BATON, "join", "--json"]), outside);
    let mut command = world.baton(&["confine", "--", BATON, "note", "seen"]);
    command.env("BATON_DATA_DIR", &data);
    let ran = Ran::of(command);
    assert_eq!(ran.status, 0, "{ran:?}");
}

#[test]
fn the_command_has_the_process_the_arguments_and_the_exit_status() {
    let world = world();
    assert_eq!(confined(&world, "bo", "exit 7").status, 7);
    let ran = Ran::of(confined_command(&world, "bo", &["printf", "%s|", "--json", "a b", ""]));
    assert_eq!(ran.stdout, "--json|a b||");
    let child = confined_command(&world, "bo", &["sh", "-c", "echo $$"]).stdout(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{pid}\n"));
}

#[test]
fn a_command_that_cannot_be_confined_to_a_room_is_not_run() {
    let world = world();
    let ran_at = world.home().join("ran");
    let touch = |room: &str| {
        let touch = ran_at.to_str().unwrap();
        let ran = world.run_as("bo", &["confine", "--room", room, "--", "touch", touch]);
        assert!(!ran_at.exists(), "{room}: {ran:?}");
        (ran.status, ran.stderr.split(':').next().unwrap().to_owned())
    };
    let elsewhere: PathBuf = world.make_workspace("other");
    assert_eq!(touch(elsewhere.to_str().unwrap()), (4, "unknown_room".to_owned()));
    assert_eq!(touch("room_0000000000000000000000"), (4, "unknown_room".to_owned()));
    assert_eq!(touch("/nowhere"), (4, "path_not_found".to_owned()));
    let ran = world.run_as("bo", &["confine", "--room", ".", "--", "no-such-program"]);
    assert_eq!(ran.status, 4, "{ran:?}");
    assert!(ran.stderr.contains("no-such-program could not be started"), "{ran:?}");
    assert_eq!(world.run_as("bo", &["--json", "confine", "--", "true"]).status, 2);
    let room = world.join_as("bo");
    assert_eq!(world.run_as("bo", &["room", "close"]).status, 0);
    assert_eq!(touch(&room), (3, "room_closed".to_owned()));
}

#[test]
fn modes_times_and_hard_links_from_before_are_not_covered() {
    let world = world();
    fs::hard_link(world.workspace().join("a.txt"), world.home().join("hard")).unwrap();
    assert_works(&world, "bo", "chmod 600 src/lib.rs && touch -d 2001-01-01 src/lib.rs && echo x > \"$HOME/hard\"");
    assert_eq!(fs::read(world.workspace().join("a.txt")).unwrap(), b"x\n");
}
