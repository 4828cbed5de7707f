//! What a job's program prints while it runs: the end of it, in a file of the machine that it runs on.
//!
//! It is no record: it goes when the slice is over, and then all that was printed is kept as a file like others. A runner
//! that was killed leaves it behind; nobody reads it once its turn is over, and the next slice of the job begins it anew.
//! Secrets are taken out on the way in, and once more, over the borders of lines, on the way out.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use baton_core::{ids::RoomId, job::JobId};

use super::{
    files::private_directory,
    keep::{clean, not_written},
};
use crate::{App, Failure};

const FILE_MODE: u32 = 0o600;
/// How long the file may become before its beginning goes.
const MOST_BYTES: usize = 64 * 1024;
/// How much of it stays then.
const KEPT_BYTES: usize = 32 * 1024;
/// Longest part of a line that is kept.
const LINE_BYTES: usize = 4 * 1024;

/// The end of what a program prints, while it does. Dropped, it is gone.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    file: File,
    kept: String,
}

impl App {
    /// Begins to keep the end of what the program of a job prints.
    pub fn begin_tail(&self, room: &RoomId, job: JobId) -> Result<Tail, Failure> {
        let path = self.tail_path(room, job)?;
        Tail::begin(path).map_err(not_written)
    }

    /// The end of what the program of a job has printed, if it runs on this machine.
    pub(crate) fn read_tail(&self, room: &RoomId, job: JobId) -> Result<Option<String>, Failure> {
        match fs::read(self.tail_path(room, job)?) {
            Ok(bytes) => Ok(Some(clean(&String::from_utf8_lossy(&bytes)).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(not_written(error)),
        }
    }

    fn tail_path(&self, room: &RoomId, job: JobId) -> Result<PathBuf, Failure> {
        Ok(self.artifact_files()?.tails().join(format!("{room}-{job}.log")))
    }
}

impl Tail {
    fn begin(path: PathBuf) -> io::Result<Self> {
        private_directory(path.parent().unwrap_or(Path::new(".")))?;
        let file = fresh(&path)?;
        Ok(Self { path, file, kept: String::new() })
    }

    /// Adds a line.
    pub fn push(&mut self, line: &str) -> io::Result<()> {
        // Before it is cut: a part of a secret is not recognised.
        let line = clean(line);
        let end = line.floor_char_boundary(LINE_BYTES);
        let line = format!("{}\n", &line[..end]);
        self.kept.push_str(&line);
        if self.kept.len() <= MOST_BYTES {
            return self.file.write_all(line.as_bytes());
        }
        let begin = self.kept.ceil_char_boundary(self.kept.len() - KEPT_BYTES);
        let begin = self.kept[begin..].find('\n').map_or(begin, |newline| begin + newline + 1);
        self.kept.drain(..begin);
        // Whoever reads meanwhile has the old file or the new one.
        let draft = self.path.with_extension("new");
        self.file = fresh(&draft)?;
        self.file.write_all(self.kept.as_bytes())?;
        fs::rename(&draft, &self.path)
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        // What cannot be removed is not read either, once the turn is over.
        let _ = fs::remove_file(&self.path);
    }
}

fn fresh(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(FILE_MODE).open(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_the_end_is_kept_by_whole_lines_and_it_is_gone_in_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tails/room-JOB-001.log");
        let mut tail = Tail::begin(path.clone()).unwrap();
        for number in 0..20_000 {
            tail.push(&format!("line {number} €")).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.len() <= MOST_BYTES && text.len() >= KEPT_BYTES / 2, "{}", text.len());
        assert!(text.starts_with("line ") && text.ends_with("line 19999 €\n"), "{}", &text[..40]);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, FILE_MODE);
        drop(tail);
        assert!(!path.exists());
    }

    #[test]
    fn a_line_without_end_is_cut_and_secrets_are_taken_out() {
        let directory = tempfile::tempdir().unwrap();
        let mut tail = Tail::begin(directory.path().join("t.log")).unwrap();
        tail.push(&"€".repeat(10_000)).unwrap();
        tail.push("password=hunter2hunter2").unwrap();
        let text = fs::read_to_string(&tail.path).unwrap();
        assert!(text.len() < 2 * LINE_BYTES && !text.contains("hunter2"), "{}", text.len());
    }
}
