//! Turns of agents, and what was last seen of their streams.

use baton_core::{
    event::Recorded,
    ids::{AgentId, RoomId, Seq},
    job::JobId,
    turn::{Stream, Turn, TurnId, Usage},
};

use crate::{
    StoreError,
    engine::{Changes, Param, Row, Tx},
    fields::{Fields, collect},
    log,
    sql::select,
    table::{list, table},
};

table! {
    "turns": Turn |of| {
        key |id| { turn = id }
        once {
            agent_id = of.agent_id,
            number = of.number,
            job = of.job,
            revision = of.revision,
            runner = of.runner,
            executor = of.executor,
            seq = of.seq,
            began_at_ms = of.began_at,
        }
        changes {
            mode = of.mode,
            role = of.role,
            tokens = of.tokens,
            sent_tokens = of.sent_tokens,
            tools = of.tools,
            outcome = of.outcome,
            why = of.why,
            session = of.session,
            input_tokens = of.usage.input_tokens,
            cached_tokens = of.usage.cached_tokens,
            output_tokens = of.usage.output_tokens,
            cost_microusd = of.usage.cost_microusd,
            returned = of.returned,
            ended_at_ms = of.ended_at,
        }
    }
    current "ended_at_ms IS NULL"
    read Self {
        id: turn,
        agent_id,
        number,
        job,
        revision,
        runner,
        executor,
        mode,
        role,
        tokens,
        sent_tokens,
        tools,
        outcome,
        why,
        session,
        usage: Usage { input_tokens, cached_tokens, output_tokens, cost_microusd },
        returned,
        seq,
        began_at: began_at_ms,
        ended_at: ended_at_ms,
    }
}

pub(crate) const OPEN_OF: &str = select!(
    Turn,
    "
     WHERE room_id = ?1 AND agent_id = ?2 AND ended_at_ms IS NULL
"
);

/// The turn that an agent is in.
pub fn open_of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Option<Turn>, StoreError> {
    let found = list(tx, OPEN_OF, room, &[room.as_str().into(), agent.as_str().into()])?;
    Ok(found.into_iter().next())
}

pub(crate) const OPEN: &str = select!(
    Turn,
    "
     WHERE room_id = ?1 AND ended_at_ms IS NULL
     ORDER BY agent_id
"
);

/// All turns that go on, by agent.
pub fn open(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<Turn>, StoreError> {
    list(tx, OPEN, room, &[room.as_str().into()])
}

pub(crate) const NEWEST: &str = select!(
    Turn,
    "
     WHERE room_id = ?1 AND turn < ?2
     ORDER BY turn DESC
     LIMIT ?3
"
);
pub(crate) const OF_AGENT: &str = select!(
    Turn,
    "
     WHERE room_id = ?1 AND turn < ?2 AND agent_id = ?4
     ORDER BY turn DESC
     LIMIT ?3
"
);
pub(crate) const OF_JOB: &str = select!(
    Turn,
    "
     WHERE room_id = ?1 AND turn < ?2 AND job = ?4
     ORDER BY turn DESC
     LIMIT ?3
"
);

/// Which turns are meant.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// All.
    All,
    /// An agent's.
    Of(&'a AgentId),
    /// A job's.
    Job(JobId),
}

/// Turns before a number, newest first.
pub fn before(
    tx: &mut dyn Tx,
    room: &RoomId,
    which: Which<'_>,
    before: Option<TurnId>,
    limit: u32,
) -> Result<Vec<Turn>, StoreError> {
    let before = before.map_or(i64::MAX, |id| i64::from(id.0));
    let (sql, of): (_, Option<Param<'_>>) = match which {
        Which::All => (NEWEST, None),
        Which::Of(agent) => (OF_AGENT, Some(agent.as_str().into())),
        Which::Job(job) => (OF_JOB, Some(i64::from(job.0).into())),
    };
    let common = [room.as_str().into(), before.into(), i64::from(limit).into()];
    let params: Vec<Param<'_>> = common.into_iter().chain(of).collect();
    list(tx, sql, room, &params)
}

/// How many turns there are, and what they took in all, of the rows that are meant.
macro_rules! totals {
    ($which:literal) => {
        concat!(
            "
    SELECT CAST(count(*) AS BIGINT),
           CAST(COALESCE(sum(input_tokens), 0) AS BIGINT),
           CAST(COALESCE(sum(cached_tokens), 0) AS BIGINT),
           CAST(COALESCE(sum(output_tokens), 0) AS BIGINT),
           CAST(sum(cost_microusd) AS BIGINT)
      FROM turns",
            $which
        )
    };
}

pub(crate) const TOTAL_OF_JOB: &str = totals!(
    "
     WHERE room_id = ?1 AND job = ?2
"
);
pub(crate) const TOTAL_OF_AGENT: &str = totals!(
    "
     WHERE room_id = ?1 AND agent_id = ?2
"
);

/// How many turns a job has had, and what they took in all.
pub fn total_of_job(tx: &mut dyn Tx, room: &RoomId, job: JobId) -> Result<(u64, Usage), StoreError> {
    total(tx, TOTAL_OF_JOB, &[room.as_str().into(), i64::from(job.0).into()])
}

/// How many turns an agent has had, and what they took in all.
pub fn total_of_agent(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<(u64, Usage), StoreError> {
    total(tx, TOTAL_OF_AGENT, &[room.as_str().into(), agent.as_str().into()])
}

fn total(tx: &mut dyn Tx, sql: &'static str, params: &[Param<'_>]) -> Result<(u64, Usage), StoreError> {
    let mut total = (0, Usage::default());
    tx.query(sql, params, &mut |row| {
        let number = |column| row.int(column).map(|value| value.unwrap_or_default().unsigned_abs());
        let (input_tokens, cached_tokens, output_tokens) = (number(1)?, number(2)?, number(3)?);
        let cost_microusd = row.int(4)?.map(i64::unsigned_abs);
        total = (number(0)?, Usage { input_tokens, cached_tokens, output_tokens, cost_microusd });
        Ok(())
    })?;
    Ok(total)
}

/// Reads an agent's events of one type between two places. A turn is as long as it takes, so that is not the room's past.
pub(crate) const EVENTS: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND seq > ?2 AND seq <= ?3 AND subject = ?4 AND type = ?5
     ORDER BY seq
     LIMIT ?6
";

/// What happened in a turn, by its type, after a place and up to another, oldest first.
pub fn events(
    tx: &mut dyn Tx,
    room: &RoomId,
    turn: &Turn,
    kind: &str,
    (after, until): (Seq, Seq),
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    let place = |seq: Seq| i64::try_from(seq.0).unwrap_or(i64::MAX);
    let (agent, after) = (turn.agent_id.as_str(), place(after.max(Seq(turn.seq.0.saturating_sub(1)))));
    let params =
        [room.as_str().into(), after.into(), place(until).into(), agent.into(), kind.into(), i64::from(limit).into()];
    collect(tx, EVENTS, room, &params, log::recorded)
}

/// The same, the last first.
pub(crate) const EVENTS_BACK: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND seq > ?2 AND seq <= ?3 AND subject = ?4 AND type = ?5
     ORDER BY seq DESC
     LIMIT ?6
";

/// What happened to an agent, by its type, after a place and up to another, the last first.
pub fn events_back(
    tx: &mut dyn Tx,
    room: &RoomId,
    (agent, kind): (&AgentId, &str),
    (after, until): (Seq, Seq),
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    let place = |seq: Seq| i64::try_from(seq.0).unwrap_or(i64::MAX);
    let params = [
        room.as_str().into(),
        place(after).into(),
        place(until).into(),
        agent.as_str().into(),
        kind.into(),
        i64::from(limit).into(),
    ];
    collect(tx, EVENTS_BACK, room, &params, log::recorded)
}

/// The next number of a turn.
pub fn next(tx: &mut dyn Tx, room: &RoomId) -> Result<TurnId, StoreError> {
    let last = before(tx, room, Which::All, None, 1)?;
    Ok(TurnId(last.first().map_or(0, |turn| turn.id.0) + 1))
}

pub(crate) const STREAMS: &str = "
    SELECT agent_id, status, provider, session, last_activity_ms
      FROM streams
     WHERE room_id = ?1
     ORDER BY agent_id
";

/// What was last seen of the streams of a room's agents.
pub fn streams(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<Stream>, StoreError> {
    collect(tx, STREAMS, room, &[room.as_str().into()], stream)
}

pub(crate) const STREAM: &str = "
    SELECT agent_id, status, provider, session, last_activity_ms
      FROM streams
     WHERE room_id = ?1 AND agent_id = ?2
";

/// What was last seen of an agent's stream.
pub fn stream_of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Option<Stream>, StoreError> {
    let found = collect(tx, STREAM, room, &[room.as_str().into(), agent.as_str().into()], stream)?;
    Ok(found.into_iter().next())
}

const PUT_STREAM: &str = "
    INSERT INTO streams (room_id, agent_id, status, provider, session, last_activity_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (room_id, agent_id) DO UPDATE
       SET status = excluded.status, provider = excluded.provider, session = excluded.session,
           last_activity_ms = excluded.last_activity_ms
";

/// Notes what is seen of an agent's stream.
pub fn put_stream(tx: &mut dyn Tx, room: &RoomId, stream: &Stream) -> Result<(), StoreError> {
    let params = [
        room.as_str().into(),
        stream.agent_id.as_str().into(),
        stream.status.as_str().into(),
        stream.provider.as_deref().into(),
        stream.session.as_deref().into(),
        stream.last_activity_at.as_millis().into(),
    ];
    tx.execute(PUT_STREAM, &params, Changes::One("streams"))
}

fn stream(room: &RoomId, row: &dyn Row) -> Result<Stream, StoreError> {
    let fields = Fields { table: "streams", key: room.as_str(), row };
    Ok(Stream {
        agent_id: fields.id(0)?,
        status: fields.word(1)?,
        provider: row.text(2)?.map(str::to_owned),
        session: row.text(3)?.map(str::to_owned),
        last_activity_at: fields.time(4)?,
    })
}
