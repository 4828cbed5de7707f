//! The parts of a room: the only list of them, and their rows within a transaction.

use baton_core::{
    agent::Former,
    bus::{self, Action, Connection, Conversation},
    context::Stated,
    envelope::{Edge, Posted},
    event::Recorded,
    ids::RoomId,
    inbox::Item,
    job::Job,
    library::{Anchor, Artifact, Card, Plan},
    part::Rows,
    room::Room,
    runner::Runner,
    scope::Reservation,
    spawn::{Approval, Grant},
    task::{Focus, Task},
    turn::Turn,
};
use baton_store::{
    StoreError,
    engine::Tx,
    table::{self, AnyRows, Table},
};

/// Lists the parts: what is done to a room's rows is done to each of them.
macro_rules! parts {
    ($($part:ident: $row:ty),* $(,)?) => {
        const COUNT: usize = [$(stringify!($part)),*].len();

        /// Rows of every part of a room.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct Parts {
            $($part: Rows<$row>,)*
        }

        impl Parts {
            /// None that was looked at.
            fn unseen() -> Self {
                Self { $($part: Rows::default(),)* }
            }

            /// Those of a room before its first event.
            pub(super) fn of_new_room() -> Self {
                Self { $($part: Rows::of_new_room(),)* }
            }

            /// Every row as it is stored.
            pub(super) fn load(tx: &mut dyn Tx, room: &RoomId) -> Result<Self, StoreError> {
                Ok(Self { $($part: table::all(tx, room)?.into_iter().collect(),)* })
            }

            /// Stores every row where there is none yet.
            pub(super) fn insert(&self, tx: &mut dyn Tx, room: &RoomId) -> Result<(), StoreError> {
                $(table::insert(tx, room, self.$part.iter())?;)*
                Ok(())
            }

            /// The rows less what moves without events.
            pub(super) fn without_presence(self) -> Self {
                Self { $($part: self.$part.without_presence(),)* }
            }

            /// The first part whose rows are others.
            pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
                $(if self.$part != other.$part {
                    return Some(stringify!($part));
                })*
                None
            }

            fn each(&mut self) -> [&mut dyn AnyRows; COUNT] {
                [$(&mut self.$part),*]
            }
        }

        $(impl Has<$row> for Parts {
            fn rows(&mut self) -> &mut Rows<$row> {
                &mut self.$part
            }

            fn known(&self) -> &Rows<$row> {
                &self.$part
            }
        })*
    };
}

parts! {
    former: Former,
    scopes: Reservation,
    tasks: Task,
    focus: Focus,
    jobs: Job,
    runners: Runner,
    cards: Card,
    anchors: Anchor,
    plans: Plan,
    artifacts: Artifact,
    actions: Action,
    conversations: Conversation,
    conversation_tasks: bus::Task,
    connections: Connection,
    brief: Stated,
    envelopes: Posted,
    edges: Edge,
    turns: Turn,
    approvals: Approval,
    grants: Grant,
    inbox: Item,
}

/// Rows of one part among those of others.
pub(crate) trait Has<T: Table> {
    /// The rows.
    fn rows(&mut self) -> &mut Rows<T>;
    /// The rows, to look at.
    fn known(&self) -> &Rows<T>;
}

impl Parts {
    /// Applies an event to every part of a room that is as it was before it.
    pub(super) fn apply(&mut self, event: &Recorded, before: &Room) {
        self.each().into_iter().for_each(|rows| rows.apply(event, before));
    }

    /// Takes all rows for stored as they are.
    pub(super) fn settle(&mut self) {
        self.each().into_iter().for_each(AnyRows::settle);
    }
}

/// The rows of a room within a transaction: as they are stored, and what became of them since.
pub(crate) struct RoomStore<'a> {
    tx: &'a mut dyn Tx,
    room: RoomId,
    parts: Parts,
}

impl<'a> RoomStore<'a> {
    pub(super) fn new(tx: &'a mut dyn Tx, room: RoomId) -> Self {
        Self { tx, room, parts: Parts::unseen() }
    }

    /// The transaction, to ask it something. What became of rows so far is stored first, so that the answer counts it.
    pub(crate) fn tx(&mut self) -> Result<&mut dyn Tx, StoreError> {
        self.save()?;
        Ok(self.tx)
    }

    /// The transaction, for what has nothing to do with rows of parts.
    pub(super) fn plain_tx(&mut self) -> &mut dyn Tx {
        self.tx
    }

    /// The row with a key.
    pub(crate) fn find<T: Table>(&mut self, key: &T::Key) -> Result<Option<&T>, StoreError>
    where
        Parts: Has<T>,
    {
        let rows = self.parts.rows();
        if !rows.knows(key) {
            rows.note(table::find(self.tx, &self.room, key)?);
            rows.note_absent(key.clone());
        }
        Ok(rows.get(key))
    }

    /// The rows at hand.
    pub(crate) fn at_hand<T: Table>(&self) -> &Rows<T>
    where
        Parts: Has<T>,
    {
        self.parts.known()
    }

    /// The rows at hand, and among them every one that can still change.
    pub(crate) fn current<T: Table>(&mut self) -> Result<&Rows<T>, StoreError>
    where
        Parts: Has<T>,
    {
        let rows = self.parts.rows();
        if !rows.knows_current() {
            rows.note(table::current(self.tx, &self.room)?);
            rows.note_current();
        }
        Ok(rows)
    }

    /// Moves what moves without events in the row with a key.
    pub(crate) fn shift<T: Table>(&mut self, key: &T::Key, with: impl FnOnce(&mut T)) -> Result<(), StoreError>
    where
        Parts: Has<T>,
    {
        self.find::<T>(key)?;
        self.parts.rows().change(key, with);
        Ok(())
    }

    /// Notes rows that a question found, to spare another one.
    pub(crate) fn note<T: Table>(&mut self, found: impl IntoIterator<Item = T>)
    where
        Parts: Has<T>,
    {
        self.parts.rows().note(found);
    }

    /// Applies an event to all rows that it touches.
    pub(super) fn apply(&mut self, event: &Recorded, before: &Room) -> Result<(), StoreError> {
        table::load_touched(self.tx, &mut self.parts.each(), before, event)?;
        self.parts.apply(event, before);
        Ok(())
    }

    /// Stores what became of rows.
    pub(super) fn save(&mut self) -> Result<(), StoreError> {
        let changed = self.parts.each().into_iter().filter(|rows| rows.is_changed());
        changed.into_iter().try_for_each(|rows| rows.save(self.tx, &self.room))
    }
}
