//! Keeping packs, and reading them again.

use baton_core::{
    code::ErrorCode,
    context::{ContextPack, PackId},
    ids::RoomId,
    library::{Artifact, ArtifactDraft, ArtifactKind, Pointers},
    limits,
    reference::Reference,
};
use baton_store::library;

use crate::{
    App, Failure,
    app::internal,
    artifacts::{Content, Shown, leading},
    unit::Change,
};

/// A pack whose content is kept and that is not on record yet.
pub(crate) struct Prepared {
    pub(crate) pack: ContextPack,
    id: PackId,
    json: String,
    content: Content,
}

impl Prepared {
    /// What to open it with.
    pub(crate) fn reference(&self) -> Reference {
        Reference::Pack(self.id.clone())
    }
}

impl App {
    /// Keeps the content of a pack, before a transaction puts it on record. Its texts have no secrets any more; what is
    /// kept is what was measured and what its id was made from, byte for byte.
    pub(crate) fn prepare_pack(&self, pack: ContextPack) -> Result<Prepared, Failure> {
        let json = pack.to_json();
        let id: PackId = pack.pack_id.parse().map_err(internal)?;
        let content = self.keep_content(json.as_bytes())?;
        Ok(Prepared { pack, id, json, content })
    }

    /// Reads a pack that was kept.
    pub(crate) fn read_pack(&self, room: &RoomId, id: &PackId) -> Result<(Artifact, ContextPack), Failure> {
        let found = self.store.read::<_, Failure>(|tx| Ok(library::find_pack(tx, room, id)?))?;
        let artifact = found.ok_or_else(|| Failure::unknown_id(Reference::Pack(id.clone())))?;
        let pack = self.pack_of(&artifact)?.map_err(|why| {
            let reference = Reference::Pack(id.clone());
            Failure::new(ErrorCode::PreconditionFailed, format!("{reference} cannot be read: {why}"))
                .with("ref", reference.to_string())
        })?;
        Ok((artifact, pack))
    }

    /// The pack that an artifact is, or why it cannot be shown.
    pub(crate) fn pack_of(&self, artifact: &Artifact) -> Result<Result<ContextPack, String>, Failure> {
        Ok(match self.read_artifact(artifact, 0, limits::ARTIFACT_BYTES as usize)? {
            Shown::Here { text, .. } => {
                serde_json::from_str(&text).map_err(|error| format!("It is no context pack ({error})."))
            }
            Shown::Elsewhere { host } => Err(format!("It is kept on another machine, {host}: open it there.")),
            Shown::Lost => Err("Its file is gone from the data directory, or was changed there.".to_owned()),
            Shown::Dropped => Err("Its content was given up when nothing pointed to it.".to_owned()),
        })
    }
}

impl Change<'_> {
    /// Puts a pack on record, unless it is, and gives its artifact.
    pub(crate) fn keep_pack(&mut self, prepared: &Prepared) -> Result<Reference, Failure> {
        self.require_open()?;
        let known = library::find_pack(self.store.tx()?, &self.room.id, &prepared.id)?;
        let Prepared { pack, json, content, .. } = prepared;
        if let Some(known) = known.filter(|known| known.sha256 == content.sha256 && known.dropped_at.is_none()) {
            return Ok(Reference::Artifact(known.kind, known.id.0));
        }
        let draft = ArtifactDraft {
            kind: ArtifactKind::Contextpack,
            name: prepared.id.file_name(),
            sha256: content.sha256.clone(),
            bytes: json.len() as u64,
            host: content.host.clone(),
            job: None,
            revision: None,
            node: pack.node_id.parse().ok(),
            turn: None,
            refs: leading(self, &Pointers::of_pack(json))?,
            redacted: false,
            patch: None,
        };
        let id = library::next_artifact(self.store.tx()?, &self.room.id)?;
        self.record(draft.keep(id)?)?;
        Ok(Reference::Artifact(ArtifactKind::Contextpack, id.0))
    }
}

/// The pack that is meant by a reference.
pub(crate) fn pack_id(field: &str, text: &str) -> Result<PackId, Failure> {
    match text.parse() {
        Ok(Reference::Pack(id)) => Ok(id),
        Ok(_) | Err(_) => {
            let shown: String = text.chars().take(limits::SHOWN_INPUT_CHARS).collect();
            let message = format!("{field}: {shown:?} is no context pack.");
            Err(Failure::new(ErrorCode::InvalidInput, message)
                .with("field", field)
                .advising("Give one like contextpack://pack/…; `context list` has them."))
        }
    }
}
