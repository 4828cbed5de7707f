//! The hub: what a server is made of, whatever it speaks.
//!
//! It admits a call (the server is not ending, the role allows it, its credential is not used too often), runs it on the
//! right thread, and counts it. It opens streams. It knows nothing of bytes; who calls is found out by the transport.

use std::sync::Arc;

use baton_app::{
    App, Caller, Cancel, Failure, Rights,
    table::{Call, Command, Effect},
};
use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
};
use serde_json::{Map, Value};
use tokio::{
    sync::{Semaphore, watch},
    time::Instant,
};

use crate::{
    BoundTo, Credential, Metrics, Outcome, Permit, Rate, Subscription,
    bindings::Bindings,
    blocking,
    credential::revoked,
    departures::Departures,
    feed::Feeds,
    pulse::Pulse,
    quota::{Kind, Quotas},
    rate::Rates,
    running::{Running, UnderWay},
    subscription::Ear,
};

/// Calls that are in an embedded store at a time, to write: as many as it keeps connections for. They could not write
/// together anyway, and a queue in here is fairer, and cheaper, than the lock that they would all try.
const WRITES_EMBEDDED: usize = 4;
/// Calls that are in a store at the other end of a network at a time. They wait for the network more than for each other.
const CALLS_REMOTE: usize = 64;
/// Most calls that wait at a time: each has a thread.
pub(crate) const WAITS_MAX: usize = 1_024;
/// When to try again after too many waits.
const WAITS_RETRY_MS: u64 = 1_000;

/// What every server stands on. One per process, shared.
pub struct Hub {
    app: Arc<App>,
    feeds: Arc<Feeds>,
    rates: Rates,
    quotas: Arc<Quotas>,
    bindings: Bindings,
    metrics: Arc<Metrics>,
    closing: watch::Sender<bool>,
    running: Arc<Running>,
    waits: Arc<Semaphore>,
    /// Who may go to the store now.
    counter: Arc<Semaphore>,
    departures: Departures,
    pulse: Pulse,
}

impl Hub {
    /// A hub with the usual rate.
    pub fn new(app: Arc<App>) -> Arc<Self> {
        Self::with_rate(app, Rate::default())
    }

    /// A hub where each credential may be used so often.
    pub fn with_rate(app: Arc<App>, rate: Rate) -> Arc<Self> {
        let metrics = Arc::new(Metrics::new());
        let at_once = if app.is_remote() { CALLS_REMOTE } else { WRITES_EMBEDDED };
        Arc::new(Self {
            feeds: Arc::new(Feeds::new(Arc::clone(&app), Arc::clone(&metrics))),
            departures: Departures::new(Arc::clone(&app)),
            pulse: Pulse::new(Arc::clone(&app)),
            app,
            rates: Rates::new(rate),
            quotas: Arc::default(),
            bindings: Bindings::default(),
            metrics,
            closing: watch::Sender::new(false),
            running: Arc::default(),
            waits: Arc::new(Semaphore::new(WAITS_MAX)),
            counter: Arc::new(Semaphore::new(at_once)),
        })
    }

    /// What it serves.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Lets no credential speak for an agent that `bound_to` says others are bound to.
    pub fn bind_agents(&self, bound_to: Box<BoundTo>) {
        self.bindings.set(bound_to);
    }

    /// What it counted.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Runs a command for a caller, as [`Hub::run`] does.
    pub async fn call(
        &self,
        credential: &Credential,
        caller: Caller,
        command: &'static Command,
        input: Map<String, Value>,
    ) -> Result<Value, Failure> {
        self.run(credential, caller, Call::of(command, input)).await
    }

    /// Runs a call for a caller. A wait ends when this is dropped, when the caller's own bell rings, when the credential
    /// stops counting, and when the server is about to end; a write that has begun is finished, whoever still listens.
    pub async fn run(&self, credential: &Credential, caller: Caller, call: Call) -> Result<Value, Failure> {
        let mut timed = Timed { hub: self, command: call.command, begun: Instant::now(), outcome: Outcome::Abandoned };
        let answer = self.admitted(credential, caller, call).await;
        timed.outcome = Outcome::of(&answer);
        answer
    }

    /// Opens a stream of the events of `room` after `after`; after 0 it has all of them.
    pub async fn subscribe(&self, credential: &Credential, room: &RoomId, after: Seq) -> Result<Subscription, Failure> {
        self.require_open()?;
        let permit = self.open_stream(credential)?;
        let (feeds, room, closing) = (Arc::clone(&self.feeds), room.clone(), self.closing());
        let under = (credential.clone(), permit);
        // Made over there, so that one that nobody waits for any more is given up again.
        blocking::cross(move || {
            Ok(Subscription::new(Arc::clone(&feeds), feeds.join(&room, after)?, after, closing, under))
        })
        .await
    }

    /// Takes a place for another stream under a credential, unless it is used too often or has too many open.
    pub fn open_stream(&self, credential: &Credential) -> Result<Permit, Failure> {
        self.admit(credential)?;
        self.quotas.take(credential, Kind::Stream).inspect_err(|_| self.metrics.limited())
    }

    /// Counts what happens anywhere in the store, from now on: a number that grows, several events at a time.
    pub fn pulse(&self) -> Result<watch::Receiver<u64>, Failure> {
        self.require_open()?;
        self.pulse.feel()
    }

    /// Looks at the store for a caller, as a command that only reads does.
    pub async fn look<T: Send + 'static>(
        &self,
        credential: &Credential,
        caller: Caller,
        look: impl FnOnce(&App, &Caller) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let under_way = self.running.enter();
        self.require_open()?;
        self.admit(credential)?;
        self.bindings.require_free(&caller)?;
        let app = Arc::clone(&self.app);
        blocking::cross(move || (look(&app, &caller), under_way).0).await
    }

    /// Listens to a room from now on.
    pub(crate) async fn listen(&self, room: &RoomId) -> Result<Ear, Failure> {
        self.require_open()?;
        let (feeds, room, closing) = (Arc::clone(&self.feeds), room.clone(), self.closing());
        blocking::cross(move || {
            let newest = feeds.app.newest(&room)?;
            Ok(Ear::new(Arc::clone(&feeds), feeds.join(&room, newest)?, newest, closing))
        })
        .await
    }

    /// Begins to end: streams are told, new calls are refused, waits come back, and what else runs is finished.
    pub fn shut_down(&self) {
        self.closing.send_replace(true);
        self.feeds.end();
        self.pulse.end();
        self.departures.end();
    }

    /// Tells when the server begins to end.
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Waits until the server begins to end.
    pub async fn closed(&self) {
        // An error would mean that the hub is gone.
        let _ = self.closing().wait_for(|closing| *closing).await;
    }

    /// Waits until no call is under way any more.
    pub async fn drained(&self) {
        self.running.none().await;
    }

    /// Lets a call in, unless its credential is used too often.
    pub(crate) fn admit(&self, credential: &Credential) -> Result<(), Failure> {
        self.rates.admit(credential).inspect_err(|_| self.metrics.limited())
    }

    /// Goes to the store when it is this call's turn.
    pub(crate) async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        // It is never closed, so there is always a turn to wait for.
        let turn = Arc::clone(&self.counter).acquire_owned().await;
        // The turn goes along: work that nobody waits for any more takes its time all the same.
        blocking::cross(move || (work(), turn).0).await
    }

    /// Counts something that a server that ends has to wait for, until it is dropped.
    pub(crate) fn enter(&self) -> UnderWay {
        self.running.enter()
    }

    /// Lets those through who may do what agents do.
    pub(crate) fn require_agent(&self, caller: &Caller) -> Result<(), Failure> {
        self.require_open()?;
        if caller.rights() >= Rights::Agent {
            return self.bindings.require_free(caller);
        }
        let message = "A viewer has no runtime: it may not take what was submitted to an agent.";
        Err(Failure::new(ErrorCode::Forbidden, message).with("role", caller.rights().as_str()).with("needs", "agent"))
    }

    async fn admitted(&self, credential: &Credential, caller: Caller, call: Call) -> Result<Value, Failure> {
        // Counted before it is looked whether the server ends, so that whoever waits for the last call misses none.
        let under_way = self.running.enter();
        self.require_open()?;
        call.command.check(&caller)?;
        self.admit(credential)?;
        self.bindings.require_free_for(&caller, &call)?;
        match call.command.effect {
            Effect::Read if !self.app.is_remote() => blocking::inline(|| call.run(&self.app, &caller)),
            Effect::Read | Effect::Write => {
                let app = Arc::clone(&self.app);
                self.in_turn(move || (call.run(&app, &caller), under_way).0).await
            }
            Effect::Wait | Effect::Follow => self.wait(credential, caller, call, under_way).await,
        }
    }

    async fn wait(
        &self,
        credential: &Credential,
        caller: Caller,
        call: Call,
        under_way: UnderWay,
    ) -> Result<Value, Failure> {
        let quota = self.quotas.take(credential, Kind::Wait).inspect_err(|_| self.metrics.limited())?;
        let permit = Arc::clone(&self.waits).try_acquire_owned().map_err(|_| {
            Failure::new(ErrorCode::RateLimited, format!("{WAITS_MAX} calls wait already."))
                .with("retry_after_ms", WAITS_RETRY_MS)
        })?;
        let _counted = self.metrics.waiting();
        let own = caller.cancel.clone();
        let cancel = own
            .or_new()
            .map_err(|error| Failure::new(ErrorCode::Internal, format!("A wait could not be prepared: {error}.")))?;
        // Rings however this ends; after the answer nobody hears it.
        let withdraw = Withdraw(cancel.clone());
        let connection = Arc::clone(&caller.connection);
        let (app, caller) = (Arc::clone(&self.app), caller.on(connection, cancel));
        let running = blocking::apart(move || {
            let answer = call.run(&app, &caller);
            drop((under_way, permit, quota));
            answer
        });
        let mut running = std::pin::pin!(running);
        tokio::select! {
            answer = &mut running => answer,
            () = self.closed() => {
                withdraw.0.ring();
                running.await
            }
            reason = credential.ended() => {
                withdraw.0.ring();
                // An answer that was under way already is told; it says no more than it would have a moment earlier.
                running.await.map_err(|failure| match failure.code {
                    ErrorCode::Canceled => revoked(&reason),
                    _ => failure,
                })
            }
        }
    }

    fn require_open(&self) -> Result<(), Failure> {
        if *self.closing.borrow() {
            return Err(Failure::new(ErrorCode::ShuttingDown, "The server is about to end."));
        }
        Ok(())
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.shut_down();
    }
}

/// Withdraws a wait when nobody waits for it any more.
struct Withdraw(Cancel);

impl Drop for Withdraw {
    fn drop(&mut self) {
        self.0.ring();
    }
}

/// Counts a call when it ends, in whatever way.
struct Timed<'a> {
    hub: &'a Hub,
    command: &'static Command,
    begun: Instant,
    outcome: Outcome,
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        self.hub.metrics.called(self.command, self.outcome, self.begun.elapsed());
    }
}
