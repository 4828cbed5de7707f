//! Rooms and their members: the projection. A row is turned into the core's types here and nowhere else; `finding` says which rooms there are.

mod finding;

use std::sync::LazyLock;

use baton_core::{
    event::Recorded,
    ids::{AgentId, Role, RoomId, Seq},
    lease::{Fence, Lease},
    policy::{Policy, Wake},
    process::{ProcessIdentity, SessionKind},
    room::{ClaimReason, Member, Ownership, Pending, Reservation, Rest, Room, Stick, Via},
    time::{Timestamp, Ttl},
};
use serde_json::Value;

use crate::{
    StoreError,
    engine::{Changes, EachRow, Param, Query, Row, Tx},
    fields::{Fields, bad, number},
    inbox::{self, Waiting},
    log,
};

pub use finding::{Outline, Standing, Tally, all, at_paths, below, events_at, recent, standing, tally};

/// Reads a room, less its members.
const LOAD: &str = "
    SELECT room_id, canonical_path, state, sequence_index, turn_id, owner, owner_process, owner_reason,
           owned_since_ms, lease_id, lease_expires_at_ms, reserved_for, claim_expires_at_ms, handoff_seq,
           handoff_from, handoff_via, policy, last_seq, created_at_ms, updated_at_ms, name, taken_from, earlier_events
      FROM rooms
     WHERE room_id = ?1
";

/// Reads a room's members, each with its place in the turn order. Sorting a few here is cheaper than a sorter in every
/// look at a room.
const LOAD_MEMBERS: &str = "
    SELECT agent_id, display_name, session_kind, host_id, boot_id, pid_namespace, pid, start_ticks, pidfd_inode,
           process_started_at_ms, joined_at_ms, last_seen_at_ms, role, keeps, added_by, parallel_to,
           overridden, ordinal, wake, rest_seq, rest_until_ms
      FROM members
     WHERE room_id = ?1
";

/// The room with this id. In a write it is this transaction's alone from here on.
pub fn load(tx: &mut dyn Tx, id: &RoomId) -> Result<Option<Room>, StoreError> {
    load_and(tx, id, &[], &mut |_, _| Ok(()))
}

/// Reads a room, its members, and perhaps something else, in one go.
fn load_and(tx: &mut dyn Tx, id: &RoomId, more: &[Query<'_>], each: EachRow<'_>) -> Result<Option<Room>, StoreError> {
    if let Some(room) = tx.recall(id)? {
        #[cfg(debug_assertions)]
        assert_eq!(
            read_and(tx, id, &[], &mut |_, _| Ok(()))?.as_ref(),
            Some(&room),
            "the room that is remembered is stored"
        );
        if !more.is_empty() {
            tx.query_all(more, each)?;
        }
        return Ok(Some(room));
    }
    let found = read_and(tx, id, more, each)?;
    if let Some(room) = &found {
        tx.remember(&|| room.clone())?;
    }
    Ok(found)
}

fn read_and(tx: &mut dyn Tx, id: &RoomId, more: &[Query<'_>], each: EachRow<'_>) -> Result<Option<Room>, StoreError> {
    let (mut found, mut members) = (None, Vec::new());
    let params = [id.as_str().into()];
    // The members are asked for after the room is locked, and not in the same breath: what was true before the lock
    // need not be true under it.
    let own = [Query::locking(LOAD, &params), Query::new(LOAD_MEMBERS, &params)];
    let queries: Vec<Query<'_>> = own.iter().chain(more).copied().collect();
    tx.query_all(&queries, &mut |which, row| {
        match which {
            0 => found = Some(room(row)?),
            1 => members.push((row.int(17)?, member(id, row)?)),
            more => each(more - own.len(), row)?,
        }
        Ok(())
    })?;
    members.sort_by_key(|(ordinal, _)| *ordinal);
    let members = members.into_iter().map(|(_, member)| member).collect();
    Ok(found.map(|room: Room| Room { members, ..room }))
}

/// The room, and whether `agent` is interrupted there, in the same look.
pub fn load_interrupted(tx: &mut dyn Tx, id: &RoomId, agent: &AgentId) -> Result<Option<(Room, bool)>, StoreError> {
    let both = [id.as_str().into(), agent.as_str().into()];
    let mut interrupted = false;
    let loaded = load_and(tx, id, &[Query::new(inbox::INTERRUPTED, &both)], &mut |_, _| {
        interrupted = true;
        Ok(())
    })?;
    Ok(loaded.map(|room| (room, interrupted)))
}

/// Reads the event that holds a room's handoff.
const LOAD_HANDOFF: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND seq = (SELECT handoff_seq FROM rooms WHERE room_id = ?1)
";

/// A room, and what an agent who comes there finds.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The room.
    pub room: Room,
    /// The handoff that waits there, or that the current turn began with.
    pub handoff: Option<Recorded>,
    /// What waits in the agent's inbox.
    pub waiting: Waiting,
}

impl From<Room> for Arrival {
    /// A room in which nothing else was looked for.
    fn from(room: Room) -> Self {
        Self { room, handoff: None, waiting: Waiting::default() }
    }
}

/// The room with what `agent` finds there, in the same look.
pub fn load_for(tx: &mut dyn Tx, id: &RoomId, agent: &AgentId) -> Result<Option<Arrival>, StoreError> {
    let (room, both) = ([id.as_str().into()], [id.as_str().into(), agent.as_str().into()]);
    let more = [Query::new(LOAD_HANDOFF, &room), Query::new(inbox::WAITING, &both)];
    let (mut handoff, mut waiting) = (None, Waiting::default());
    let loaded = load_and(tx, id, &more, &mut |which, row| {
        match which {
            0 => handoff = Some(log::recorded(id, row)?),
            _ => waiting = inbox::counted(row)?,
        }
        Ok(())
    })?;
    Ok(loaded.map(|room| Arrival { room, handoff, waiting }))
}

/// Adds a room.
const INSERT: &str = "
    INSERT INTO rooms (room_id, canonical_path, state, sequence_index, turn_id, owner, owner_process, owner_reason,
                       owned_since_ms, lease_id, lease_expires_at_ms, reserved_for, claim_expires_at_ms, handoff_seq,
                       handoff_from, handoff_via, taken_from, policy, last_seq, created_at_ms, updated_at_ms, name,
                       earlier_events)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)
";

/// Stores a room that is new, with its members.
pub fn insert(tx: &mut dyn Tx, room: &Room) -> Result<(), StoreError> {
    let process = process_json(room)?;
    let policy = policy_json(room)?;
    let id = [room.id.as_str().into(), room.canonical_path.as_deref().into()];
    let rest = [
        policy.as_str().into(),
        number(room.last_seq.0).into(),
        room.created_at.as_millis().into(),
        room.updated_at.as_millis().into(),
        room.name.as_deref().into(),
        number(room.earlier_events).into(),
    ];
    let params = [&id[..], &Columns::of(room, process.as_deref()).params(), &rest].concat();
    tx.execute(INSERT, &params, Changes::One("rooms"))?;
    if room.stick == Stick::Closed {
        close(tx, room)?;
    }
    save_members(tx, &[], room, Ttl::from_millis(0))
}

/// Stores a room's new state, but only on top of the one it was decided on.
const UPDATE: &str = "
    UPDATE rooms
       SET state = ?3, sequence_index = ?4, turn_id = ?5, owner = ?6, owner_process = ?7, owner_reason = ?8,
           owned_since_ms = ?9, lease_id = ?10, lease_expires_at_ms = ?11, reserved_for = ?12,
           claim_expires_at_ms = ?13, handoff_seq = ?14, handoff_from = ?15, handoff_via = ?16, taken_from = ?17,
           last_seq = ?18, updated_at_ms = ?19
     WHERE room_id = ?1 AND last_seq = ?2
";

/// Stores new timings.
const SET_POLICY: &str = "
    UPDATE rooms
       SET policy = ?2
     WHERE room_id = ?1
";

/// Stores a new name.
const RENAME: &str = "
    UPDATE rooms
       SET name = ?2
     WHERE room_id = ?1
";

/// Frees the path of a room that has ended.
const CLOSE: &str = "
    UPDATE rooms
       SET closed_at_ms = ?2
     WHERE room_id = ?1
";

/// Stores what has changed between `before` and `after`, members included.
pub fn save(tx: &mut dyn Tx, before: &Room, after: &Room) -> Result<(), StoreError> {
    // Otherwise something else changed its rows since, and `after` is not what is stored in the end.
    let is_all_known = tx.remembers(before);
    // A renewal is no event, and may fall into the millisecond of one.
    let row_changed =
        before.last_seq != after.last_seq || before.updated_at != after.updated_at || before.stick != after.stick;
    if row_changed {
        let process = process_json(after)?;
        let id = [after.id.as_str().into(), number(before.last_seq.0).into()];
        let rest = [number(after.last_seq.0).into(), after.updated_at.as_millis().into()];
        let params = [&id[..], &Columns::of(after, process.as_deref()).params(), &rest].concat();
        tx.execute(UPDATE, &params, Changes::One("rooms"))?;
    }
    if before.policy != after.policy {
        tx.execute(
            SET_POLICY,
            &[after.id.as_str().into(), policy_json(after)?.as_str().into()],
            Changes::One("rooms"),
        )?;
    }
    if before.name != after.name {
        let params = [after.id.as_str().into(), after.name.as_deref().into()];
        tx.execute(RENAME, &params, Changes::One("rooms"))?;
    }
    if after.stick == Stick::Closed && before.stick != Stick::Closed {
        close(tx, after)?;
    }
    // An event shows that its actor was there, as a call that only reads does, and neither writes what was written moments
    // ago: a page less in every transaction. Without an event it is the presence that the caller came for.
    let grain = if before.last_seq == after.last_seq { Ttl::from_millis(0) } else { after.policy.presence_grain() };
    save_members(tx, &before.members, after, grain)?;
    if !is_all_known {
        return Ok(());
    }
    tx.remember(&|| {
        let mut stored = after.clone();
        for (member, old) in stored.members.iter_mut().zip(&before.members) {
            if is_fresh(old, member, grain) {
                member.last_seen_at = old.last_seen_at;
            }
        }
        stored
    })
}

/// Whether a member differs from what is stored of it by presence at most.
fn is_only_seen(old: &Member, member: &Member) -> bool {
    Member { last_seen_at: member.last_seen_at, ..old.clone() } == *member
}

/// Whether that presence is so little newer that it is not written.
fn is_fresh(old: &Member, member: &Member, grain: Ttl) -> bool {
    member.last_seen_at.since(old.last_seen_at) < grain && is_only_seen(old, member)
}

fn close(tx: &mut dyn Tx, room: &Room) -> Result<(), StoreError> {
    tx.execute(CLOSE, &[room.id.as_str().into(), room.updated_at.as_millis().into()], Changes::One("rooms"))
}

/// Adds a member or replaces what is stored of it.
const PUT_MEMBER: &str = "
    INSERT INTO members (room_id, agent_id, ordinal, display_name, session_kind, host_id, boot_id, pid_namespace, pid,
                         start_ticks, pidfd_inode, process_started_at_ms, joined_at_ms, last_seen_at_ms, role, keeps,
                         added_by, parallel_to, overridden, wake, rest_seq, rest_until_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
            ?21, ?22)
        ON CONFLICT (room_id, agent_id) DO UPDATE
       SET ordinal = excluded.ordinal, display_name = excluded.display_name, session_kind = excluded.session_kind,
           host_id = excluded.host_id, boot_id = excluded.boot_id, pid_namespace = excluded.pid_namespace,
           pid = excluded.pid, start_ticks = excluded.start_ticks, pidfd_inode = excluded.pidfd_inode,
           process_started_at_ms = excluded.process_started_at_ms, last_seen_at_ms = excluded.last_seen_at_ms,
           role = excluded.role, keeps = excluded.keeps, added_by = excluded.added_by,
           parallel_to = excluded.parallel_to, overridden = excluded.overridden, wake = excluded.wake,
           rest_seq = excluded.rest_seq, rest_until_ms = excluded.rest_until_ms
";

/// Moves a member's presence. A late writer never moves it back.
const SEEN: &str = "
    UPDATE members
       SET last_seen_at_ms = ?3
     WHERE room_id = ?1 AND agent_id = ?2 AND last_seen_at_ms < ?3
";

/// Removes a member.
const REMOVE_MEMBER: &str = "
    DELETE FROM members
     WHERE room_id = ?1 AND agent_id = ?2
";

/// Stores members that became different, and presence that is older than `grain`.
fn save_members(tx: &mut dyn Tx, before: &[Member], after: &Room, grain: Ttl) -> Result<(), StoreError> {
    for gone in before.iter().filter(|member| after.rank(&member.agent_id).is_none()) {
        tx.execute(REMOVE_MEMBER, &[after.id.as_str().into(), gone.agent_id.as_str().into()], Changes::Any)?;
    }
    for (ordinal, member) in after.members.iter().enumerate() {
        match before.get(ordinal) {
            Some(old) if old == member || is_fresh(old, member, grain) => {}
            Some(old) if is_only_seen(old, member) => {
                seen(tx, &after.id, &member.agent_id, member.last_seen_at)?;
            }
            Some(_) | None => put_member(tx, &after.id, ordinal, member)?,
        }
    }
    Ok(())
}

/// Reads memberships in whatever room.
macro_rules! memberships {
    ($where:literal) => {
        concat!(
            "
    SELECT agent_id, display_name, session_kind, host_id, boot_id, pid_namespace, pid, start_ticks, pidfd_inode,
           process_started_at_ms, joined_at_ms, last_seen_at_ms, role, keeps, added_by, parallel_to,
           overridden, room_id, wake, rest_seq, rest_until_ms
      FROM members
     WHERE ",
            $where
        )
    };
}

/// Reads the memberships of one agent.
pub(crate) const OF_AGENT: &str = memberships!("agent_id = ?1");
/// Reads the memberships of the processes with one pid.
pub(crate) const OF_PID: &str = memberships!("pid = ?1");

/// An agent as a member of each room it is in.
pub fn of_agent(tx: &mut dyn Tx, agent: &AgentId) -> Result<Vec<(RoomId, Member)>, StoreError> {
    memberships(tx, OF_AGENT, agent.as_str().into())
}

/// The members of all rooms that are one process.
pub fn of_process(tx: &mut dyn Tx, process: &ProcessIdentity) -> Result<Vec<(RoomId, Member)>, StoreError> {
    let mut found = memberships(tx, OF_PID, i64::from(process.pid).into())?;
    found.retain(|(_, member)| member.process.as_ref().is_some_and(|known| known.same_process(process)));
    Ok(found)
}

fn memberships(tx: &mut dyn Tx, query: &'static str, key: Param<'_>) -> Result<Vec<(RoomId, Member)>, StoreError> {
    let mut found = Vec::new();
    tx.query(query, &[key], &mut |row| {
        let room: RoomId = Fields { table: "members", key: "room_id", row }.id(17)?;
        let member = member(&room, row)?;
        found.push((room, member));
        Ok(())
    })?;
    Ok(found)
}

/// Records that `agent` was seen in `room`.
pub fn seen(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, at: Timestamp) -> Result<(), StoreError> {
    tx.execute(SEEN, &[room.as_str().into(), agent.as_str().into(), at.as_millis().into()], Changes::Any)
}

fn put_member(tx: &mut dyn Tx, room: &RoomId, ordinal: usize, member: &Member) -> Result<(), StoreError> {
    let process = member.process.as_ref();
    let keeps = process.and_then(|process| process.keeps.as_ref()).map(serde_json::to_string);
    let keeps = keeps.transpose().map_err(|error| bad("members", member.agent_id.as_str(), error))?;
    tx.execute(
        PUT_MEMBER,
        &[
            room.as_str().into(),
            member.agent_id.as_str().into(),
            (ordinal as i64).into(),
            member.display_name.as_str().into(),
            session_kind_text(member.session_kind).into(),
            process.map(|process| process.host_id.as_str()).into(),
            process.map(|process| process.boot_id.as_str()).into(),
            process.map(|process| number(process.pid_namespace)).into(),
            process.map(|process| i64::from(process.pid)).into(),
            process.map(|process| number(process.start_ticks)).into(),
            process.and_then(|process| process.pidfd_inode).map(number).into(),
            process.map(|process| process.process_started_at.as_millis()).into(),
            member.joined_at.as_millis().into(),
            member.last_seen_at.as_millis().into(),
            member.role.as_ref().map(Role::as_str).into(),
            keeps.as_deref().into(),
            member.added_by.as_deref().into(),
            member.parallel_to.as_ref().map(AgentId::as_str).into(),
            i64::from(member.overridden).into(),
            member.wake.map(Wake::as_str).into(),
            member.rest.map(|rest| number(rest.since.0)).into(),
            member.rest.map(|rest| rest.until.as_millis()).into(),
        ],
        Changes::Any,
    )
}

fn process_json(room: &Room) -> Result<Option<String>, StoreError> {
    let process = room.ownership().and_then(|ownership| ownership.process.as_ref());
    process.map(serde_json::to_string).transpose().map_err(|error| bad("rooms", room.id.as_str(), error))
}

fn policy_json(room: &Room) -> Result<String, StoreError> {
    serde_json::to_string(&room.policy).map_err(|error| bad("rooms", room.id.as_str(), error))
}

/// The stick as columns.
#[derive(Default)]
struct Columns<'a> {
    state: &'static str,
    sequence_index: i64,
    turn_id: i64,
    owner: Option<&'a str>,
    owner_process: Option<&'a str>,
    owner_reason: Option<&'static str>,
    owned_since: Option<i64>,
    lease_id: Option<&'a str>,
    lease_expires_at: Option<i64>,
    reserved_for: Option<&'a str>,
    claim_expires_at: Option<i64>,
    handoff_seq: Option<i64>,
    handoff_from: Option<&'a str>,
    handoff_via: Option<&'static str>,
    taken_from: Option<&'a str>,
}

impl<'a> Columns<'a> {
    fn of(room: &'a Room, owner_process: Option<&'a str>) -> Self {
        let stick = Self::of_stick(&room.stick, owner_process);
        Self { sequence_index: room.sequence_index as i64, turn_id: number(room.turn.0), ..stick }
    }

    fn of_stick(stick: &'a Stick, owner_process: Option<&'a str>) -> Self {
        match stick {
            Stick::Closed => Self { state: "closed", ..Self::default() },
            Stick::Idle(pending) => Self { state: "idle", ..Self::default() }.with_handoff(pending.as_ref()),
            Stick::Reserved(reservation) => Self {
                state: "reserved",
                reserved_for: Some(reservation.recipient.as_str()),
                claim_expires_at: Some(reservation.claim_expires_at.as_millis()),
                ..Self::default()
            }
            .with_handoff(Some(&reservation.pending)),
            Stick::Owned(ownership) => Self {
                state: "owned",
                owner: Some(ownership.lease.holder.as_str()),
                owner_process,
                owner_reason: Some(ownership.reason.as_str()),
                owned_since: Some(ownership.since.as_millis()),
                lease_id: Some(ownership.lease_id.as_str()),
                lease_expires_at: Some(ownership.lease.expires_at.as_millis()),
                taken_from: ownership.taken_from.as_ref().map(AgentId::as_str),
                ..Self::default()
            }
            .with_handoff(ownership.received.as_ref()),
        }
    }

    /// In the order in which both statements name them.
    fn params(&self) -> [Param<'a>; 15] {
        [
            self.state.into(),
            self.sequence_index.into(),
            self.turn_id.into(),
            self.owner.into(),
            self.owner_process.into(),
            self.owner_reason.into(),
            self.owned_since.into(),
            self.lease_id.into(),
            self.lease_expires_at.into(),
            self.reserved_for.into(),
            self.claim_expires_at.into(),
            self.handoff_seq.into(),
            self.handoff_from.into(),
            self.handoff_via.into(),
            self.taken_from.into(),
        ]
    }

    fn with_handoff(self, pending: Option<&'a Pending>) -> Self {
        let Some(pending) = pending else { return self };
        Self {
            handoff_seq: Some(number(pending.seq.0)),
            handoff_from: Some(pending.from.as_str()),
            handoff_via: Some(match pending.via {
                Via::Release => "release",
                Via::Pass => "pass",
            }),
            ..self
        }
    }
}

fn room(row: &dyn Row) -> Result<Room, StoreError> {
    let key = row.text(0)?.unwrap_or_default().to_owned();
    let fields = Fields { table: "rooms", key: &key, row };
    let handoff = match (row.int(13)?, row.text(14)?) {
        (Some(seq), Some(from)) => Some(Pending {
            seq: Seq(seq.max(0) as u64),
            from: from.parse().map_err(|error| fields.bad(error))?,
            via: if row.text(15)? == Some("pass") { Via::Pass } else { Via::Release },
        }),
        _ => None,
    };
    let stick = match fields.text(2)? {
        "closed" => Stick::Closed,
        "idle" => Stick::Idle(handoff),
        "reserved" => Stick::Reserved(Reservation {
            recipient: fields.id(11)?,
            claim_expires_at: fields.time(12)?,
            pending: handoff.ok_or_else(|| fields.bad("is reserved without a handoff"))?,
        }),
        "owned" => Stick::Owned(Ownership {
            lease: Lease { holder: fields.id(5)?, fence: Fence(fields.number(4)?), expires_at: fields.time(10)? },
            lease_id: fields.id(9)?,
            process: match row.text(6)? {
                Some(json) => Some(serde_json::from_str(json).map_err(|error| fields.bad(error))?),
                None => None,
            },
            received: handoff,
            taken_from: fields.optional(21)?,
            reason: reason(fields.text(7)?).map_err(|error| fields.bad(error))?,
            since: fields.time(8)?,
        }),
        other => return Err(fields.bad(format!("has the state {other:?}"))),
    };
    let policy = policy(fields.text(16)?).map_err(|error| fields.bad(error))?;
    Ok(Room {
        id: fields.id(0)?,
        canonical_path: row.text(1)?.map(str::to_owned),
        name: row.text(20)?.map(str::to_owned),
        members: Vec::new(),
        sequence_index: fields.number(3)? as usize,
        stick,
        turn: Fence(fields.number(4)?),
        policy,
        last_seq: Seq(fields.number(17)?),
        created_at: fields.time(18)?,
        updated_at: fields.time(19)?,
        earlier_events: fields.number(22)?,
    })
}

/// Reads a policy. Most rooms have the default one, and comparing texts is much cheaper than reading one in each look at a room.
fn policy(text: &str) -> Result<Policy, serde_json::Error> {
    static DEFAULT: LazyLock<String> = LazyLock::new(|| serde_json::to_string(&Policy::default()).unwrap_or_default());
    if text == *DEFAULT { Ok(Policy::default()) } else { serde_json::from_str(text) }
}

fn member(room: &RoomId, row: &dyn Row) -> Result<Member, StoreError> {
    let fields = Fields { table: "members", key: room.as_str(), row };
    let process = match (row.text(3)?, row.text(4)?) {
        (Some(host_id), Some(boot_id)) => Some(ProcessIdentity {
            host_id: host_id.to_owned(),
            boot_id: boot_id.to_owned(),
            pid_namespace: fields.number(5)?,
            pid: fields.number(6)? as u32,
            start_ticks: fields.number(7)?,
            pidfd_inode: row.int(8)?.map(|inode| inode as u64),
            process_started_at: fields.time(9)?,
            keeps: match row.text(13)? {
                Some(keeps) => Some(serde_json::from_str(keeps).map_err(|error| fields.bad(error))?),
                None => None,
            },
        }),
        _ => None,
    };
    Ok(Member {
        agent_id: fields.id(0)?,
        display_name: fields.text(1)?.to_owned(),
        role: fields.optional(12)?,
        session_kind: session_kind(fields.text(2)?).map_err(|error| fields.bad(error))?,
        process,
        overridden: row.int(16)?.unwrap_or_default() != 0,
        added_by: row.text(14)?.map(str::to_owned),
        parallel_to: fields.optional(15)?,
        wake: fields.optional_word(18)?,
        rest: row
            .int(19)?
            .zip(fields.optional_time(20)?)
            .map(|(since, until)| Rest { since: Seq(since as u64), until }),
        joined_at: fields.time(10)?,
        last_seen_at: fields.time(11)?,
    })
}

fn reason(text: &str) -> Result<ClaimReason, serde_json::Error> {
    serde_json::from_value(Value::String(text.to_owned()))
}

fn session_kind_text(kind: SessionKind) -> &'static str {
    match kind {
        SessionKind::McpHarness => "mcp_harness",
        SessionKind::Human => "human",
        SessionKind::HumanGuardian => "human_guardian",
        SessionKind::Shell => "shell",
    }
}

fn session_kind(text: &str) -> Result<SessionKind, serde_json::Error> {
    serde_json::from_value(Value::String(text.to_owned()))
}
