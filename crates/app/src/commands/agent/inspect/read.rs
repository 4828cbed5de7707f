//! What is on record about an agent, newest first. Looking delivers nothing, and shows nobody to be there.

use baton_core::{
    ids::{AgentId, RoomId},
    limits,
    policy::Wake,
    spawn::Grants,
    time::Timestamp,
    turn::Usage,
};
use baton_store::{engine::Tx, envelopes::Way, turns as stored};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        directory::{Earlier, Everybody},
        graph::{WaitView, of_agent_in},
        list::grants_of,
        node::NodeView,
    },
    InboxEntry, ToolEntry, TurnEntry, artifacts, envelopes, inbox, tools, turns,
    whose::whose,
};
use crate::{
    App, Caller, Failure,
    app::Sight,
    bounds::{self, Page},
    commands::{library::ArtifactView, open::OpenedEnvelope},
    table::{AGENT, Effect, Place, UseCase},
    view::ProcessState,
};

/// `agent.inspect`
pub struct Inspect;

/// Entries of each section, where all are shown.
const GLANCE: u32 = 5;
/// How much is shown of who waits, in bytes of JSON.
const WAITS_BYTES: usize = 4_000;

/// A part of what is on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Section {
    /// Envelopes to it, as they were sent.
    Incoming,
    /// Envelopes from it.
    Outgoing,
    /// All messages to it, and how far each is.
    Inbox,
    /// Its turns, with what it was told and what they took.
    Turns,
    /// Which tools it used.
    Tools,
    /// Files that it left.
    Artifacts,
    /// Those of them that are diffs.
    Diffs,
}

impl Section {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Incoming => "incoming",
            Self::Outgoing => "outgoing",
            Self::Inbox => "inbox",
            Self::Turns => "turns",
            Self::Tools => "tools",
            Self::Artifacts => "artifacts",
            Self::Diffs => "diffs",
        }
    }

    /// How much of it is shown beside the others, in bytes of JSON.
    const fn glance_bytes(self) -> usize {
        match self {
            Self::Incoming | Self::Outgoing | Self::Turns => 6_000,
            Self::Inbox | Self::Tools | Self::Artifacts => 4_000,
            Self::Diffs => 2_000,
        }
    }
}

/// Whom to look at.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InspectInput {
    pub room_id: RoomId,
    /// Name or id, or JOB-001
    pub agent: String,
    /// Only this, and more of it; default: the newest of all
    pub section: Option<Section>,
    /// With a section, only older entries: the `before` of its cursor
    pub before: Option<u64>,
    /// 1 to 200 of each; default 25 of a section, else 5
    pub limit: Option<u32>,
}

/// An agent, and what went in and came out of it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct InspectResult {
    pub room_id: RoomId,
    #[serde(flatten)]
    pub node: NodeView,
    /// What can be seen of its process.
    pub process: ProcessState,
    pub scopes: Vec<String>,
    /// What it may do beyond what all may, and what it may not.
    pub grants: Grants,
    /// Its wakes in force while it is idle.
    pub wake: Option<Wake>,
    /// Set when they were chosen for it, and are not the room's policy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wake_chosen: bool,
    /// Set while its session has ended and a runner may resume it: until when.
    pub resumable_until: Option<Timestamp>,
    /// How many turns it has had.
    pub turn_count: u64,
    /// What all of them took.
    pub usage: Usage,
    /// Waits of its own and for it, with why and since when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<WaitView>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incoming: Vec<OpenedEnvelope>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outgoing: Vec<OpenedEnvelope>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inbox: Vec<InboxEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactView>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diffs: Vec<ArtifactView>,
    /// Which sections have older entries, and how to ask for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub older: Vec<Cursor>,
}

/// Where a section goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cursor {
    pub section: Section,
    pub before: u64,
}

impl UseCase for Inspect {
    const NAME: &'static str = "agent.inspect";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str =
        "All about one agent: envelopes raw, inbox, turns with prompts and usage, tools, artifacts, diffs.";
    type Input = InspectInput;
    type Output = InspectResult;

    fn perform(app: &App, caller: &Caller, input: InspectInput) -> Result<InspectResult, Failure> {
        let default = if input.section.is_some() { limits::TURNS_DEFAULT } else { GLANCE };
        let limit = bounds::limit(input.limit, default, limits::TURNS_MAX)?;
        let viewer = caller.actor().agent_id;
        app.store.read(|tx| inspected(app, tx, &viewer, &input, limit))
    }
}

fn inspected(
    app: &App,
    tx: &mut dyn Tx,
    viewer: &AgentId,
    input: &InspectInput,
    limit: u32,
) -> Result<InspectResult, Failure> {
    let found = Everybody::read(app, tx, &input.room_id, Earlier::Too)?;
    let agent = whose(tx, &found.sight.room, &input.agent)?;
    let mut shown = identity(app, tx, viewer, &found, &agent)?;
    let mut page = Page::of(WAITS_BYTES);
    let waits = of_agent_in(tx, &found.sight, &agent)?.into_iter();
    shown.waits = waits.take(limits::TURNS_DEFAULT as usize).take_while(|wait| page.takes(wait)).collect();
    let mut wanted = Wanted { sight: &found.sight, agent: &agent, input, limit, older: Vec::new() };
    shown.incoming = wanted.section(Section::Incoming, |look| envelopes::read(tx, look, Way::Received))?;
    shown.outgoing = wanted.section(Section::Outgoing, |look| envelopes::read(tx, look, Way::Sent))?;
    shown.inbox = wanted.section(Section::Inbox, |look| inbox::read(tx, look))?;
    shown.turns = wanted.section(Section::Turns, |look| turns::read(tx, look))?;
    shown.tools = wanted.section(Section::Tools, |look| tools::read(tx, look))?;
    shown.artifacts = wanted.section(Section::Artifacts, |look| artifacts::read(tx, look, artifacts::Kinds::All))?;
    shown.diffs = wanted.section(Section::Diffs, |look| artifacts::read(tx, look, artifacts::Kinds::Diffs))?;
    shown.older = wanted.older;
    Ok(shown)
}

fn identity(
    app: &App,
    tx: &mut dyn Tx,
    viewer: &AgentId,
    found: &Everybody<'_>,
    agent: &AgentId,
) -> Result<InspectResult, Failure> {
    let room = &found.sight.room.id;
    let view = found.views(app, viewer)?.into_iter().find(|view| view.agent_id == *agent);
    let known = NodeView::everybody(app, tx, found, viewer)?.into_iter().find(|node| node.agent_id == *agent);
    let mut node = match known {
        Some(node) => node,
        None => NodeView::outside(tx, found, agent)?,
    };
    if node.connection.session.is_none() {
        let newest = stored::before(tx, room, stored::Which::Of(agent), None, GLANCE)?;
        node.connection.session = newest.into_iter().find_map(|turn| turn.session);
    }
    node.queued = baton_store::inbox::waiting(tx, room, agent)?.unseen;
    let kind = view.as_ref().and_then(|view| view.session_kind);
    let (turn_count, usage) = stored::total_of_agent(tx, room, agent)?;
    Ok(InspectResult {
        room_id: room.clone(),
        node,
        process: view.as_ref().map_or(ProcessState::Unknown, |view| view.process),
        wake: view.as_ref().and_then(|view| view.wake),
        wake_chosen: view.as_ref().is_some_and(|view| view.wake_chosen),
        resumable_until: view.as_ref().and_then(|view| view.resumable_until),
        scopes: view.map(|view| view.scopes).unwrap_or_default(),
        grants: grants_of(tx, room, agent, kind)?,
        turn_count,
        usage,
        waits: Vec::new(),
        incoming: Vec::new(),
        outgoing: Vec::new(),
        inbox: Vec::new(),
        turns: Vec::new(),
        tools: Vec::new(),
        artifacts: Vec::new(),
        diffs: Vec::new(),
        older: Vec::new(),
    })
}

/// What somebody wants to see.
struct Wanted<'a> {
    sight: &'a Sight<'a>,
    agent: &'a AgentId,
    input: &'a InspectInput,
    limit: u32,
    older: Vec<Cursor>,
}

/// A look at one section.
pub(super) struct Look<'a> {
    pub(super) sight: &'a Sight<'a>,
    pub(super) agent: &'a AgentId,
    pub(super) before: Option<u64>,
    pub(super) limit: u32,
    pub(super) page: Page,
}

/// Entries of a section, and where the rest of it begins.
pub(super) type Entries<T> = Result<(Vec<T>, Option<u64>), Failure>;

impl Wanted<'_> {
    fn section<T>(&mut self, section: Section, read: impl FnOnce(Look<'_>) -> Entries<T>) -> Result<Vec<T>, Failure> {
        if self.input.section.is_some_and(|only| only != section) {
            return Ok(Vec::new());
        }
        let (before, page) = match self.input.section {
            Some(_) => (self.input.before, Page::default()),
            None => (None, Page::of(section.glance_bytes())),
        };
        let look = Look { sight: self.sight, agent: self.agent, before, limit: self.limit, page };
        let (entries, next) = read(look)?;
        self.older.extend(next.map(|before| Cursor { section, before }));
        Ok(entries)
    }
}

impl Look<'_> {
    /// As many of `entries` as are wanted and fit, and whether there are more.
    pub(super) fn fitting<T: Serialize>(mut self, entries: Vec<T>) -> (Vec<T>, bool) {
        let total = entries.len();
        let taken = entries.into_iter().take(self.limit as usize).take_while(|entry| self.page.takes(entry));
        let taken: Vec<T> = taken.collect();
        let more = taken.len() < total;
        (taken, more)
    }
}
