//! Longer texts: as they are given, from a file, or from standard input.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use baton_app::Failure;
use baton_core::{code::ErrorCode, limits};

/// A text that a command takes.
pub(crate) struct Text {
    /// What a refusal calls it.
    pub(crate) field: &'static str,
    /// How much of it is accepted.
    pub(crate) most_bytes: usize,
    /// The code of a refusal.
    pub(crate) code: ErrorCode,
    /// The code of a refusal of more than that.
    pub(crate) code_too_long: ErrorCode,
}

/// What a card, a plan or a part of the map says at length.
const BODY: Text = Text::of("text", limits::CARD_BYTES, ErrorCode::InvalidInput);

/// A text of its own, or that of a file.
#[derive(Debug, clap::Args)]
#[group(id = "body", multiple = false)]
pub(crate) struct BodyArgs {
    /// What there is to say, in full; `-` is standard input
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// A file that says it; `-` is standard input
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl BodyArgs {
    pub(crate) fn read(&self) -> Result<String, Failure> {
        match (&self.text, &self.file) {
            (Some(text), _) => BODY.given(text.clone()),
            (None, Some(file)) => BODY.of_file(file),
            (None, None) => Ok(String::new()),
        }
    }
}

impl Text {
    /// A text whose every refusal has the same code.
    pub(crate) const fn of(field: &'static str, most_bytes: usize, code: ErrorCode) -> Self {
        Self { field, most_bytes, code, code_too_long: code }
    }

    /// The text as it was given; `-` is what standard input has.
    pub(crate) fn given(&self, text: String) -> Result<String, Failure> {
        if text == "-" { self.read(io::stdin().lock(), "standard input") } else { Ok(text) }
    }

    /// What a file has; `-` is standard input. One line break at its end is the shell's, or the editor's.
    pub(crate) fn of_file(&self, file: &Path) -> Result<String, Failure> {
        if file.as_os_str() == "-" {
            return self.read(io::stdin().lock(), "standard input");
        }
        let (opened, shown) = self.open(file)?;
        self.read(opened, &shown)
    }

    /// All that a file has, to the last line break; `-` is standard input.
    pub(crate) fn whole_file(&self, file: &Path) -> Result<String, Failure> {
        if file.as_os_str() == "-" {
            return self.read_all(io::stdin().lock(), "standard input");
        }
        let (opened, shown) = self.open(file)?;
        self.read_all(opened, &shown)
    }

    fn open(&self, file: &Path) -> Result<(fs::File, String), Failure> {
        let shown = file.display().to_string();
        match fs::File::open(file) {
            Ok(opened) => Ok((opened, shown)),
            Err(error) => Err(self.unreadable(&shown, &error)),
        }
    }

    /// Reads a text without the line break at its end.
    fn read(&self, from: impl Read, shown: &str) -> Result<String, Failure> {
        let mut bytes = self.bytes(from, shown)?;
        if bytes.ends_with(b"\n") {
            bytes.pop();
        }
        self.accepted(bytes, shown)
    }

    fn read_all(&self, from: impl Read, shown: &str) -> Result<String, Failure> {
        let bytes = self.bytes(from, shown)?;
        self.accepted(bytes, shown)
    }

    /// One byte and a line break more than is accepted, so that what is too long is known and not cut.
    fn bytes(&self, from: impl Read, shown: &str) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let read = from.take(self.most_bytes as u64 + 2).read_to_end(&mut bytes);
        read.map_err(|error| self.unreadable(shown, &error))?;
        Ok(bytes)
    }

    fn accepted(&self, bytes: Vec<u8>, shown: &str) -> Result<String, Failure> {
        if bytes.len() > self.most_bytes {
            let failure = self.invalid(format!("is too long; at most {} bytes are accepted", self.most_bytes));
            return Err(Failure { code: self.code_too_long, ..failure });
        }
        String::from_utf8(bytes).map_err(|_| self.invalid(format!("from {shown} is not UTF-8 text")))
    }

    fn unreadable(&self, shown: &str, error: &io::Error) -> Failure {
        self.invalid(format!("could not be read from {shown}: {error}"))
    }

    fn invalid(&self, why: String) -> Failure {
        Failure::new(self.code, format!("{} {why}.", self.field)).with("field", self.field)
    }
}
