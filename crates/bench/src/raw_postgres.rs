//! The raw yardstick on a server: the rows of a claim or a release, pipelined by hand, with nothing of Baton's.
//!
//! It works in a database that Baton made, so the schema and the rows are the same. The first round trip begins and
//! reads the room, locked, and its members; the second appends to the log, updates the room and the member's
//! presence, and commits. The values are those that Baton stored for the same transition. What it leaves out is what
//! Baton adds: the decision, the handoff that is read for the new holder, the server's time, the mark by which a lost
//! commit is found again, the notification, and JSON.

use std::{
    path::Path,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use futures_util::future::try_join_all;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{AsyncMessage, Client, NoTls, Row, Statement, types::ToSql};

use crate::{
    player::{Door, Player},
    trouble::{Outcome, refused},
};

const LOAD: &str = "
    SELECT room_id, canonical_path, state, sequence_index, turn_id, owner, owner_process, owner_reason,
           owned_since_ms, lease_id, lease_expires_at_ms, reserved_for, claim_expires_at_ms, handoff_seq,
           handoff_from, handoff_via, policy, last_seq, created_at_ms, updated_at_ms
      FROM baton.rooms
     WHERE room_id = $1
       FOR UPDATE
";

const LOAD_MEMBERS: &str = "
    SELECT agent_id, display_name, session_kind, host_id, boot_id, pid_namespace, pid, start_ticks, pidfd_inode,
           process_started_at_ms, joined_at_ms, last_seen_at_ms
      FROM baton.members
     WHERE room_id = $1
     ORDER BY ordinal
";

const APPEND: &str = "
    INSERT INTO baton.log (room_id, seq, type, actor, subject, turn_id, payload, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
";

const UPDATE: &str = "
    UPDATE baton.rooms
       SET state = $3, sequence_index = $4, turn_id = $5, owner = $6, owner_process = $7, owner_reason = $8,
           owned_since_ms = $9, lease_id = $10, lease_expires_at_ms = $11, reserved_for = $12,
           claim_expires_at_ms = $13, handoff_seq = $14, handoff_from = $15, handoff_via = $16,
           last_seq = $17, updated_at_ms = $18
     WHERE room_id = $1 AND last_seq = $2
";

const SEEN: &str = "
    UPDATE baton.members
       SET last_seen_at_ms = $3
     WHERE room_id = $1 AND agent_id = $2 AND last_seen_at_ms < $3
";

const NEWEST: &str = "
    SELECT type, actor, subject, turn_id, payload
      FROM baton.log
     WHERE room_id = $1
     ORDER BY seq DESC
     LIMIT 1
";

/// The column of [`LOAD`] with the place of the room's last event.
const LAST_SEQ: usize = 17;
/// The columns of [`LOAD`] that a transition stores; these of them are numbers.
const STORED: std::ops::Range<usize> = 2..16;
const NUMBERS: [usize; 6] = [3, 4, 8, 10, 12, 13];

/// A value of a row.
type Value = Box<dyn ToSql + Send + Sync>;

/// A room on a raw connection.
pub(crate) struct Raw {
    runtime: Runtime,
    client: Client,
    statements: Vec<Statement>,
    room_id: String,
    agent_id: String,
    claim: Change,
    release: Change,
    holds: bool,
}

/// What one transition stores.
struct Change {
    room: Vec<Value>,
    event: Vec<Value>,
}

impl Raw {
    /// Opens a room of its own in the store at `store`, where Baton shows it what a claim and a release store.
    pub(crate) fn open(store: &str, workspace: &Path, agent: &str) -> Outcome<Self> {
        let mut player = Player::join(Path::new(store), workspace, agent)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let client = connect(&runtime, store)?;
        let mut shown = || -> Outcome<Change> {
            player.transition(Door::Json).map_err(refused)?;
            Change::read(&runtime, &client, player.room_id())
        };
        // The first claim finds no handoff, so that it is not like the ones that follow.
        let (_, _, claim, release) = (shown()?, shown()?, shown()?, shown()?);
        let room_id = player.room_id().to_owned();
        let texts = [LOAD, LOAD_MEMBERS, APPEND, UPDATE, SEEN];
        let statements = runtime.block_on(try_join_all(texts.map(|text| client.prepare(text))))?;
        Ok(Self { statements, client, runtime, room_id, agent_id: agent.to_owned(), claim, release, holds: false })
    }

    /// Claims or releases, in turns, and tells how long it took.
    pub(crate) fn transition(&mut self) -> Outcome<Duration> {
        let started = Instant::now();
        let change = if self.holds { &self.release } else { &self.claim };
        self.runtime.block_on(self.write(change))?;
        let took = started.elapsed();
        self.holds = !self.holds;
        Ok(took)
    }

    async fn write(&self, change: &Change) -> Outcome<()> {
        let [load, load_members, append, update, seen] = self.statements.as_slice() else {
            return Err("five statements are prepared".into());
        };
        let (client, room_id) = (&self.client, &self.room_id);
        let key: [&(dyn ToSql + Sync); 1] = [room_id];
        let (_, rooms, _) = tokio::try_join!(
            biased;
            client.batch_execute("BEGIN"),
            client.query(load, &key),
            client.query(load_members, &key),
        )?;
        let last: i64 = rooms.first().ok_or("the room is gone")?.try_get(LAST_SEQ)?;
        let (next, now) = (last + 1, now_ms());
        let mut event: Vec<&(dyn ToSql + Sync)> = vec![room_id, &next];
        event.extend(change.event.iter().map(|value| &**value as &(dyn ToSql + Sync)));
        event.push(&now);
        let mut room: Vec<&(dyn ToSql + Sync)> = vec![room_id, &last];
        room.extend(change.room.iter().map(|value| &**value as &(dyn ToSql + Sync)));
        room.extend([&next as &(dyn ToSql + Sync), &now]);
        let member: [&(dyn ToSql + Sync); 3] = [room_id, &self.agent_id, &now];
        tokio::try_join!(
            biased;
            client.execute(append, &event),
            client.execute(update, &room),
            client.execute(seen, &member),
            client.batch_execute("COMMIT"),
        )?;
        Ok(())
    }
}

impl Change {
    /// What the last transition of a room has stored.
    fn read(runtime: &Runtime, client: &Client, room_id: &str) -> Outcome<Self> {
        let load = LOAD.replace("FOR UPDATE", "");
        let room = runtime.block_on(client.query_one(&load, &[&room_id]))?;
        let event = runtime.block_on(client.query_one(NEWEST, &[&room_id]))?;
        let value = |row: &Row, column: usize, is_number: bool| -> Outcome<Value> {
            Ok(if is_number {
                Box::new(row.try_get::<_, Option<i64>>(column)?)
            } else {
                Box::new(row.try_get::<_, Option<String>>(column)?)
            })
        };
        Ok(Self {
            room: STORED.map(|column| value(&room, column, NUMBERS.contains(&column))).collect::<Outcome<_>>()?,
            event: (0..5).map(|column| value(&event, column, column == 3)).collect::<Outcome<_>>()?,
        })
    }
}

/// A bare notification: from its sending on one connection to its arrival on another.
pub(crate) struct Bell {
    runtime: Runtime,
    sender: Client,
    heard: std::sync::mpsc::Receiver<Instant>,
}

impl Bell {
    /// Hangs it up. The listener has a thread of its own.
    pub(crate) fn hang(store: &str) -> Outcome<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let sender = connect(&runtime, store)?;
        let (hear, heard) = std::sync::mpsc::channel();
        let (ready, is_ready) = std::sync::mpsc::channel();
        let address = store.to_owned();
        std::thread::spawn(move || -> Outcome<()> {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async move {
                let (client, mut connection) = tokio_postgres::connect(&address, NoTls).await?;
                let mut listening = std::pin::pin!(client.batch_execute("LISTEN bench"));
                let mut announced = false;
                std::future::poll_fn(|context| {
                    if !announced && listening.as_mut().poll(context).is_ready() {
                        announced = true;
                        let _ = ready.send(());
                    }
                    while let std::task::Poll::Ready(message) = connection.poll_message(context) {
                        match message {
                            Some(Ok(AsyncMessage::Notification(_))) => {
                                if hear.send(Instant::now()).is_err() {
                                    return std::task::Poll::Ready(());
                                }
                            }
                            Some(Ok(_)) => {}
                            Some(Err(_)) | None => return std::task::Poll::Ready(()),
                        }
                    }
                    std::task::Poll::Pending
                })
                .await;
                Ok(())
            })
        });
        is_ready.recv()?;
        Ok(Self { runtime, sender, heard })
    }

    /// Rings it and tells how long that took to be heard.
    pub(crate) fn ring(&self) -> Outcome<Duration> {
        let started = Instant::now();
        self.runtime.block_on(self.sender.batch_execute("NOTIFY bench"))?;
        Ok(self.heard.recv()?.saturating_duration_since(started))
    }
}

fn connect(runtime: &Runtime, store: &str) -> Outcome<Client> {
    let (client, connection) = runtime.block_on(tokio_postgres::connect(store, NoTls))?;
    runtime.spawn(connection);
    Ok(client)
}

fn now_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}
