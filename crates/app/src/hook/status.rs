//! One line about a room, for a program's status line.

use baton_core::{job::Status, room::Stick};
use baton_store::{inbox, jobs};

use super::reason;
use crate::{App, Caller, Failure};

/// Jobs are counted up to here.
const JOBS_COUNTED: u32 = 99;

impl App {
    /// The holder, the turn, unread messages and jobs under way in the room around the caller; nothing outside of one.
    pub fn status_line(&self, caller: &Caller) -> Result<Option<String>, Failure> {
        let Some(room) = self.room_around(caller, &caller.cwd)? else { return Ok(None) };
        let you = caller.actor().agent_id;
        self.store.read(|tx| {
            let (room, now) = (self.room(tx, &room)?, tx.now()?);
            let stick = match &room.stick {
                Stick::Closed => "closed".to_owned(),
                Stick::Idle(_) => "free".to_owned(),
                Stick::Owned(held) if held.lease.holder == you => "yours".to_owned(),
                Stick::Owned(held) => {
                    let until = reason::at(held.lease.expires_at, now);
                    format!("{} until {until}", reason::name(&room, &held.lease.holder))
                }
                Stick::Reserved(kept) if kept.recipient == you => "kept for you".to_owned(),
                Stick::Reserved(kept) => format!("kept for {}", reason::name(&room, &kept.recipient)),
            };
            let mut parts = vec![format!("stick {stick}"), format!("turn {}", room.turn)];
            let unread = inbox::waiting(tx, &room.id, &you)?.unseen;
            if unread > 0 {
                parts.push(format!("{unread} messages"));
            }
            let counts = jobs::counts(tx, &room.id, now, JOBS_COUNTED)?.by_status;
            let at_work: u64 =
                counts.iter().filter(|(status, _)| *status == Status::Running).map(|(_, count)| count).sum();
            if at_work > 0 {
                parts.push(format!("{at_work} jobs"));
            }
            Ok(Some(parts.join(" · ")))
        })
    }
}
