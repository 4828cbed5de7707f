//! Which name a member has, and whether it may have it.

use super::{Actor, Call, Event, NewIdentity, Refusal, Registered, Resumed, Room, Stick};
use crate::{
    agent::{Adopting, Former, Presence, Prior, Rejection},
    ids::{AgentId, AgentName, Role},
    job::{JobId, agent_of},
    names,
    process::Liveness,
};

/// What a member is called, and what it is here for.
pub(super) struct Called {
    pub(super) name: String,
    pub(super) role: Option<Role>,
}

/// Why nobody else is called like a job.
const JOBS_NAME: &str = "is what a job's own agent is called";

impl Room {
    /// What a newcomer is called: as it asks, else as it was called here before, else by a name that nobody has or had.
    pub(super) fn first_name(&self, by: &Actor, identity: &NewIdentity) -> Result<Called, Refusal> {
        let own =
            identity.former.iter().filter(|former| former.agent_id == by.agent_id).max_by_key(|former| former.until);
        let name = match (&identity.name, own) {
            (Some(name), _) => {
                self.require_free(by, name, &identity.former)?;
                name.as_str().to_owned()
            }
            (None, Some(own)) => own.name.clone(),
            (None, None) => names::pick(by.agent_id.as_str(), |name| self.is_taken(name, &identity.former)),
        };
        let role = identity.role.clone().or_else(|| own.and_then(|own| own.role.clone()));
        Ok(Called { name, role })
    }

    /// Gives a member the name and the role it asks for. What it does not ask for stays.
    pub fn register(&self, call: Call<'_>, identity: &NewIdentity) -> Result<Option<Event>, Refusal> {
        self.require_open()?;
        let by = call.by;
        self.require_member(&by.agent_id)?;
        let Some(member) = self.member(&by.agent_id) else { return Ok(None) };
        if let Some(name) = &identity.name {
            self.require_free(by, name, &identity.former)?;
        }
        let display_name = identity.name.as_ref().map_or(&*member.display_name, AgentName::as_str);
        let role = identity.role.as_ref().or(member.role.as_ref());
        if display_name == member.display_name && role == member.role.as_ref() {
            return Ok(None);
        }
        Ok(Some(Event::Registered(Registered {
            agent_id: by.agent_id.clone(),
            display_name: display_name.to_owned(),
            role: role.cloned(),
            previous_name: member.display_name.clone(),
        })))
    }

    /// Lets a session go on as another that left its work behind.
    pub fn adopt(&self, call: Call<'_>, adopting: &Adopting) -> Result<Resumed, Refusal> {
        self.require_open()?;
        let Call { now, by, witness } = call;
        let joins = self.member(&by.agent_id).is_none();
        let target = &adopting.target;
        let member = self.member(&target.agent_id);
        let former = adopting.former.iter().find(|former| former.name == target.name);
        let liveness = member.map_or(Liveness::Unknown, |member| member.liveness(witness));
        let presence = match member {
            // Who has left is not there, however lately that was.
            None => Presence::Evicted,
            Some(member) => adopting.stale_after.presence(member.last_seen_at, now, &liveness),
        };
        let prior = Prior { presence, liveness, process: member.and_then(|member| member.process.clone()) };
        let resume_reason = adopting.weigh(self, by, &prior).map_err(|reason| Refusal::AdoptionRejected {
            name: target.name.clone(),
            prior_session_agent: target.agent_id.clone(),
            reason,
            why: self.why_not(reason, adopting, &prior),
            evidence: adopting.evidence.summary(),
            prior_presence: presence,
            prior_last_seen_at: member.map(|member| member.last_seen_at),
        })?;
        // The stick is fenced to a session: it is passed or taken over, never adopted.
        let has_stick = self.owner() == Some(&target.agent_id)
            || matches!(&self.stick, Stick::Reserved(reservation) if reservation.recipient == target.agent_id);
        let prior_stays_as = (member.is_some() && has_stick)
            .then(|| names::pick(target.agent_id.as_str(), |name| self.is_taken(name, &adopting.former)));
        // A prior session that leaves makes room for the one that goes on.
        let makes_room = member.is_some() && !has_stick;
        if joins && !makes_room {
            self.require_place(now, witness)?;
        }
        Ok(Resumed {
            agent_id: by.agent_id.clone(),
            joins,
            session_kind: by.session_kind,
            process: by.process.clone(),
            agent_id_override: by.is_overridden(),
            added_by: by.via.as_deref().map(str::to_owned),
            parallel_to: by.parallel_to.clone(),
            adopted_agent: target.name.clone(),
            role: member.map_or_else(|| former.and_then(|former| former.role.clone()), |member| member.role.clone()),
            prior_session_agent: target.agent_id.clone(),
            prior_stays_as,
            resume_reason,
            evidence: adopting.evidence.summary(),
            bead_ids: adopting.evidence.in_progress.clone(),
            scopes: adopting.evidence.scopes.clone(),
            prior_presence: presence,
            prior_liveness: prior.liveness,
        })
    }

    fn why_not(&self, reason: Rejection, adopting: &Adopting, prior: &Prior) -> String {
        match reason {
            Rejection::NoEvidence => adopting.evidence.summary(),
            Rejection::IdentityInUse => {
                let id = &adopting.target.agent_id;
                let seen = self.member(id).map(|member| format!(" and was last seen at {}", member.last_seen_at));
                format!("its own session, {id}, is {}{}", prior.presence.as_str(), seen.unwrap_or_default())
            }
            Rejection::OwnIdentity => "it is your own".to_owned(),
            Rejection::AdopterHoldsStick => "you hold the stick under the name you have".to_owned(),
        }
    }

    /// Refuses a name that another member has, or that another agent had.
    fn require_free(&self, by: &Actor, name: &AgentName, former: &[Former]) -> Result<(), Refusal> {
        let taken = |agent_id: &AgentId, why| {
            Err(Refusal::NameTaken { name: name.as_str().to_owned(), agent_id: agent_id.clone(), why })
        };
        if let Some(worker) = self.job_agent_called(name.as_str()).filter(|worker| *worker != by.agent_id) {
            return taken(&worker, JOBS_NAME);
        }
        let others = || self.members.iter().filter(|member| member.agent_id != by.agent_id);
        if let Some(member) = others().find(|member| member.display_name == name.as_str()) {
            return taken(&member.agent_id, "belongs to another member");
        }
        // Whoever is named may be named by id too, so that would be two agents under one word.
        if let Some(member) = others().find(|member| member.agent_id.as_str() == name.as_str()) {
            return taken(&member.agent_id, "is the id of another member");
        }
        let earlier = former.iter().find(|former| former.name == name.as_str());
        if let Some(earlier) = earlier.filter(|former| former.agent_id != by.agent_id) {
            return taken(&earlier.agent_id, "belonged to another agent here; it goes on only by adoption");
        }
        Ok(())
    }

    /// Refuses an id that is another's name: whoever is named may be named by id too. Only ids that somebody chose can be.
    pub(super) fn require_free_id(&self, id: &AgentId, former: &[Former]) -> Result<(), Refusal> {
        if let Some(agent_id) = self.job_agent_called(id.as_str()) {
            return Err(Refusal::NameTaken { name: id.to_string(), agent_id, why: JOBS_NAME });
        }
        let members = self.members.iter().map(|member| (&member.display_name, &member.agent_id));
        let earlier = former.iter().map(|former| (&former.name, &former.agent_id));
        match members.chain(earlier).find(|(name, whose)| *name == id.as_str() && *whose != id) {
            Some((name, whose)) => Err(Refusal::NameTaken {
                name: name.clone(),
                agent_id: whose.clone(),
                why: "is the name of another agent here",
            }),
            None => Ok(()),
        }
    }

    /// The own agent of a job, if a word means one: what is sent to `JOB-001` goes to the job, whether it is there yet or not.
    fn job_agent_called(&self, word: &str) -> Option<AgentId> {
        let job: JobId = word.to_ascii_uppercase().parse().ok()?;
        Some(agent_of(&self.id, job))
    }

    fn is_taken(&self, name: &str, former: &[Former]) -> bool {
        self.members.iter().any(|member| member.display_name == name) || former.iter().any(|known| known.name == name)
    }
}
