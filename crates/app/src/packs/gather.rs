//! What the store and the workspace know that an agent should.

use baton_core::{
    code::ErrorCode,
    context::{Budget, ContextPack, Input, PackArtifact, PackId, RelevantFile, Sources, Stated, Told, build},
    event::Recorded,
    handoff::Handoff,
    ids::{AgentId, RoomId, Seq},
    inbox::Content,
    job::job_of,
    library::ArtifactKind,
    limits,
    reference::Reference,
    room::{Pending, Room, Stick},
    time::Timestamp,
};
use baton_store::{
    engine::Tx,
    envelopes::{self, Way},
    inbox as inboxes, library, log, scopes, table, turns,
};

use super::workspace::Workspace;
use crate::{App, Caller, Failure, commands::envelope::sent};

/// How many envelopes are looked through for a pack that came with one.
const ENVELOPES: u32 = 50;

/// Which pack another goes on from.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    /// The one that came with the last handoff.
    Last,
    /// None.
    Nothing,
    /// This one.
    Pack(PackId),
}

/// What a pack is to be built of.
pub(crate) struct Gathering<'a> {
    /// The agent that it is for.
    pub(crate) node: AgentId,
    /// Whose last handoff it goes on from: the same agent's, or whoever hands on to it.
    pub(crate) after: AgentId,
    /// The handoff that is being handed on, and when.
    pub(crate) handing_on: Option<(&'a Handoff, Timestamp)>,
    /// Files to know besides those that are found.
    pub(crate) files: &'a [String],
    /// Which pack it goes on from.
    pub(crate) base: Base,
    /// How large it may be.
    pub(crate) budget: Budget,
}

/// A pack, and what could not be looked at for it.
pub(crate) struct Gathered {
    pub(crate) pack: ContextPack,
    pub(crate) gaps: Vec<String>,
}

/// What the store tells.
struct Known {
    brief: Option<Stated>,
    handoff: Option<Recorded>,
    /// The last pack that came with a handoff.
    last_pack: Option<PackId>,
    inputs: Vec<Recorded>,
    artifacts: Vec<(Seq, PackArtifact, Timestamp)>,
    scopes: Vec<String>,
}

impl App {
    /// Builds a pack of what is known now. Keeps nothing.
    pub(crate) fn build_pack(
        &self,
        caller: &Caller,
        room: &Room,
        gathering: &Gathering<'_>,
    ) -> Result<Gathered, Failure> {
        let known = self.store.read(|tx| Known::read(tx, room, gathering))?;
        let mut gaps = Vec::new();
        let base = self.base(&room.id, &gathering.base, &known, &mut gaps)?;
        let workspace = Workspace::of(room, caller);
        if workspace.is_none() && room.canonical_path.is_some() {
            gaps.push("the workspace is not on this machine, so no files were looked at".to_owned());
        }
        let name = |agent: &AgentId| called(room, agent);
        let mut sources = Sources {
            run_id: room.id.to_string(),
            node_id: gathering.node.to_string(),
            at: room.created_at,
            base,
            ..Sources::default()
        };
        if let Some(stated) = known.brief {
            (sources.brief, sources.at) = (stated.brief, sources.at.max(stated.at));
        }
        if let Some((recorded, handoff)) = known.handoff.as_ref().and_then(|told| Some((told, told.event.handoff()?))) {
            sources.at = sources.at.max(recorded.at);
            tell(&mut sources, (recorded.seq, name(&recorded.actor)), handoff, workspace.as_ref());
        }
        if let Some((handoff, at)) = gathering.handing_on {
            sources.at = sources.at.max(at);
            tell(&mut sources, (Seq(u64::MAX), name(&gathering.after)), handoff, workspace.as_ref());
        }
        for recorded in &known.inputs {
            if let Some(input) = input(room, recorded) {
                sources.at = sources.at.max(recorded.at);
                sources.inputs.push((recorded.seq, input));
                sources.artifacts.extend(attached(recorded));
            }
        }
        for (seq, artifact, at) in known.artifacts {
            sources.at = sources.at.max(at);
            sources.artifacts.push((seq, artifact));
        }
        let files = known.scopes.iter().chain(gathering.files).map(String::as_str);
        match &workspace {
            Some(workspace) => gaps.extend(look(&mut sources, workspace, files)),
            None => sources.files.extend(files.map(named)),
        }
        Ok(Gathered { pack: build(sources, gathering.budget), gaps })
    }

    /// Refuses files that are not in the room's workspace.
    pub(crate) fn files_inside(&self, caller: &Caller, room: &Room, files: &[String]) -> Result<(), Failure> {
        let Some(workspace) = Workspace::of(room, caller) else { return Ok(()) };
        let is_astray = |file: &&String| !workspace.relative(file).is_some_and(|path| workspace.has(&path));
        let Some(astray) = files.iter().find(is_astray) else { return Ok(()) };
        let shown: String = astray.chars().take(limits::SHOWN_INPUT_CHARS).collect();
        let message = format!("files: there is no {shown:?} in the room's workspace.");
        Err(Failure::new(ErrorCode::PathNotFound, message)
            .with("field", "files")
            .advising("Give paths from the root of the workspace."))
    }

    fn base(
        &self,
        room: &RoomId,
        base: &Base,
        known: &Known,
        gaps: &mut Vec<String>,
    ) -> Result<Option<ContextPack>, Failure> {
        match base {
            Base::Nothing => Ok(None),
            Base::Pack(id) => self.read_pack(room, id).map(|(_, pack)| Some(pack)),
            Base::Last => Ok(known.last_pack.as_ref().and_then(|id| match self.read_pack(room, id) {
                Ok((_, pack)) => Some(pack),
                // What was found by itself is missed, and said to be; it stops nobody.
                Err(failure) => {
                    gaps.push(failure.message.trim_end_matches('.').to_owned());
                    None
                }
            })),
        }
    }
}

/// What people call an agent.
pub(crate) fn called(room: &Room, agent: &AgentId) -> String {
    room.member(agent).map_or_else(|| agent.to_string(), |member| member.display_name.clone())
}

fn named(path: &str) -> RelevantFile {
    RelevantFile { path: path.to_owned(), ..RelevantFile::default() }
}

/// Adds a handoff, with the files that it points to.
fn tell(sources: &mut Sources, (seq, from): (Seq, String), handoff: &Handoff, workspace: Option<&Workspace>) {
    let mut handoff = handoff.clone();
    for artifact in &mut handoff.artifacts {
        let inside = workspace.and_then(|workspace| Some((workspace, workspace.relative(&artifact.path)?)));
        if let Some((workspace, path)) = inside {
            sources.files.push(workspace.file(&path));
            artifact.path = path;
        }
    }
    sources.handoffs.push(Told { seq, from, handoff });
}

/// Adds what the workspace tells, and gives why git told nothing.
fn look<'a>(sources: &mut Sources, workspace: &Workspace, files: impl Iterator<Item = &'a str>) -> Option<String> {
    let (facts, gap) = workspace.facts();
    // A scope may be a directory and all below it.
    let asked = files.map(|path| path.trim_end_matches("/*"));
    let changed = facts.dirty_files.iter().take(limits::PACK_ITEMS).map(String::as_str);
    let found = asked
        .chain(changed)
        .map(|path| workspace.relative(path).map_or_else(|| named(path), |path| workspace.file(&path)))
        .filter(|file| !matches!(file.path.as_str(), "" | "." | "*"));
    sources.files.extend(found);
    sources.repo_facts = facts;
    if let Some(docs) = sources.brief.docs_path() {
        sources.docs = workspace.documents(&docs);
    }
    gap.map(|gap| gap.trim_end_matches('.').to_owned())
}

impl Known {
    fn read(tx: &mut dyn Tx, room: &Room, gathering: &Gathering<'_>) -> Result<Self, Failure> {
        let (id, node) = (&room.id, &gathering.node);
        let handoff = match received(room, &gathering.after) {
            Some(pending) => log::find(tx, id, pending.seq)?,
            None => None,
        };
        let came = handoff.iter().filter_map(|told| Some((told.seq, told.event.handoff()?.context_ref.clone()?)));
        let mut packs: Vec<(Seq, String)> = came.collect();
        for posted in envelopes::of_agent(tx, id, (&gathering.after, Way::Received), None, ENVELOPES)? {
            packs.extend(posted.context_ref.map(|reference| (posted.seq, reference)));
        }
        let last = packs.into_iter().max_by_key(|(seq, _)| *seq);
        let last_pack = last.and_then(|(_, reference)| match reference.parse() {
            Ok(Reference::Pack(pack)) => Some(pack),
            Ok(_) | Err(_) => None,
        });
        let most = limits::PACK_ITEMS as u32;
        let mut items = inboxes::pending(tx, id, node, Seq(0), most)?;
        if let Some(turn) = turns::open_of(tx, id, node)? {
            items.extend(inboxes::of_turn(tx, id, turn.id)?);
        }
        let mut places: Vec<Seq> = items.iter().map(|item| item.message).collect();
        places.sort();
        places.dedup();
        let kept = match job_of(node) {
            Some(job) => library::artifacts_of_job(tx, id, job, None, most)?,
            None => Vec::new(),
        };
        let is_told = |kind| !matches!(kind, ArtifactKind::Contextpack | ArtifactKind::Prompt);
        let artifacts = kept.iter().filter(|file| is_told(file.kind) && file.dropped_at.is_none()).map(|file| {
            let reference = Reference::Artifact(file.kind, file.id.0).to_string();
            (file.seq, PackArtifact { id: reference, kind: file.kind.to_string() }, file.created_at)
        });
        let now = tx.now()?;
        Ok(Self {
            brief: table::find(tx, id, &())?,
            handoff,
            last_pack,
            inputs: log::find_all(tx, id, &places)?,
            artifacts: artifacts.collect(),
            scopes: scopes::in_force(tx, id)?
                .of(node)
                .filter(|own| own.is_live(now))
                .map(|own| own.scope.clone())
                .collect(),
        })
    }
}

/// The handoff that reached an agent: the one its turn began with, or one that it may take up.
fn received<'a>(room: &'a Room, agent: &AgentId) -> Option<&'a Pending> {
    match &room.stick {
        Stick::Owned(ownership) => ownership.received.as_ref().filter(|_| ownership.lease.holder == *agent),
        Stick::Reserved(reservation) => Some(&reservation.pending).filter(|_| reservation.recipient == *agent),
        Stick::Idle(pending) => pending.as_ref(),
        Stick::Closed => None,
    }
}

/// What an item of an inbox says, in short.
pub(crate) fn input(room: &Room, recorded: &Recorded) -> Option<Input> {
    let mail = recorded.mail()?;
    let message = match mail.content {
        Content::Text(text) => text.to_owned(),
        Content::Parts(sent) => {
            let text = sent.payload.text().map(|text| format!("\n{text}")).unwrap_or_default();
            format!("{}{text}", sent.payload.subject())
        }
        Content::Command(..) => return None,
    };
    let (payload_id, from) = match sent(recorded) {
        Some(sent) => (sent.envelope.id.to_string(), called(room, &sent.envelope.from_node_id)),
        None => {
            let from = mail.from_name.map_or_else(|| called(room, &recorded.actor), str::to_owned);
            (format!("message:{}", recorded.seq), from)
        }
    };
    Some(Input { payload_id, from: Some(from), message: Some(message) })
}

/// What an envelope points to.
fn attached(recorded: &Recorded) -> Vec<(Seq, PackArtifact)> {
    let Some(sent) = sent(recorded) else { return Vec::new() };
    let artifacts = sent.envelope.payload.artifacts.iter();
    artifacts.map(|file| (recorded.seq, PackArtifact { id: file.reference.clone(), kind: file.kind.clone() })).collect()
}
