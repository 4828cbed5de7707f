//! What can go wrong with a store, told apart by what a person would do about it.

use std::path::PathBuf;

use baton_core::code::ErrorCode;

/// A failure of the store. Nothing was changed.
#[derive(Debug, thiserror::Error)]
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
    #[error("{} is damaged or is not a Baton store: {detail}", path.display())]
    Corrupt {
        /// Which file.
        path: PathBuf,
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
    #[error("the disk that holds {} is full", path.display())]
    Full {
        /// Which file.
        path: PathBuf,
    },
    /// We may not write there.
    #[error("{} cannot be written: {detail}", path.display())]
    ReadOnly {
        /// Where.
        path: PathBuf,
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
    /// Anything else.
    #[error("{} cannot be used: {detail}", path.display())]
    Unavailable {
        /// Where.
        path: PathBuf,
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
            Self::Unavailable { .. } => ErrorCode::StoreUnavailable,
        }
    }
}
