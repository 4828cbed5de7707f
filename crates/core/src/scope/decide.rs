//! The rules of reservations: who may have which paths, and what a collision is.

use sha2::{Digest, Sha256};

use super::{
    Displaced, Event, Expired, Incursion, Overlap, Refusal, Released, Reservation, Reserved, ScopePath, Scopes,
};
use crate::{
    agent::{Presence, StaleAfter},
    ids::{AgentId, BeadId},
    limits,
    process::{Liveness, Witness},
    room::Room,
    time::{Timestamp, Ttl},
};

/// What decisions about scopes are made on: the room, the time, and what can be seen.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Who is there.
    pub room: &'a Room,
    /// Where the room is.
    pub root: &'a ScopePath,
    /// When.
    pub now: Timestamp,
    /// When agents count as stale.
    pub stale_after: StaleAfter,
    /// Who can look at processes.
    pub witness: &'a dyn Witness,
}

/// A request for paths.
#[derive(Clone, Debug)]
pub struct Reserve {
    /// Which.
    pub scopes: Vec<ScopePath>,
    /// For how long.
    pub ttl: Ttl,
    /// What for.
    pub bead_id: Option<BeadId>,
    /// Whether an owner who does not respond is displaced.
    pub takeover: Takeover,
}

/// What becomes of an owner who does not respond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takeover {
    /// It keeps its reservation, and the request is refused.
    No,
    /// A stale or evicted one is displaced.
    Stale,
}

/// Which collisions a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// All of them.
    Everyone,
    /// Those with active owners; the others are only told.
    ActiveOnly,
}

/// Where a request meets somebody else's reservation.
#[derive(Clone, Debug, PartialEq)]
pub struct Collision {
    /// The reservation.
    pub reservation: Reservation,
    /// What its owner is called.
    pub owner_name: String,
    /// How both relate.
    pub overlap: Overlap,
    /// How present its owner is.
    pub presence: Presence,
    /// What can be seen of its owner's process.
    pub process: Liveness,
    /// What was asked for, as it is written: the first, where several meet the same reservation.
    pub incoming: String,
    /// Whether what was asked for has the whole reservation in it, and more.
    pub is_around: bool,
    /// What to reserve to have it, absolute: whoever reads a hint may stand anywhere in the workspace.
    pub reservable: String,
}

impl View<'_> {
    /// How present a member is, and what can be seen of its process.
    pub fn presence(&self, agent: &AgentId) -> (Presence, Liveness) {
        match self.room.member(agent) {
            Some(member) => {
                let process = member.liveness(self.witness);
                (self.stale_after.presence(member.last_seen_at, self.now, &process), process)
            }
            None => (Presence::Evicted, Liveness::Unknown),
        }
    }

    /// What an agent is called.
    pub fn name(&self, agent: &AgentId) -> String {
        self.room.member(agent).map_or_else(|| agent.to_string(), |member| member.display_name.clone())
    }
}

impl Scopes {
    /// The reservations whose time has run out: each is archived before anything else is decided.
    pub fn sweep(&self, now: Timestamp) -> Vec<Event> {
        let lapsed = self.iter().filter(|reservation| reservation.has_lapsed(now));
        lapsed
            .map(|reservation| {
                Event::Expired(Expired {
                    reservation: reservation.id(),
                    owner: reservation.lease.holder.clone(),
                    scope: reservation.scope.clone(),
                    expired_at: reservation.lease.expires_at,
                })
            })
            .collect()
    }

    /// Where `paths` meet what others have reserved: each reservation once, in the order of their grants.
    pub fn collisions(&self, view: View<'_>, by: &AgentId, paths: &[ScopePath]) -> Vec<Collision> {
        let others = self.iter().filter(|reservation| reservation.is_live(view.now) && reservation.lease.holder != *by);
        others
            .filter_map(|reservation| {
                let reserved = reservation.path(view.root);
                let met = |path: &&ScopePath| path.overlap(&reserved) != Overlap::Disjoint;
                let path = paths.iter().find(met)?;
                let (incoming, overlap) = (path.shown(view.root), path.overlap(&reserved));
                let is_around = !reserved.contains(path);
                let (presence, process) = view.presence(&reservation.lease.holder);
                let owner_name = view.name(&reservation.lease.holder);
                // A file may be called what no scope can be; what it lies in then has to do.
                let reservable = if path.is_reservable() { path.absolute() } else { reserved.absolute() };
                let reservation = reservation.clone();
                Some(Collision { reservation, owner_name, overlap, presence, process, incoming, is_around, reservable })
            })
            .collect()
    }

    /// Decides a request: all the paths are reserved, or none. The events are in order; a path that the caller has
    /// reserved already is extended.
    pub fn reserve(&self, view: View<'_>, by: &AgentId, request: &Reserve) -> Result<Vec<Event>, Refusal> {
        let collisions = self.collisions(view, by, &request.scopes);
        self.require_way(&collisions, request.takeover)?;
        let mut displaced: Vec<Displaced> = collisions.iter().map(Displaced::from).collect();
        let expires_at = view.now.plus(request.ttl);
        let mut events: Vec<Event> = Vec::new();
        for path in &request.scopes {
            let own = self.of(by).find(|reservation| {
                let same = reservation.path(view.root).overlap(path) == Overlap::Exact;
                reservation.is_live(view.now) && same
            });
            let scope = path.shown(view.root);
            let repeated = events.iter().any(|event| {
                matches!(event, Event::Reserved(earlier) if ScopePath::scope(&earlier.scope, view.root)
                    .is_ok_and(|earlier| earlier.overlap(path) == Overlap::Exact))
            });
            if repeated {
                continue;
            }
            events.push(Event::Reserved(Reserved {
                owner: by.clone(),
                scope: own.map_or(scope, |own| own.scope.clone()),
                // Asking again is no way to lose time that was granted.
                expires_at: own.map_or(expires_at, |own| own.lease.expires_at.max(expires_at)),
                bead_id: request.bead_id.clone().or_else(|| own.and_then(|own| own.bead_id.clone())),
                renews: own.map(Reservation::id),
                // They end with the first of the grants they make way for.
                displaced: std::mem::take(&mut displaced),
            }));
        }
        let held = self.of(by).filter(|reservation| reservation.is_live(view.now)).count();
        let new = events.iter().filter(|event| matches!(event, Event::Reserved(Reserved { renews: None, .. }))).count();
        if new > 0 && held + new > limits::SCOPES_OF_AGENT {
            return Err(Refusal::TooMany { limit: limits::SCOPES_OF_AGENT });
        }
        Ok(events)
    }

    /// Refuses to go where somebody is.
    fn require_way(&self, collisions: &[Collision], takeover: Takeover) -> Result<(), Refusal> {
        if let Some(active) = collisions.iter().find(|collision| collision.presence == Presence::Active) {
            return Err(Refusal::conflict(active, collisions));
        }
        match collisions.first() {
            Some(first) if takeover == Takeover::No => Err(Refusal::stale_found(first, collisions)),
            Some(_) | None => Ok(()),
        }
    }

    /// Decides whether `by` may touch `paths`. The collisions are those that it may go past all the same.
    pub fn check(
        &self,
        view: View<'_>,
        by: &AgentId,
        paths: &[ScopePath],
        strictness: Strictness,
    ) -> (Vec<Collision>, Result<(), Refusal>) {
        let collisions = self.collisions(view, by, paths);
        let verdict = match strictness {
            Strictness::Everyone => self.require_way(&collisions, Takeover::No),
            Strictness::ActiveOnly => self.require_way(&collisions, Takeover::Stale),
        };
        (collisions, verdict)
    }

    /// Gives back all that `by` has reserved.
    pub fn release_all(&self, now: Timestamp, by: &AgentId) -> Vec<Event> {
        self.of(by).filter(|reservation| reservation.is_live(now)).map(Released::event).collect()
    }

    /// Decides a release of what `by` has reserved. Without scopes that is all of it.
    pub fn release(&self, view: View<'_>, by: &AgentId, scopes: Option<&[ScopePath]>) -> Result<Vec<Event>, Refusal> {
        let live = || self.iter().filter(|reservation| reservation.is_live(view.now));
        let Some(scopes) = scopes else { return Ok(self.release_all(view.now, by)) };
        let mut events = Vec::new();
        for path in scopes {
            let same = |reservation: &&Reservation| reservation.path(view.root).overlap(path) == Overlap::Exact;
            let found: Vec<_> = live().filter(same).collect();
            let shown = path.shown(view.root);
            match found.iter().find(|reservation| reservation.lease.holder == *by) {
                // Written twice, it is still one.
                Some(own) => events.extend(Some(Released::event(own)).filter(|event| !events.contains(event))),
                None => match found.first() {
                    Some(other) => return Err(Refusal::forbidden(&shown, other, view.name(&other.lease.holder))),
                    None => {
                        let yours = self.of(by).filter(|own| own.is_live(view.now)).map(|own| own.scope.clone());
                        return Err(Refusal::NotFound { scope: shown, yours: yours.collect() });
                    }
                },
            }
        }
        Ok(events)
    }
}

impl Released {
    fn event(reservation: &Reservation) -> Event {
        Event::Released(Self {
            reservation: reservation.id(),
            owner: reservation.lease.holder.clone(),
            scope: reservation.scope.clone(),
        })
    }
}

impl From<&Collision> for Displaced {
    fn from(collision: &Collision) -> Self {
        Self {
            reservation: collision.reservation.id(),
            owner: collision.reservation.lease.holder.clone(),
            owner_name: collision.owner_name.clone(),
            scope: collision.reservation.scope.clone(),
            liveness: collision.presence,
            process: collision.process.clone(),
        }
    }
}

impl Collision {
    /// What makes it this collision and no other: whose reservation, who came, where to, how both relate, how present the
    /// owner was, and what came of it. The same collision has the same text, however often it is met.
    pub fn identity(&self, by: &AgentId, came: Came) -> String {
        let facts = (
            (self.reservation.id(), &self.reservation.lease.holder, &self.reservation.scope),
            (by, &self.incoming, self.overlap, self.presence),
            matches!(came, Came::Through),
        );
        // Hashed, because a path may be longer than what an index takes.
        let digest = Sha256::digest(serde_json::to_vec(&facts).unwrap_or_default());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The event that makes it known. A collision is told whether or not anything comes of it.
    pub fn incursion(&self, room: &Room, by: &AgentId, came: Came) -> Event {
        let incoming_agent = room.member(by).map_or_else(|| by.to_string(), |member| member.display_name.clone());
        Event::Incursion(Incursion {
            incursion_kind: self.overlap,
            incoming: by.clone(),
            incoming_agent,
            incoming_scope: self.incoming.clone(),
            owner: self.reservation.lease.holder.clone(),
            owner_agent: self.owner_name.clone(),
            owner_scope: self.reservation.scope.clone(),
            reservation: self.reservation.id(),
            owner_liveness: self.presence,
            owner_process: self.process.clone(),
            resolution_hint: self.hint(came),
            bead_id: self.reservation.bead_id.clone(),
        })
    }

    /// The command that leads on.
    pub fn hint(&self, came: Came) -> String {
        let (owner, reserved, incoming) = (&self.owner_name, &self.reservation.scope, &self.incoming);
        match (came, self.presence) {
            (Came::Through, _) => "baton scope status".to_owned(),
            (Came::Short, Presence::Active) => format!(
                "baton block --to {owner} --subject {} --blocker {} --request {}",
                quoted(&self.subject()),
                quoted(&format!(
                    "{incoming} {} your scope {reserved}",
                    if self.is_around { "covers" } else { "is in" }
                )),
                quoted(&format!("Release {reserved}, or tell me when you are done there")),
            ),
            (Came::Short, Presence::Stale | Presence::Evicted) => {
                format!("baton scope reserve {} --takeover-stale", quoted(&self.reservable))
            }
        }
    }

    /// What a message to the owner is about. A subject is short, and a path need not be.
    fn subject(&self) -> String {
        let whole = format!("I need {}", self.incoming);
        if whole.len() <= limits::SUBJECT_BYTES { whole } else { "I need a path in your scope".to_owned() }
    }
}

/// What came of a collision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// The incoming agent was refused.
    Short,
    /// The incoming agent displaced the owner, or was let past.
    Through,
}

/// A word as a shell reads it.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:@+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
