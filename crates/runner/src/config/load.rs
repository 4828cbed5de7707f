//! Finding the file, and trusting it.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::process::geteuid;
use toml_edit::{Document, TomlError};

use super::{Config, ConfigError, Fault, reader::Reader};

/// More than anybody configures.
const FILE_BYTES: u64 = 256 * 1024;
const WRITABLE_BY_GROUP_OR_OTHERS: u32 = 0o022;
const WRITABLE_BY_OTHERS: u32 = 0o002;
/// In such a directory nobody can replace another's file.
const STICKY: u32 = 0o1000;

/// What the environment says about where the file is.
#[derive(Clone, Copy, Debug)]
pub struct Whereabouts<'a> {
    /// `BATON_CONFIG`.
    pub chosen: Option<&'a OsStr>,
    /// `XDG_CONFIG_HOME`.
    pub config_home: Option<&'a OsStr>,
    /// The user's home.
    pub home: Option<&'a Path>,
    /// Where the process was started.
    pub cwd: &'a Path,
}

impl Whereabouts<'_> {
    /// The file. None when nothing says where it could be.
    pub fn path(&self) -> Option<PathBuf> {
        if let Some(chosen) = self.chosen {
            return Some(self.cwd.join(chosen));
        }
        // The XDG specification: a relative path is invalid and must be ignored.
        let directory = match self.config_home.map(Path::new).filter(|directory| directory.is_absolute()) {
            Some(directory) => directory.to_owned(),
            None => self.home?.join(".config"),
        };
        Some(directory.join("baton/config.toml"))
    }

    /// The user's own roles: the directory `roles` beside the file.
    pub fn roles(&self) -> Option<PathBuf> {
        Some(self.path()?.parent()?.join("roles"))
    }
}

impl Config {
    /// Reads the configuration. Without a file it is empty, unless a file was asked for.
    pub fn load(whereabouts: Whereabouts<'_>) -> Result<Self, ConfigError> {
        let Some(path) = whereabouts.path() else { return Ok(Self::default()) };
        let fault = match read(&path) {
            Ok(text) => match Self::parse(&text) {
                Ok(config) => return Ok(config),
                Err(fault) => fault,
            },
            Err(Unread::Missing) if whereabouts.chosen.is_none() => return Ok(Self::default()),
            Err(Unread::Missing) => Fault::Unreadable("there is no such file".to_owned()),
            Err(Unread::Fault(fault)) => fault,
        };
        Err(ConfigError { path, fault })
    }

    /// Reads a configuration from text.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let document: Document<_> =
            text.parse().map_err(|error: TomlError| Fault::NotToml(error.to_string().trim_end().to_owned()))?;
        Self::read(Reader::of(document.as_table()))
    }
}

enum Unread {
    Missing,
    Fault(Fault),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Fault(Fault::Unreadable(error.to_string())),
        }
    }
}

fn read(path: &Path) -> Result<String, Unread> {
    // What was opened is what is looked at and what is read, whatever becomes of its name.
    let file = File::open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(Unread::Fault(Fault::Unreadable("it is no file".to_owned())));
    }
    let distrust = |why: &str| Err(Unread::Fault(Fault::Untrusted(why.to_owned())));
    if about.mode() & WRITABLE_BY_GROUP_OR_OTHERS != 0 {
        return distrust("others may write it");
    }
    if about.uid() != geteuid().as_raw() && about.uid() != 0 {
        return distrust("it belongs to somebody else");
    }
    let directory = path.parent().map(Path::metadata).transpose()?;
    if directory.is_some_and(|about| about.mode() & WRITABLE_BY_OTHERS != 0 && about.mode() & STICKY == 0) {
        return distrust("others may replace it, as they may write its directory");
    }
    let mut text = String::new();
    let read = file.take(FILE_BYTES + 1).read_to_string(&mut text)?;
    if read as u64 > FILE_BYTES {
        return Err(Unread::Fault(Fault::Unreadable(format!("it has more than {FILE_BYTES} bytes"))));
    }
    Ok(text)
}
