//! The password file of libpq, `~/.pgpass`: lines of `host:port:database:user:password`.
//!
//! A field is `*` for anything; `\` before a character takes it as it is; a line that begins with `#` is a comment.
//! The first line that matches counts. A file that others may read is not used, and the caller hears why.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::address::Secret;

/// More than any such file has; beyond it something else was named by mistake.
const SIZE_MAX_BYTES: u64 = 1024 * 1024;

/// Who logs in where.
pub(super) struct Login {
    /// The names the server goes by; one of them must match.
    pub(super) hosts: Vec<String>,
    pub(super) port: u16,
    pub(super) database: String,
    pub(super) user: String,
}

/// Why a password file was not used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Ignored {
    #[error("the password file {} was ignored: others may read it; chmod 600 would help", path.display())]
    Open { path: PathBuf },
    #[error("the password file {} was ignored: it is not a plain file", path.display())]
    NotAFile { path: PathBuf },
    #[error("the password file {} was ignored: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: io::Error },
}

/// Looks a password up. Having no such file is as good as having no such line.
pub(super) fn find(path: &Path, login: &Login) -> Result<Option<Secret>, Ignored> {
    match read(path) {
        Ok(text) => Ok(look_up(&text, login).map(Secret::new)),
        Err(Ignored::Unreadable { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(ignored) => Err(ignored),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Ignored> {
    let unreadable = |cause| Ignored::Unreadable { path: path.to_owned(), cause };
    // Looked at before it is opened, since opening a pipe would wait for its other end.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Ignored::NotAFile { path: path.to_owned() });
    }
    let file = File::open(path).map_err(unreadable)?;
    // And again on what was opened, which may be another file by now.
    if file.metadata().map_err(unreadable)?.permissions().mode() & 0o077 != 0 {
        return Err(Ignored::Open { path: path.to_owned() });
    }
    let mut text = Vec::new();
    file.take(SIZE_MAX_BYTES).read_to_end(&mut text).map_err(unreadable)?;
    Ok(text)
}

/// The text of a password file in which every login finds `password`. A line cannot hold a line break or a zero.
pub(super) fn write_for_any_login(password: &[u8]) -> Option<Vec<u8>> {
    if password.is_empty() || password.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0)) {
        return None;
    }
    let mut line = b"*:*:*:*:".to_vec();
    for byte in password {
        line.extend(matches!(byte, b':' | b'\\').then_some(b'\\'));
        line.push(*byte);
    }
    line.push(b'\n');
    Some(line)
}

/// The password of the first line that matches, unless it is empty.
fn look_up(text: &[u8], login: &Login) -> Option<Vec<u8>> {
    let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut passwords = lines.filter(|line| !line.starts_with(b"#")).filter_map(|line| match_line(line, login));
    passwords.next().filter(|password| !password.is_empty())
}

fn match_line(line: &[u8], login: &Login) -> Option<Vec<u8>> {
    let (host, rest) = split_field(line)?;
    let (port, rest) = split_field(rest)?;
    let (database, rest) = split_field(rest)?;
    let (user, rest) = split_field(rest)?;
    let is_match = login.hosts.iter().any(|name| host.matches(name))
        && port.matches(&login.port.to_string())
        && database.matches(&login.database)
        && user.matches(&login.user);
    // As with libpq, a colon ends the password too; whatever follows is no part of it.
    is_match.then(|| split_field(rest).map_or_else(|| unescape(rest), |(password, _)| unescape(password.0)))
}

/// A field as written, with its escapes.
#[derive(Clone, Copy)]
struct Field<'a>(&'a [u8]);

impl Field<'_> {
    /// `*` is anything, and `\*` is a star.
    fn matches(self, value: &str) -> bool {
        self.0 == b"*" || unescape(self.0) == value.as_bytes()
    }
}

/// Splits at the first colon that is not escaped.
fn split_field(text: &[u8]) -> Option<(Field<'_>, &[u8])> {
    let mut is_escaped = false;
    let end = text.iter().position(|byte| {
        let is_end = *byte == b':' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    })?;
    Some((Field(&text[..end]), &text[end + 1..]))
}

/// Drops each backslash that stands before something, and keeps what it stands before.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        plain.push(if *byte == b'\\' { *bytes.next().unwrap_or(byte) } else { *byte });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(hosts: &[&str]) -> Login {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        Login { hosts, port: 5432, database: "team".to_owned(), user: "ana".to_owned() }
    }

    fn found(text: &str, hosts: &[&str]) -> Option<String> {
        look_up(text.as_bytes(), &login(hosts)).map(|password| String::from_utf8(password).unwrap())
    }

    #[test]
    fn the_first_line_that_matches_counts() {
        let text = "# db:5432:team:ana:comment\n\
                    short:line\n\
                    \n\
                    db:5432:team:bo:of-bo\n\
                    db:5433:team:ana:of-another-port\n\
                    db:5432:other:ana:of-another-database\n\
                    db:*:team:ana:first\r\n\
                    *:*:*:*:second";
        assert_eq!(found(text, &["db"]).as_deref(), Some("first"));
        assert_eq!(found(text, &["elsewhere"]).as_deref(), Some("second"));
        assert_eq!(found("db:5432:team:bo:x", &["db"]), None);
        assert_eq!(found("*:*:*:*:", &["db"]), None, "an empty password is none");
        assert_eq!(found("", &["db"]), None);
    }

    #[test]
    fn colons_and_backslashes_are_escaped_and_a_star_may_be() {
        for (line, hosts, expected) in [
            (r"\:\:1:5432:team:ana:six", &["::1"][..], Some("six")),
            (r"a\\b:5432:team:ana:back", &[r"a\b"], Some("back")),
            (r"*:*:*:*:p\:w\\d", &["db"], Some(r"p:w\d")),
            (r"*:*:*:*:pw:more", &["db"], Some("pw")),
            (r"*:*:*:*:end\", &["db"], Some(r"end\")),
            (r"\*:*:*:*:star", &["db"], None),
            (r"d*:*:*:*:pattern", &["db"], None),
            ("localhost:*:*:*:pw", &["localhost", "/run/pg"], Some("pw")),
            ("/run/pg:*:*:*:pw", &["localhost", "/run/pg"], Some("pw")),
        ] {
            assert_eq!(found(line, hosts).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_file_that_others_may_read_is_ignored_with_a_reason() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pgpass");
        std::fs::write(&path, "*:*:*:*:hunter2\n").unwrap();
        for (mode, is_used) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let answer = find(&path, &login(&["db"]));
            assert_eq!(matches!(&answer, Ok(Some(_))), is_used, "{mode:o}");
            assert!(!format!("{answer:?}").contains("hunter2"));
            if let Err(reason) = answer {
                assert!(reason.to_string().contains("others may read it"), "{reason}");
            }
        }
    }

    #[test]
    fn every_login_finds_a_password_that_was_written_for_any() {
        for password in ["secret", "a:b\\c", "\\", ":", "#*", "pass wörd"] {
            let text = String::from_utf8(write_for_any_login(password.as_bytes()).unwrap()).unwrap();
            assert_eq!(found(&text, &["db", "other"]).as_deref(), Some(password));
        }
        for password in ["", "two\nlines", "two\r", "a\0"] {
            assert_eq!(write_for_any_login(password.as_bytes()), None, "{password:?}");
        }
    }

    #[test]
    fn no_file_is_no_password_and_a_directory_is_ignored_with_a_reason() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(find(&directory.path().join("none"), &login(&["db"])).unwrap(), None);
        let reason = find(directory.path(), &login(&["db"])).unwrap_err();
        assert!(reason.to_string().ends_with("it is not a plain file"), "{reason}");
    }
}
