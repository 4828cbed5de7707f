//! The yardstick for waking: a bare inotify watch on a file, and a write to it.
//!
//! Every watcher wakes at every ring and looks who is meant; only that one answers. It is what a room's waiters do,
//! without a room.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    mem::MaybeUninit,
    os::{fd::AsFd, unix::fs::FileExt},
    path::{Path, PathBuf},
    process::{Child, ChildStdout},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::inotify,
};

use crate::{helpers, trouble::Outcome};

/// A bell and the processes that watch it.
pub(crate) struct Bell {
    file: File,
    watchers: Vec<(Child, ChildStdout)>,
}

impl Bell {
    /// Hangs a bell at `path`, with `watchers` processes.
    pub(crate) fn hang(path: PathBuf, watchers: u8) -> Outcome<Self> {
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        file.write_all_at(&[u8::MAX], 0)?;
        let start = |number: u8| {
            let mut command = helpers::command("helper-watch")?;
            command.arg(&path).arg(number.to_string());
            helpers::start(command)
        };
        let watchers = (0..watchers).map(start).collect::<Outcome<Vec<_>>>()?;
        Ok(Self { file, watchers })
    }

    /// Rings for one watcher and waits for its answer.
    pub(crate) fn ring(&mut self, number: u8) -> Outcome<Duration> {
        let (_, stdout) = self.watchers.get_mut(usize::from(number)).ok_or("there is no such watcher")?;
        let mut answer = [0; 1];
        let started = Instant::now();
        self.file.write_all_at(&[number], 0)?;
        stdout.read_exact(&mut answer)?;
        Ok(started.elapsed())
    }
}

impl Drop for Bell {
    /// Lets the watchers go, and leaves no child behind.
    fn drop(&mut self) {
        for (watcher, _) in &mut self.watchers {
            watcher.stdin = None;
            let _ = watcher.wait();
        }
    }
}

/// The helper: one watcher.
pub(crate) fn watch(words: &[String]) -> Outcome<()> {
    let [path, number] = words else { return Err("a watcher needs a path and a number".into()) };
    let number: u8 = number.parse()?;
    let file = File::open(Path::new(path))?;
    let watch = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK)?;
    inotify::add_watch(&watch, path.as_str(), inotify::WatchFlags::MODIFY)?;
    helpers::ready()?;
    let (stdin, mut stdout) = (io::stdin(), io::stdout());
    loop {
        let mut fds = [PollFd::new(&watch, PollFlags::IN), PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
        poll(&mut fds, None)?;
        if !fds[1].revents().is_empty() {
            return Ok(());
        }
        let mut buffer = [MaybeUninit::uninit(); 1024];
        let mut events = inotify::Reader::new(&watch, &mut buffer);
        while events.next().is_ok() {}
        let mut meant = [0; 1];
        file.read_exact_at(&mut meant, 0)?;
        if meant == [number] {
            stdout.write_all(&meant)?;
            stdout.flush()?;
        }
    }
}
