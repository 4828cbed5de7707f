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
    fields::Fields,
    question::{Answer, Argument, list, questions},
    sql::{Shape, newest, select},
    table::table,
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

questions! {
    /// The turn that an agent is in.
    pub fn open_of(agent: &AgentId) -> Option<Turn> = OPEN_OF: "
        WHERE room_id = ?1 AND agent_id = ?2 AND ended_at_ms IS NULL
    ";

    /// All turns that go on, by agent.
    pub fn open() -> Vec<Turn> = OPEN: "
        WHERE room_id = ?1 AND ended_at_ms IS NULL
        ORDER BY agent_id
    ";

    /// Last seen state of each agent's stream in a room.
    pub fn streams() -> Vec<Stream> = STREAMS: "
        WHERE room_id = ?1
        ORDER BY agent_id
    ";

    /// Last seen state of an agent's stream.
    pub fn stream_of(agent: &AgentId) -> Option<Stream> = STREAM: "
        WHERE room_id = ?1 AND agent_id = ?2
    ";
}

pub(crate) const NEWEST: &str = newest!(Turn, "turn");
pub(crate) const OF_AGENT: &str = newest!(Turn, "turn", "agent_id = ?4");
pub(crate) const OF_JOB: &str = newest!(Turn, "turn", "job = ?4");

/// A choice of turns.
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
    match which {
        Which::All => list(tx, NEWEST, room, &[&before, &limit]),
        Which::Of(agent) => list(tx, OF_AGENT, room, &[&before, &limit, &agent]),
        Which::Job(job) => list(tx, OF_JOB, room, &[&before, &limit, &job]),
    }
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

pub(crate) const TOTAL_OF_JOB: &str = totals!(" WHERE room_id = ?1 AND job = ?2");
pub(crate) const TOTAL_OF_AGENT: &str = totals!(" WHERE room_id = ?1 AND agent_id = ?2");

/// How many turns a job has had, and what they took in all.
pub fn total_of_job(tx: &mut dyn Tx, room: &RoomId, job: JobId) -> Result<(u64, Usage), StoreError> {
    total(tx, TOTAL_OF_JOB, &[room.as_str().into(), job.param()])
}

/// How many turns an agent has had, and what they took in all.
pub fn total_of_agent(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<(u64, Usage), StoreError> {
    total(tx, TOTAL_OF_AGENT, &[room.as_str().into(), agent.param()])
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
macro_rules! events_between {
    ($order:literal) => {
        select!(
            Recorded,
            concat!(
                "WHERE room_id = ?1 AND seq > ?2 AND seq <= ?3 AND subject = ?4 AND type = ?5 ORDER BY ",
                $order,
                " LIMIT ?6"
            )
        )
    };
}

pub(crate) const EVENTS: &str = events_between!("seq");
pub(crate) const EVENTS_BACK: &str = events_between!("seq DESC");

/// Events of a turn of one type, after a place and up to another, oldest first.
pub fn events(
    tx: &mut dyn Tx,
    room: &RoomId,
    turn: &Turn,
    kind: &str,
    (after, until): (Seq, Seq),
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    let after = after.max(Seq(turn.seq.0.saturating_sub(1)));
    list(tx, EVENTS, room, &[&after, &until, &turn.agent_id, &kind, &limit])
}

/// Events about an agent of one type, after a place and up to another, the last first.
pub fn events_back(
    tx: &mut dyn Tx,
    room: &RoomId,
    (agent, kind): (&AgentId, &str),
    (after, until): (Seq, Seq),
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    list(tx, EVENTS_BACK, room, &[&after, &until, &agent, &kind, &limit])
}

/// The next number of a turn.
pub fn next(tx: &mut dyn Tx, room: &RoomId) -> Result<TurnId, StoreError> {
    let last = before(tx, room, Which::All, None, 1)?;
    Ok(TurnId(last.first().map_or(0, |turn| turn.id.0) + 1))
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

impl Answer for Stream {
    const SHAPE: Shape = Shape::of("streams", &["agent_id", "status", "provider", "session", "last_activity_ms"]);

    fn read(room: &RoomId, row: &dyn Row) -> Result<Self, StoreError> {
        let fields = Fields { table: "streams", key: room.as_str(), row };
        Ok(Self {
            agent_id: fields.id(0)?,
            status: fields.word(1)?,
            provider: row.text(2)?.map(str::to_owned),
            session: row.text(3)?.map(str::to_owned),
            last_activity_at: fields.time(4)?,
        })
    }
}
