//! What the process was started with: variables, working directory, home. Read once, here and nowhere else.
//!
//! Everything else takes an [`Environment`], so a test says what it is instead of changing it. An empty variable
//! counts as unset. Variables that are not UTF-8 are kept, because a path may legitimately be one.
#![expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use baton_core::code::ErrorCode;
use baton_store::{Address, Hints, Location, Secret, StoreError};

use crate::Failure;

/// The surroundings of the process, as they were when it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    vars: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
}

/// Whose conventions for directories apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux and macOS, which share `~/.local/share` on purpose.
    Unix,
    /// Windows.
    Windows,
}

impl Platform {
    /// The one this program was built for.
    pub const fn here() -> Self {
        if cfg!(windows) { Self::Windows } else { Self::Unix }
    }
}

impl Environment {
    /// Reads the environment of this process.
    pub fn read() -> Self {
        let vars: BTreeMap<_, _> = std::env::vars_os().collect();
        // A working directory that was deleted has no path. The shell's word for it, or none at all, then fails
        // where a path is resolved, with a message that names it.
        let shell_cwd = || vars.get(OsStr::new("PWD")).map_or_else(|| PathBuf::from("."), PathBuf::from);
        let cwd = std::env::current_dir().unwrap_or_else(|_| shell_cwd());
        Self { vars, cwd }
    }

    /// An environment made up by a test.
    pub fn of<K: Into<OsString>, V: Into<OsString>>(
        vars: impl IntoIterator<Item = (K, V)>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        Self { vars: vars.into_iter().map(|(name, value)| (name.into(), value.into())).collect(), cwd: cwd.into() }
    }

    /// The value of a variable that is set, not empty, and text.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.var_os(name)?.to_str()
    }

    /// The value of a variable that is set and not empty.
    pub fn var_os(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Every variable that is set and not empty, by name.
    pub fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
            .filter(|(_, value)| !value.is_empty())
    }

    /// Where the process was started.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The user's home directory.
    pub fn home(&self) -> Option<&Path> {
        self.home_on(Platform::here())
    }

    /// The user's name, where the environment tells it.
    pub fn user(&self) -> Option<&str> {
        ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|name| self.var(name))
    }

    /// Where the store is: what was asked for, else BATON_STORE, else the data directory.
    pub fn store_location(&self, asked: Option<&str>) -> Result<Location, Failure> {
        match self.store_text(asked)? {
            Some(text) => Ok(Location::parse(&text, &self.cwd, &self.postgres_hints())?),
            None => Ok(Location::Directory(self.data_dir()?)),
        }
    }

    /// What names the store, if something does: what was asked for where one stands, else BATON_STORE.
    fn store_text(&self, asked: Option<&str>) -> Result<Option<String>, Failure> {
        let text = match (asked, self.var("BATON_STORE")) {
            (Some(text), _) => text,
            (None, Some(url)) if url.contains("://") => url,
            (None, Some(_)) => return Ok(self.directory_in("BATON_STORE", Platform::here())?.map(in_words)),
            (None, None) => return Ok(None),
        };
        Ok(Some(self.in_home(OsStr::new(text), Platform::here()).map_or_else(|| text.to_owned(), in_words)))
    }

    /// The directory that a variable names. It is the same wherever one stands, or refused: else each directory that a
    /// command is run in would have a store of its own, and agents would never meet.
    fn directory_in(&self, variable: &'static str, platform: Platform) -> Result<Option<PathBuf>, Failure> {
        let Some(given) = self.var_os(variable) else { return Ok(None) };
        if is_absolute(given, platform) {
            return Ok(Some(PathBuf::from(given)));
        }
        self.in_home(given, platform).map(Some).ok_or_else(|| {
            let message = format!(
                "{variable} is {given:?}, which would be another store in every directory that Baton is called from."
            );
            Failure::new(ErrorCode::StoreUnavailable, message)
                .with("variable", variable)
                .advising(format!("Set {variable} to a path that begins with / or ~/."))
        })
    }

    /// `~` and what begins with `~/`, in the user's home.
    fn in_home(&self, given: &OsStr, platform: Platform) -> Option<PathBuf> {
        let home = self.home_on(platform)?;
        match given.as_encoded_bytes() {
            b"~" => Some(home.to_owned()),
            [b'~', b'/', ..] => Some(join(home, Path::new(given).strip_prefix("~").ok()?, platform)),
            _ => None,
        }
    }

    /// The same store as a child is told of it: a text that shows no password, and where there is one the content of a
    /// password file of Postgres that holds it.
    pub fn store_for_child(&self, asked: Option<&str>) -> Result<(String, Option<Vec<u8>>), Failure> {
        let in_variable = || self.postgres_hints().password;
        let (place, password) = match self.store_text(asked)? {
            Some(url) if url.contains("://") => {
                let parted = Address::without_password(&url);
                let (place, password) = parted.map_err(|error| StoreError::BadAddress { detail: error.to_string() })?;
                (place, password.or_else(in_variable))
            }
            Some(directory) => (self.cwd.join(directory).display().to_string(), None),
            None => (self.data_dir()?.display().to_string(), None),
        };
        let unfit = || {
            Failure::new(
                ErrorCode::StoreUnavailable,
                "The store's password has a line break, which no password file can hold.",
            )
            .advising("Give the database's role another password.")
        };
        let file = password.map(|password| password.as_password_file().ok_or_else(unfit)).transpose()?;
        Ok((place, file))
    }

    /// What Postgres' own programs take from the environment.
    fn postgres_hints(&self) -> Hints {
        let in_home = |path: &str| self.home().map(|home| home.join(path));
        Hints {
            user: self.var("PGUSER").or_else(|| self.user()).map(str::to_owned),
            password: self.var_os("PGPASSWORD").map(|password| Secret::new(password.as_encoded_bytes())),
            password_file: self.var_os("PGPASSFILE").map(PathBuf::from).or_else(|| in_home(".pgpass")),
            root_certificates: self
                .var_os("PGSSLROOTCERT")
                .map(PathBuf::from)
                .or_else(|| in_home(".postgresql/root.crt")),
        }
    }

    /// The directory in which Baton keeps its store.
    pub fn data_dir(&self) -> Result<PathBuf, Failure> {
        self.data_dir_on(Platform::here())
    }

    /// The same, by the conventions of a given platform.
    pub fn data_dir_on(&self, platform: Platform) -> Result<PathBuf, Failure> {
        for variable in ["BATON_DATA_DIR", "TALKING_STICK_DATA_DIR"] {
            if let Some(chosen) = self.directory_in(variable, platform)? {
                return Ok(chosen);
            }
        }
        let unset = |missing: &str| {
            Failure::new(ErrorCode::StoreUnavailable, format!("There is no data directory: {missing} is not set."))
                .advising("Set BATON_DATA_DIR to a directory that Baton may create.")
        };
        match platform {
            Platform::Unix => {
                // The XDG specification: a relative path is invalid and must be ignored.
                let shared = self.var_os("XDG_DATA_HOME").filter(|dir| is_absolute(dir, platform));
                match (shared, self.home_on(platform)) {
                    (Some(shared), _) => Ok(join(shared, "baton", platform)),
                    (None, Some(home)) => Ok(join(home, ".local/share/baton", platform)),
                    (None, None) => Err(unset("HOME")),
                }
            }
            Platform::Windows => {
                let roaming = self.var_os("APPDATA").ok_or_else(|| unset("APPDATA"))?;
                Ok(join(roaming, "baton", platform))
            }
        }
    }

    fn home_on(&self, platform: Platform) -> Option<&Path> {
        let name = match platform {
            Platform::Unix => "HOME",
            Platform::Windows => "USERPROFILE",
        };
        self.var_os(name).filter(|home| is_absolute(home, platform)).map(Path::new)
    }
}

fn in_words(path: PathBuf) -> String {
    path.display().to_string()
}

/// `Path::is_absolute` knows only the platform it was built for.
fn is_absolute(path: &OsStr, platform: Platform) -> bool {
    let bytes = path.as_encoded_bytes();
    match (platform, bytes) {
        (Platform::Unix, [b'/', ..]) => true,
        (Platform::Windows, [drive, b':', b'\\' | b'/', ..]) => drive.is_ascii_alphabetic(),
        (Platform::Windows, [b'\\', b'\\', ..]) => true,
        (Platform::Unix | Platform::Windows, _) => false,
    }
}

/// `Path::join` knows only the platform it was built for.
fn join(base: impl AsRef<OsStr>, rest: impl AsRef<OsStr>, platform: Platform) -> PathBuf {
    let separator = match platform {
        Platform::Unix => "/",
        Platform::Windows => "\\",
    };
    let mut joined = base.as_ref().to_owned();
    if !joined.as_encoded_bytes().ends_with(separator.as_bytes()) {
        joined.push(separator);
    }
    joined.push(rest);
    joined.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Platform, variables, expected directory or failure.
    type Case<'a> = (Platform, &'a [(&'a str, &'a str)], &'a str);

    fn resolved(platform: Platform, vars: &[(&str, &str)]) -> String {
        let cwd = match platform {
            Platform::Unix => "/srv/dir",
            Platform::Windows => r"C:\work",
        };
        match Environment::of(vars.iter().copied(), cwd).data_dir_on(platform) {
            Ok(dir) => dir.display().to_string(),
            Err(failure) => failure.to_string(),
        }
    }

    #[test]
    fn database_path_resolution_across_platforms_and_with_talking_stick_data_dir_set() {
        use Platform::{Unix, Windows};
        let home = ("HOME", "/home/ana");
        let appdata = ("APPDATA", r"C:\Users\ana\AppData\Roaming");
        let cases: [Case<'_>; 14] = [
            (Unix, &[home], "/home/ana/.local/share/baton"),
            (Unix, &[home, ("XDG_DATA_HOME", "/data")], "/data/baton"),
            (Unix, &[home, ("XDG_DATA_HOME", "/data/")], "/data/baton"),
            (Unix, &[home, ("XDG_DATA_HOME", "relative")], "/home/ana/.local/share/baton"),
            (Unix, &[home, ("XDG_DATA_HOME", "")], "/home/ana/.local/share/baton"),
            (Unix, &[home, ("XDG_DATA_HOME", "/data"), ("TALKING_STICK_DATA_DIR", "/stick")], "/stick"),
            (Unix, &[home, ("TALKING_STICK_DATA_DIR", "~/stick/of/mine")], "/home/ana/stick/of/mine"),
            (Unix, &[home, ("BATON_DATA_DIR", "~")], "/home/ana"),
            (Unix, &[("TALKING_STICK_DATA_DIR", "/stick"), ("BATON_DATA_DIR", "/baton")], "/baton"),
            (Unix, &[("TALKING_STICK_DATA_DIR", "/stick"), ("BATON_DATA_DIR", "")], "/stick"),
            (Unix, &[], "store_unavailable: There is no data directory: HOME is not set."),
            (Windows, &[appdata], r"C:\Users\ana\AppData\Roaming\baton"),
            (Windows, &[appdata, ("TALKING_STICK_DATA_DIR", r"D:\stick")], r"D:\stick"),
            (Windows, &[home], "store_unavailable: There is no data directory: APPDATA is not set."),
        ];
        for (platform, vars, expected) in cases {
            assert_eq!(resolved(platform, vars), expected, "{platform:?} {vars:?}");
        }
    }

    #[test]
    fn a_variable_never_names_another_store_in_another_directory() {
        let directory = |environment: &Environment, asked| match environment.store_location(asked).unwrap() {
            Location::Directory(directory) => directory,
            Location::Postgres(_) => panic!("no server was named"),
        };
        for variable in ["BATON_DATA_DIR", "TALKING_STICK_DATA_DIR", "BATON_STORE"] {
            for relative in ["here", "./here", "..", "~ana/here", "~here"] {
                let environment = Environment::of([("HOME", "/home/ana"), (variable, relative)], "/srv/dir");
                let refused = environment.store_location(None).unwrap_err();
                assert_eq!(refused.code, ErrorCode::StoreUnavailable, "{variable}={relative}");
                assert!(refused.message.contains(variable) && refused.next.contains("~/"), "{refused}");
                assert_eq!(environment.store_for_child(None).unwrap_err().code, ErrorCode::StoreUnavailable);
            }
            let environment = Environment::of([("HOME", "/home/ana"), (variable, "~/b")], "/srv/dir");
            assert_eq!(directory(&environment, None), Path::new("/home/ana/b"));
            assert_eq!(environment.store_for_child(None).unwrap().0, "/home/ana/b");
        }
        let environment = Environment::of([("HOME", "/home/ana")], "/srv/dir");
        assert_eq!(directory(&environment, Some("here")), Path::new("/srv/dir/here"));
        assert_eq!(directory(&environment, Some("~/b")), Path::new("/home/ana/b"));
    }

    #[test]
    fn a_child_is_told_of_the_store_without_its_password() {
        let told = |vars: &[(&str, &str)], asked: Option<&str>| {
            let told = Environment::of(vars.iter().copied(), "/srv").store_for_child(asked);
            told.map(|(place, file)| (place, file.map(|file| String::from_utf8(file).unwrap())))
                .map_err(|failure| failure.to_string())
        };
        let plain = |place: &str| Ok((place.to_owned(), None));
        let with = |place: &str, file: &str| Ok((place.to_owned(), Some(file.to_owned())));
        let url = ("BATON_STORE", "postgres://ana:a%3Ab@db/team");
        assert_eq!(told(&[url], None), with("postgres://ana@db/team", "*:*:*:*:a\\:b\n"));
        assert_eq!(told(&[url], Some("postgres://db/other")), plain("postgres://db/other"));
        let variable = ("PGPASSWORD", "secret");
        assert_eq!(told(&[variable], Some("postgres://db/x")), with("postgres://db/x", "*:*:*:*:secret\n"));
        assert_eq!(told(&[url, variable], None), with("postgres://ana@db/team", "*:*:*:*:a\\:b\n"));
        assert_eq!(told(&[variable, ("BATON_DATA_DIR", "/data")], None), plain("/data"));
        assert_eq!(told(&[variable], Some("here")), plain("/srv/here"));
        assert!(told(&[("PGPASSWORD", "a\nb")], Some("postgres://db/x")).unwrap_err().contains("line break"));
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        let environment = Environment::of([("USER", ""), ("LOGNAME", "ana")], "/");
        assert_eq!((environment.var("USER"), environment.user()), (None, Some("ana")));
    }
}
