//! Browsers that have logged in, each a small file in the data directory that is named by the hash of its cookie.
//!
//! So a restart logs nobody out, and a cookie cannot be read from what is kept of it. A browser that logs out takes its file
//! with it, for every server on the same directory.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use baton_app::Failure;
use baton_core::time::{Timestamp, Ttl};

use super::Admitted;
use crate::{
    private,
    secret::{Digest, Secret},
};

/// How long a browser stays logged in.
pub(crate) const SESSION_TTL: Ttl = Ttl::from_minutes(12 * 60);
/// Most browsers at a time. One more logs out the one that has been in the longest.
pub(crate) const SESSIONS_MAX: usize = 256;

/// The browsers that are in.
pub(crate) struct Sessions {
    directory: PathBuf,
}

/// A browser that is in.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    pub(crate) admitted: Admitted,
    /// The hash of its cookie.
    pub(crate) digest: Digest,
}

/// Whether a login counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    In(Admitted),
    /// Its time is over.
    Expired,
    /// The browser logged out, or one too many came in.
    Out,
}

impl Sessions {
    /// Those of a data directory.
    pub(crate) fn in_directory(data: &Path) -> Self {
        Self { directory: data.join("browsers") }
    }

    /// Lets a browser in, and gives what it is to show from now on.
    pub(crate) fn begin(&self, admitted: Admitted, now: Timestamp) -> Result<Secret, Failure> {
        self.make_room(now)?;
        let cookie = Secret::fresh("")?;
        let path = self.path(&cookie.digest());
        let text = admitted.written(now.plus(SESSION_TTL).as_millis());
        private::replace(&path, &text).map_err(|error| private::failed(&path, &error))?;
        Ok(cookie)
    }

    /// The login of a browser that shows this cookie.
    pub(crate) fn find(&self, cookie: &str, now: Timestamp) -> Option<Login> {
        let digest = Digest::of(cookie);
        match self.standing(&digest, now) {
            Standing::In(admitted) => Some(Login { admitted, digest }),
            Standing::Expired | Standing::Out => None,
        }
    }

    /// Whether a login still counts.
    pub(crate) fn standing(&self, digest: &Digest, now: Timestamp) -> Standing {
        let kept = fs::read_to_string(self.path(digest)).ok().and_then(|text| Admitted::read(&text));
        match kept {
            Some((ends, admitted)) if now.as_millis() < ends => Standing::In(admitted),
            Some(_) => Standing::Expired,
            None => Standing::Out,
        }
    }

    /// Where logins are kept: a file that goes is a browser that is out.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Logs a browser out.
    pub(crate) fn end(&self, cookie: &str) -> Result<(), Failure> {
        remove(&self.path(&Digest::of(cookie)))
    }

    /// Removes what counts no more, and as many of the oldest as are too many.
    fn make_room(&self, now: Timestamp) -> Result<(), Failure> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(private::failed(&self.directory, &error)),
        };
        let ends =
            |path: &Path| fs::read_to_string(path).ok().and_then(|text| Admitted::read(&text)).map(|(ends, _)| ends);
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        let (mut inside, over): (Vec<_>, Vec<_>) =
            paths.map(|path| (ends(&path).unwrap_or_default(), path)).partition(|(ends, _)| now.as_millis() < *ends);
        inside.sort();
        let too_many = (inside.len() + 1).saturating_sub(SESSIONS_MAX);
        inside.drain(..too_many).chain(over).try_for_each(|(_, path)| remove(&path))
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.directory.join(digest.to_hex())
    }
}

/// Removes a file, unless somebody else did.
fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(private::failed(path, &error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

    #[test]
    fn a_browser_stays_in_for_half_a_day_whichever_server_asks() {
        let data = tempfile::tempdir().unwrap();
        let (one, other) = (Sessions::in_directory(data.path()), Sessions::in_directory(data.path()));
        let cookie = one.begin(Admitted::Viewer, NOW).unwrap();
        let admitted = |sessions: &Sessions, cookie: &str, at| sessions.find(cookie, at).map(|login| login.admitted);
        assert_eq!(admitted(&other, cookie.reveal(), NOW), Some(Admitted::Viewer));
        assert_eq!(admitted(&other, "another", NOW), None);
        assert_eq!(admitted(&other, "../../operator.token", NOW), None);
        assert_eq!(admitted(&one, cookie.reveal(), NOW.plus(SESSION_TTL)), None);
        assert_eq!(one.standing(&cookie.digest(), NOW.plus(SESSION_TTL)), Standing::Expired);
    }

    #[test]
    fn a_browser_that_logs_out_is_out_everywhere() {
        let data = tempfile::tempdir().unwrap();
        let (one, other) = (Sessions::in_directory(data.path()), Sessions::in_directory(data.path()));
        let cookie = one.begin(Admitted::Owner, NOW).unwrap();
        other.end(cookie.reveal()).unwrap();
        other.end(cookie.reveal()).unwrap();
        assert!(one.find(cookie.reveal(), NOW).is_none());
        assert_eq!(one.standing(&cookie.digest(), NOW), Standing::Out);
    }

    #[test]
    fn what_is_kept_of_a_browser_is_private_and_tells_no_cookie() {
        let data = tempfile::tempdir().unwrap();
        let sessions = Sessions::in_directory(data.path());
        let cookie = sessions.begin(Admitted::Owner, NOW).unwrap();
        let [file] =
            &fs::read_dir(&sessions.directory).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()[..]
        else {
            panic!("one file");
        };
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&sessions.directory).unwrap().permissions().mode() & 0o777, 0o700);
        let kept = format!("{} {}", file.display(), fs::read_to_string(file).unwrap());
        assert!(!kept.contains(cookie.reveal()), "{kept}");
    }

    #[test]
    fn one_more_than_fit_logs_the_oldest_out() {
        let data = tempfile::tempdir().unwrap();
        let sessions = Sessions::in_directory(data.path());
        let oldest = sessions.begin(Admitted::Owner, NOW).unwrap();
        let later = NOW.plus(Ttl::from_secs(1));
        let others: Vec<_> = (0..SESSIONS_MAX).map(|_| sessions.begin(Admitted::Owner, later).unwrap()).collect();
        assert!(sessions.find(oldest.reveal(), later).is_none());
        assert!(others.iter().all(|cookie| sessions.find(cookie.reveal(), later).is_some()));
        sessions.begin(Admitted::Owner, later.plus(SESSION_TTL)).unwrap();
        assert_eq!(fs::read_dir(&sessions.directory).unwrap().count(), 1, "those that are over are gone");
    }
}
