//! Reading a file that was kept.

use baton_core::{code::ErrorCode, library::Artifact};

use super::files::Found;
use crate::{App, Failure, liveness};

/// As much of a file as was asked for, or where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It is here.
    Here {
        /// Where in the file this begins.
        from: u64,
        /// How much of the file this is.
        bytes: u64,
        /// The text. Where a character was cut in two it is left out.
        text: String,
    },
    /// Another machine keeps it.
    Elsewhere {
        /// Which.
        host: String,
    },
    /// It was kept here, and is gone or has been changed.
    Lost,
    /// It was given up, because nothing pointed to it any more.
    Dropped,
}

/// All of a file, or where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    /// Its content.
    Here(Vec<u8>),
    /// Another machine keeps it.
    Elsewhere {
        /// The machine.
        host: String,
    },
    /// It was kept here, and is gone or has been changed.
    Lost,
    /// It was given up, because nothing pointed to it any more.
    Dropped,
}

impl App {
    /// Reads up to `most` bytes of a file from `from`; a negative number counts from its end. The whole file is compared
    /// with its hash first: what is in it is what was kept.
    pub fn read_artifact(&self, artifact: &Artifact, from: i64, most: usize) -> Result<Shown, Failure> {
        let start = match u64::try_from(from) {
            Ok(from) => from.min(artifact.bytes),
            Err(_) => artifact.bytes.saturating_sub(from.unsigned_abs()),
        };
        if artifact.dropped_at.is_some() {
            return Ok(Shown::Dropped);
        }
        Ok(match self.find_content(artifact)? {
            Found::Whole(content) => {
                let rest = &content[start as usize..];
                whole_characters(start, &rest[..rest.len().min(most)])
            }
            Found::Changed => Shown::Lost,
            Found::Nowhere if liveness::this_host() == Some(&artifact.host) => Shown::Lost,
            Found::Nowhere => Shown::Elsewhere { host: artifact.host.clone() },
        })
    }

    /// Reads all of a file, to the byte.
    pub(crate) fn read_whole_artifact(&self, artifact: &Artifact) -> Result<Whole, Failure> {
        if artifact.dropped_at.is_some() {
            return Ok(Whole::Dropped);
        }
        Ok(match self.find_content(artifact)? {
            Found::Whole(content) => Whole::Here(content),
            Found::Changed => Whole::Lost,
            Found::Nowhere if liveness::this_host() == Some(&artifact.host) => Whole::Lost,
            Found::Nowhere => Whole::Elsewhere { host: artifact.host.clone() },
        })
    }

    /// What this machine has of a file.
    pub(super) fn find_content(&self, artifact: &Artifact) -> Result<Found, Failure> {
        self.artifact_files()?
            .read(&artifact.sha256, artifact.bytes)
            .map_err(|error| Failure::new(ErrorCode::StoreUnavailable, format!("The file could not be read: {error}.")))
    }
}

/// The characters that are whole: a part of a text may begin or end within one. A patch need not be UTF-8; where it is not, it
/// is marked so.
fn whole_characters(start: u64, content: &[u8]) -> Shown {
    let is_inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let skipped = content.iter().take(3).take_while(is_inside).count();
    let rest = &content[skipped..];
    let cut = rest.utf8_chunks().last().map_or(0, |last| match last.invalid() {
        broken if is_beginning(broken) => broken.len(),
        _ => 0,
    });
    let rest = &rest[..rest.len() - cut];
    let text = String::from_utf8_lossy(rest).into_owned();
    Shown::Here { from: start + skipped as u64, bytes: rest.len() as u64, text }
}

/// Whether some bytes are the beginning of a character, whose end was cut off.
fn is_beginning(bytes: &[u8]) -> bool {
    !bytes.is_empty() && std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_was_cut_in_two_is_left_out() {
        let text = "a€b€";
        let here = |from, bytes, text: &str| Shown::Here { from, bytes, text: text.to_owned() };
        assert_eq!(whole_characters(0, text.as_bytes()), here(0, 8, text));
        assert_eq!(whole_characters(2, &text.as_bytes()[2..7]), here(4, 1, "b"));
        assert_eq!(whole_characters(9, b""), here(9, 0, ""));
    }

    #[test]
    fn bytes_that_are_no_text_are_marked_and_what_follows_is_shown() {
        let here = |from, bytes, text: &str| Shown::Here { from, bytes, text: text.to_owned() };
        assert_eq!(whole_characters(0, b"a\xffb\xe2\x82"), here(0, 3, "a\u{fffd}b"));
        assert_eq!(whole_characters(0, b"a\xff"), here(0, 2, "a\u{fffd}"));
    }
}
