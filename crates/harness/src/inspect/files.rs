//! Reading files that may be anybody's: regular ones, within a bound.
//!
//! A repository can hold a link to a device that never ends.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use jsonc_parser::ParseOptions;
use serde_json::Value;
use toml_edit::Document;

use crate::install::{InstallError, json_edit};

/// Real configurations have some kilobytes; Claude Code's own grows to a few megabytes.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The text of a regular file, if there is one.
pub(super) fn read(path: &Path) -> Result<Option<String>, InstallError> {
    let failed = |source| InstallError::Io { doing: "read", path: path.to_owned(), source };
    match fs::metadata(path) {
        Ok(data) if data.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(error)),
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(failed(io::Error::other("it is too large for a configuration")));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| InstallError::NotText { path: path.to_owned() })
}

/// A configuration in JSON; null where it says nothing that can be read. Its program ignores such a file too, or says so.
pub(crate) fn read_json(path: &Path) -> Value {
    let text = read(path).ok().flatten().unwrap_or_default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    json_edit::value_of(text, &ParseOptions::default()).ok().flatten().unwrap_or_default()
}

/// A configuration in TOML, looked at with `look`; nothing where it cannot be read.
pub(crate) fn read_toml<T>(path: &Path, look: impl FnOnce(&toml_edit::Table) -> Option<T>) -> Option<T> {
    let text = read(path).ok().flatten()?;
    let document = Document::parse(text.as_str()).ok()?;
    look(document.as_table())
}
