//! Runners that are real `baton run` processes, and the programs that they drive.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::ffi::OsStrExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use baton_cluster::processes::Process;
use baton_testkit::script;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{
    World,
    world::{BATON, PATIENCE},
};

/// What every program can do: run Baton, answer, and make something that proves its job, whose ref is printed.
const PREAMBLE: &str = r#"#!/bin/sh
set -eu
baton() { "BATON" "$@"; }
answer() { printf '{"status":"%s","summary":"%s","refs":[%s]}\n' "$1" "$2" "${3:-}"; }
prove() { baton card create "It holds" --kind evidence --text "I stood on it." --json | sed 's/.*"card":"\([^"]*\)".*/\1/'; }
here='ROOT'
"#;

/// A runner, and what it said so far.
pub(crate) struct Runner {
    child: Child,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl World {
    /// Writes the user's own configuration.
    pub(crate) fn configure(&self, text: &str) {
        let directory = self.home().join(".config/baton");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("config.toml"), text).unwrap();
    }

    /// Has runners drive a shell script. `$here` is the world's own directory, `baton` the program under test, and
    /// `answer STATUS SUMMARY REFS` the end of a slice.
    pub(crate) fn drives(&self, text: &str) {
        let preamble = PREAMBLE.replace("BATON", BATON).replace("ROOT", &self.root().display().to_string());
        let program = self.root().join("program");
        script(&program, &format!("{preamble}{text}\n"));
        self.configure(&format!("[executors.command]\nargv = [{:?}]\n", program.display().to_string()));
    }

    /// Has runners drive a script for one job that keeps its n-th prompt in `$here/prompt-N` and plays the n-th of
    /// `slices`, or the last.
    pub(crate) fn plays(&self, slices: &[&str]) {
        let (last, first) = slices.split_last().unwrap();
        let arms: String = first.iter().zip(1..).map(|(slice, number)| format!("{number}) {slice} ;;\n")).collect();
        self.drives(&format!(
            r#"n=$(( $(cat "$here/slices" 2>/dev/null || echo 0) + 1 ))
echo $n > "$here/slices"
cat > "$here/prompt-$n"
case $n in
{arms}*) {last} ;;
esac"#
        ));
    }

    /// The prompt of a slice of a program that [`plays`](Self::plays).
    pub(crate) fn prompt(&self, slice: u32) -> String {
        fs::read_to_string(self.root().join(format!("prompt-{slice}"))).unwrap()
    }

    /// How many slices it was started for.
    pub(crate) fn slices(&self) -> u32 {
        fs::read_to_string(self.root().join("slices")).map_or(0, |text| text.trim().parse().unwrap())
    }

    /// A named pipe in the world's own directory. Who opens one end waits for the other.
    pub(crate) fn pipe(&self, name: &str) -> Pipe {
        let path = self.root().join(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        Pipe(path)
    }

    /// Delegates a job to the configured command, and tells its name.
    pub(crate) fn delegate(&self, arguments: &[&str]) -> String {
        let common = ["job", "create", "Mend the roof", "--prompt", "It rains in.", "--executor", "command", "--json"];
        let ran = self.run_as("ana", &[&common, arguments].concat());
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.json()["data"]["job"].as_str().unwrap().to_owned()
    }

    /// A job and all its events, oldest first.
    pub(crate) fn job(&self, job: &str) -> (Value, Vec<Value>) {
        let mut opened = self.data_of(&["job", "open", job, "--events", "200"]);
        let Value::Array(mut events) = opened["events"].take() else { panic!("{opened}") };
        events.reverse();
        (opened["job"].take(), events)
    }

    /// What kinds of events a job has, oldest first.
    pub(crate) fn kinds(&self, job: &str) -> Vec<String> {
        self.job(job).1.iter().map(|event| event["kind"].as_str().unwrap().to_owned()).collect()
    }

    /// Something that somebody else made: `CARD-1`, for the first one.
    pub(crate) fn evidence(&self) -> String {
        let (mut agent, _) = self.server("witness");
        let card = json!({ "kind": "evidence", "title": "It holds", "text": "I stood on it." });
        agent.ok("tasks", json!({ "op": "card.create", "args": card }))["card"].as_str().unwrap().to_owned()
    }

    /// A runner of the workspace's room.
    pub(crate) fn runner(&self, arguments: &[&str]) -> Runner {
        Runner::start(self.baton(&[&["run"], arguments].concat()))
    }

    /// Has a runner work on one job, and tells what it said when it has ended.
    pub(crate) fn run_once(&self) -> String {
        self.runner(&["--once"]).ends()
    }

    /// The processes that run in this world, each with its number and command line.
    pub(crate) fn processes(&self) -> Vec<(String, Process)> {
        let root = self.root();
        let root = root.as_os_str().as_bytes();
        let pids =
            fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let ours = |pid: i32| {
            let process = Process::open(Pid::from_raw(pid)?).ok()?;
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?.replace('\0', " ");
            let line = format!("{pid} {line}");
            environment.windows(root.len()).any(|window| window == root).then_some((line, process))
        };
        pids.filter_map(ours).collect()
    }

    /// Whether runners have left something behind where their children work.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let entries = |directory: &str| fs::read_dir(self.data().join(directory)).into_iter().flatten();
        entries("slices").chain(entries("worktrees")).map(|entry| entry.unwrap().path()).collect()
    }
}

impl Runner {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { child, lines, said: Vec::new() }
    }

    /// Waits until it has said something with these words in it.
    pub(crate) fn says(&mut self, words: &str) {
        while !self.said.iter().any(|line| line.contains(words)) {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.said.push(line),
                Err(_) => panic!("it never said {words:?}, but:\n{}", self.said.join("\n")),
            }
        }
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Stops it (SIGSTOP) where it holds up nobody.
    pub(crate) fn stop(&self, world: &World) {
        world.place().stop_between_transactions(Pid::from_child(&self.child));
    }

    /// Kills it with SIGKILL, and collects it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end, which must be a good one, and gives all that it said.
    pub(crate) fn ends(mut self) -> String {
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.said.push(line);
        }
        let said = self.said.join("\n");
        assert!(self.child.wait().unwrap().success(), "{said}");
        assert!(!said.contains("panicked"), "{said}");
        said
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A named pipe, by which a program says where it is and is told to go on.
pub(crate) struct Pipe(PathBuf);

impl Pipe {
    /// Waits until somebody has written to it and closed it.
    pub(crate) fn read(&self) -> String {
        let path = self.0.clone();
        in_time(move || fs::read_to_string(path).unwrap())
    }

    /// Waits until somebody reads it, and writes.
    pub(crate) fn write(&self, text: &str) {
        let (path, text) = (self.0.clone(), text.to_owned());
        in_time(move || fs::write(path, text).unwrap());
    }

    /// Waits for a line each of several, and takes hold of the processes that they name.
    pub(crate) fn processes(&self, count: usize) -> Vec<(String, Process)> {
        let path = self.0.clone();
        let pids = in_time(move || {
            let mut pids: Vec<String> = Vec::new();
            while pids.len() < count {
                let mut text = String::new();
                fs::File::open(&path).unwrap().read_to_string(&mut text).unwrap();
                pids.extend(text.lines().map(str::to_owned));
            }
            pids
        });
        let hold = |pid: String| {
            let process = Process::open(Pid::from_raw(pid.parse().unwrap()).unwrap()).unwrap();
            (pid, process)
        };
        pids.into_iter().map(hold).collect()
    }
}

/// Does something that waits for another process, which may never come.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = channel();
    thread::spawn(move || done.send(work()));
    result.recv_timeout(PATIENCE).expect("nobody came to the other end of the pipe")
}

/// Whether a process that was held has ended by now or soon.
pub(crate) fn is_gone(process: &Process) -> bool {
    process.ends_within(Duration::from_secs(20)).unwrap()
}
