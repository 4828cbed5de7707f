//! One-time tickets, each a small file in the data directory that is named by the ticket's hash.
//!
//! Whoever takes the file away has used the ticket: the filesystem lets only one do that. So a ticket is made without
//! asking a server, and is used once even when the server was started again in between.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use baton_app::Failure;
use baton_core::{
    code::ErrorCode,
    time::{Timestamp, Ttl},
};

use super::Admitted;
use crate::{
    private,
    secret::{Digest, Secret},
};

/// How long a ticket counts.
pub const TICKET_TTL: Ttl = Ttl::from_secs(120);
/// Most tickets that wait to be used.
pub(crate) const TICKETS_MAX: usize = 64;

/// The tickets of a data directory.
#[derive(Clone, Debug)]
pub struct Tickets {
    directory: PathBuf,
}

impl Tickets {
    /// The tickets of a data directory.
    pub fn in_directory(data: &Path) -> Self {
        Self { directory: data.join("tickets") }
    }

    /// Makes a ticket for the owner.
    pub fn issue(&self, now: Timestamp) -> Result<Secret, Failure> {
        self.issue_for(Admitted::Owner, now)
    }

    /// Makes a ticket.
    pub fn issue_for(&self, admitted: Admitted, now: Timestamp) -> Result<Secret, Failure> {
        self.make_room(now)?;
        let ticket = Secret::fresh("")?;
        let path = self.path(&ticket.digest());
        let text = admitted.written(now.plus(TICKET_TTL).as_millis());
        private::replace(&path, &text).map_err(|error| private::failed(&path, &error))?;
        Ok(ticket)
    }

    /// Uses a ticket, and tells whom it lets in, if it counted.
    pub(crate) fn redeem(&self, shown: &str, now: Timestamp) -> Result<Option<Admitted>, Failure> {
        let path = self.path(&Digest::of(shown));
        let kept = match fs::read_to_string(&path) {
            Ok(text) => Admitted::read(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(private::failed(&path, &error)),
        };
        match fs::remove_file(&path) {
            Ok(()) => Ok(kept.filter(|(ends, _)| now.as_millis() < *ends).map(|(_, admitted)| admitted)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(private::failed(&path, &error)),
        }
    }

    /// Removes tickets that count no more, and refuses to have too many that do.
    fn make_room(&self, now: Timestamp) -> Result<(), Failure> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(private::failed(&self.directory, &error)),
        };
        let mut waiting = 0;
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            let kept = fs::read_to_string(&path).ok().and_then(|text| Admitted::read(&text));
            if kept.is_some_and(|(ends, _)| now.as_millis() < ends) {
                waiting += 1;
            } else {
                // Whoever else removed it was as right.
                let _ = fs::remove_file(&path);
            }
        }
        if waiting < TICKETS_MAX {
            return Ok(());
        }
        let message = format!("{TICKETS_MAX} tickets are waiting to be used, which is the most.");
        Err(Failure::new(ErrorCode::PreconditionFailed, message).advising("Use one, or try again in two minutes."))
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.directory.join(digest.to_hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

    #[test]
    fn a_ticket_counts_once_and_not_for_long() {
        let data = tempfile::tempdir().unwrap();
        let tickets = Tickets::in_directory(data.path());
        let (one, late) = (tickets.issue(NOW).unwrap(), tickets.issue(NOW).unwrap());
        let uses = |shown: &str, at| tickets.redeem(shown, at).unwrap().is_some();
        assert!(!uses("a guess", NOW) && !uses("../../etc/passwd", NOW));
        assert!(uses(one.reveal(), NOW));
        assert!(!uses(one.reveal(), NOW));
        assert!(!uses(late.reveal(), NOW.plus(TICKET_TTL)));
        assert!(!uses(late.reveal(), NOW));
    }

    #[test]
    fn a_ticket_says_whom_it_lets_in() {
        let data = tempfile::tempdir().unwrap();
        let tickets = Tickets::in_directory(data.path());
        for admitted in [Admitted::Owner, Admitted::Viewer] {
            let ticket = tickets.issue_for(admitted, NOW).unwrap();
            assert_eq!(tickets.redeem(ticket.reveal(), NOW).unwrap(), Some(admitted));
        }
    }

    #[test]
    fn tickets_that_nobody_uses_do_not_pile_up() {
        let data = tempfile::tempdir().unwrap();
        let tickets = Tickets::in_directory(data.path());
        (0..TICKETS_MAX).for_each(|_| drop(tickets.issue(NOW).unwrap()));
        assert_eq!(tickets.issue(NOW).unwrap_err().code, ErrorCode::PreconditionFailed);
        tickets.issue(NOW.plus(TICKET_TTL)).unwrap();
        assert_eq!(fs::read_dir(data.path().join("tickets")).unwrap().count(), 1);
    }
}
