//! What can go wrong with a store, told apart by what a person would do about it.

use std::path::PathBuf;

use baton_core::code::ErrorCode;

/// A failure of the store. Nothing was changed, unless it says that this cannot be told.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// Someone else held the write lock for the whole deadline.
    #[error("the store was locked for {waited_ms} ms by {holder}")]
    Busy {
        /// Who, as far as the system tells.
        holder: String,
        /// How long we waited.
        waited_ms: u64,
    },
    /// A newer Baton wrote this store.
    #[error("the store has schema {found}; this Baton knows up to {known} and will not write to it")]
    Newer {
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The file under the path is not the one that was opened.
    #[error("{} was deleted or replaced while it was open", path.display())]
    Replaced {
        /// Where it was.
        path: PathBuf,
    },
    /// The file is damaged or something else altogether.
    #[error("{place} is damaged or is not a Baton store: {detail}")]
    Corrupt {
        /// Which file or database.
        place: String,
        /// What the engine said.
        detail: String,
    },
    /// A row does not say what it should.
    #[error("row {key} of {table} cannot be read: {detail}")]
    BadRow {
        /// Which table.
        table: &'static str,
        /// Which row.
        key: String,
        /// What is wrong.
        detail: String,
    },
    /// An event that only a newer Baton can read.
    #[error("event {key} has the type {kind:?}, which this Baton does not know")]
    UnknownEvent {
        /// Which event.
        key: String,
        /// Its type.
        kind: String,
    },
    /// There is no space left.
    #[error("the disk that holds {place} is full")]
    Full {
        /// Which file or database.
        place: String,
    },
    /// We may not write there.
    #[error("{place} cannot be written: {detail}")]
    ReadOnly {
        /// Where.
        place: String,
        /// What the system said.
        detail: String,
    },
    /// Locks cannot be trusted there.
    #[error("{} is on a network filesystem ({kind}), where SQLite's locks cannot be trusted", path.display())]
    NetworkFilesystem {
        /// Where.
        path: PathBuf,
        /// Which kind.
        kind: String,
    },
    /// The address of a store says nothing, or something that cannot be.
    #[error("the address of the store cannot be used: {detail}")]
    BadAddress {
        /// What is wrong with it.
        detail: String,
    },
    /// No server answers there.
    #[error("{place} cannot be reached: {detail}")]
    Unreachable {
        /// Where.
        place: String,
        /// What the system said.
        detail: String,
    },
    /// The server does not let us in, or not do what we need.
    #[error("{place} refuses: {detail}")]
    Denied {
        /// Where.
        place: String,
        /// What the server said.
        detail: String,
    },
    /// The connection broke while the server was committing, and nobody could be asked what became of it.
    #[error(
        "{place} could not be reached again after the connection broke during a commit, so it is not known whether the change was made"
    )]
    OutcomeUnknown {
        /// Where.
        place: String,
    },
    /// Anything else.
    #[error("{place} cannot be used: {detail}")]
    Unavailable {
        /// Where.
        place: String,
        /// What the system or the engine said.
        detail: String,
    },
}

impl StoreError {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Busy { .. } => ErrorCode::StoreBusy,
            Self::Newer { .. } | Self::UnknownEvent { .. } => ErrorCode::StoreNewer,
            Self::Replaced { .. } => ErrorCode::StoreReplaced,
            Self::Corrupt { .. } | Self::BadRow { .. } => ErrorCode::StoreCorrupt,
            Self::Full { .. } => ErrorCode::StoreFull,
            Self::ReadOnly { .. } => ErrorCode::StoreReadOnly,
            Self::NetworkFilesystem { .. } => ErrorCode::NetworkFilesystem,
            Self::BadAddress { .. } => ErrorCode::InvalidInput,
            Self::Unreachable { .. } => ErrorCode::StoreUnreachable,
            Self::Denied { .. } => ErrorCode::StoreDenied,
            Self::OutcomeUnknown { .. } => ErrorCode::StoreOutcomeUnknown,
            Self::Unavailable { .. } => ErrorCode::StoreUnavailable,
        }
    }
}
