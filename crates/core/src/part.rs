//! Parts of a room: rows by key, changed by events and by nothing else.
//!
//! A part is a projection of the room's log. For an event it names the rows that must be at hand ([`Part::touched`]) and
//! changes them ([`Part::apply`]); it decides nothing and refuses nothing. [`Rows`] are as many of a part's rows as were
//! looked at, and remember how the changed ones were stored, so that whoever keeps them writes no more than what differs.
//!
//! What must stay true: applying an event to the rows that it touches gives what applying it to all rows gives. In debug
//! builds `Rows` fail when a part asks for a row that nobody looked for.

use std::{
    collections::{BTreeMap, btree_map::IntoValues},
    fmt,
    iter::Flatten,
    mem,
};

use crate::{event::Recorded, room::Room};

/// A kind of row that folding a room's log gives.
pub trait Part: Clone + PartialEq + fmt::Debug + Sized {
    /// Tells the rows of a room apart.
    type Key: Clone + Ord + fmt::Debug;

    /// The row's key.
    fn key(&self) -> Self::Key;

    /// The rows that `event` reads or changes, less those that it adds. They are loaded before it is applied.
    fn touched(event: &Recorded, before: &Room) -> Touched<Self::Key>;

    /// Applies an event in a room that is as it was before it.
    fn apply(rows: &mut Rows<Self>, event: &Recorded, before: &Room);

    /// The row less what moves without events, such as presence and the ends of leases.
    #[must_use]
    fn without_presence(self) -> Self {
        self
    }
}

/// Rows that an event reads or changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touched<K> {
    /// None that is there already.
    Nothing,
    /// The rows with these keys, as far as they exist.
    Rows(Vec<K>),
    /// Every row that can still change.
    Current,
}

impl<K> Touched<K> {
    /// The row with this key.
    pub fn row(key: K) -> Self {
        Self::Rows(vec![key])
    }

    /// The row with this key, if there is one.
    pub fn maybe(key: Option<K>) -> Self {
        key.map_or(Self::Nothing, Self::row)
    }
}

/// How much of a part is at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Extent {
    /// The rows that were looked for.
    #[default]
    Some,
    /// Those, and every row that can still change.
    Current,
    /// Every row.
    All,
}

/// Rows of one part of a room, as far as they were looked at.
#[derive(Clone, Debug)]
pub struct Rows<P: Part> {
    /// A key without a row is known to have none.
    rows: BTreeMap<P::Key, Option<P>>,
    /// How the rows are stored that changed since.
    stored: BTreeMap<P::Key, Option<P>>,
    extent: Extent,
}

impl<P: Part> Default for Rows<P> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), stored: BTreeMap::new(), extent: Extent::Some }
    }
}

impl<P: Part> PartialEq for Rows<P> {
    /// Compares rows, not what is known of how they are stored.
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<P: Part> FromIterator<P> for Rows<P> {
    /// All rows of a room, as they are stored.
    fn from_iter<I: IntoIterator<Item = P>>(rows: I) -> Self {
        let rows = rows.into_iter().map(|row| (row.key(), Some(row))).collect();
        Self { rows, stored: BTreeMap::new(), extent: Extent::All }
    }
}

impl<P: Part> IntoIterator for Rows<P> {
    type Item = P;
    type IntoIter = Flatten<IntoValues<P::Key, Option<P>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_values().flatten()
    }
}

/// A row that is not stored as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Difference<'a, P> {
    /// It is new.
    Added(&'a P),
    /// It is another.
    Changed {
        /// The row as it is stored.
        from: &'a P,
        /// The row as it is.
        to: &'a P,
    },
    /// It is gone.
    Removed(&'a P),
}

impl<P: Part> Rows<P> {
    /// A room's rows before its first event: none, and none to look for.
    pub fn of_new_room() -> Self {
        Self { extent: Extent::All, ..Self::default() }
    }

    /// The row with this key.
    pub fn get(&self, key: &P::Key) -> Option<&P> {
        debug_assert!(self.knows(key), "nobody looked for {key:?}");
        self.rows.get(key)?.as_ref()
    }

    /// Whether it was looked for a row with this key.
    pub fn knows(&self, key: &P::Key) -> bool {
        self.extent == Extent::All || self.rows.contains_key(key)
    }

    /// Whether every row that can still change is at hand.
    pub fn knows_current(&self) -> bool {
        self.extent != Extent::Some
    }

    /// The rows at hand, in the order of their keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &P> {
        self.rows.values().flatten()
    }

    /// Changes the row with this key, if there is one.
    pub fn change(&mut self, key: &P::Key, with: impl FnOnce(&mut P)) {
        debug_assert!(self.knows(key), "nobody looked for {key:?}");
        if let Some(Some(row)) = self.rows.get_mut(key) {
            self.stored.entry(key.clone()).or_insert_with(|| Some(row.clone()));
            with(row);
            debug_assert!(row.key() == *key, "a row keeps its key");
        }
    }

    /// Puts a row into its place, or in place of the one with its key.
    pub fn put(&mut self, row: P) {
        let key = row.key();
        let before = self.rows.insert(key.clone(), Some(row)).flatten();
        self.stored.entry(key).or_insert(before);
    }

    /// Takes the row with this key out, if there is one.
    pub fn remove(&mut self, key: &P::Key) -> Option<P> {
        debug_assert!(self.knows(key), "nobody looked for {key:?}");
        let row = self.rows.get_mut(key)?.take()?;
        self.stored.entry(key.clone()).or_insert_with(|| Some(row.clone()));
        Some(row)
    }

    /// Notes rows as they are stored. Rows that are at hand already stay as they are by now.
    pub fn note(&mut self, found: impl IntoIterator<Item = P>) {
        for row in found {
            self.rows.entry(row.key()).or_insert(Some(row));
        }
    }

    /// Notes that a key has no row, unless one is at hand.
    pub fn note_absent(&mut self, key: P::Key) {
        self.rows.entry(key).or_insert(None);
    }

    /// Notes that every row is at hand that can still change.
    pub fn note_current(&mut self) {
        if self.extent == Extent::Some {
            self.extent = Extent::Current;
        }
    }

    /// Whether some row is not stored as it is.
    pub fn is_changed(&self) -> bool {
        !self.stored.is_empty()
    }

    /// The rows that are not stored as they are. Removed ones come first, so that what takes their place finds it free.
    pub fn differences(&self) -> impl Iterator<Item = Difference<'_, P>> {
        let all =
            || self.stored.iter().map(|(key, before)| (before.as_ref(), self.rows.get(key).and_then(Option::as_ref)));
        let removed = all().filter_map(|(before, after)| match (before, after) {
            (Some(before), None) => Some(Difference::Removed(before)),
            _ => None,
        });
        removed.chain(all().filter_map(|(before, after)| match (before, after) {
            (None, Some(row)) => Some(Difference::Added(row)),
            (Some(from), Some(to)) if from != to => Some(Difference::Changed { from, to }),
            _ => None,
        }))
    }

    /// Notes that the rows are stored as they are.
    pub fn settle(&mut self) {
        self.stored.clear();
    }

    /// The rows less what moves without events.
    #[must_use]
    pub fn without_presence(mut self) -> Self {
        for row in self.rows.values_mut() {
            *row = mem::take(row).map(P::without_presence);
        }
        self
    }
}

#[cfg(test)]
impl<P: Part> Rows<P> {
    /// Applies an event of a story in which the room itself does not matter, and makes sure that the rows which it touches
    /// are enough for it.
    pub(crate) fn apply(&mut self, event: &Recorded) {
        let before = tests::room();
        let mut few = self.touched(event, &before);
        self.extent = Extent::All;
        P::apply(&mut few, event, &before);
        let mut expected = self.rows.clone();
        expected.extend(few.rows);
        P::apply(self, event, &before);
        let expected: Vec<P> = expected.into_values().flatten().collect();
        assert_eq!(expected, self.to_vec(), "{event:?} touches other rows");
    }

    /// No more rows than an event touches, as a store would find them.
    fn touched(&self, event: &Recorded, before: &Room) -> Self {
        let mut few = Self::default();
        match P::touched(event, before) {
            Touched::Nothing => {}
            Touched::Rows(keys) => {
                few.note(keys.iter().filter_map(|key| self.rows.get(key).cloned().flatten()));
                keys.into_iter().for_each(|key| few.note_absent(key));
            }
            Touched::Current => {
                few.note(self.to_vec());
                few.note_current();
            }
        }
        few
    }

    /// The row at a place in the order of the keys.
    pub(crate) fn nth(&self, place: usize) -> &P {
        self.iter().nth(place).expect("there are as many rows")
    }

    /// The rows in the order of their keys.
    pub(crate) fn to_vec(&self) -> Vec<P> {
        self.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::Seq,
        lease::Fence,
        policy::Policy,
        room::{self, Created},
        task::{Focus, TaskId},
        time::Timestamp,
    };

    pub(super) fn room() -> Room {
        let created = Created { canonical_path: None, name: None, earlier_events: 0, policy: Policy::default() };
        let first = Recorded {
            overridden: false,
            room_id: "room_1".parse().unwrap(),
            seq: Seq(1),
            at: Timestamp::from_millis(1),
            actor: "ana".parse().unwrap(),
            turn: Fence(0),
            event: room::Event::Created(created).into(),
        };
        Room::open(&first).unwrap()
    }

    fn focus(agent: &str, task: u32) -> Focus {
        Focus { agent: agent.parse().unwrap(), task: TaskId(task) }
    }

    fn told(rows: &Rows<Focus>) -> String {
        let line = |difference: Difference<'_, Focus>| match difference {
            Difference::Added(row) => format!("+{} {}", row.agent, row.task),
            Difference::Changed { from, to } => format!("{} {}->{}", from.agent, from.task, to.task),
            Difference::Removed(row) => format!("-{} {}", row.agent, row.task),
        };
        rows.differences().map(line).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn only_rows_that_are_not_stored_as_they_are_differ() {
        let mut rows = Rows::default();
        rows.note([focus("ana", 1), focus("bo", 2), focus("cy", 3)]);
        assert!(!rows.is_changed());
        rows.change(&"ana".parse().unwrap(), |row| row.task = TaskId(7));
        rows.change(&"bo".parse().unwrap(), |row| row.task = TaskId(2));
        rows.remove(&"cy".parse().unwrap());
        rows.put(focus("dan", 4));
        assert_eq!(told(&rows), "-cy TASK-003, ana TASK-001->TASK-007, +dan TASK-004");
        rows.settle();
        assert_eq!(told(&rows), "");
        assert_eq!(rows.get(&"cy".parse().unwrap()), None, "a row that was removed is known to be gone");
    }

    #[test]
    fn a_row_that_was_added_and_removed_again_was_never_there() {
        let mut rows = Rows::default();
        rows.note_absent("ana".parse().unwrap());
        rows.put(focus("ana", 1));
        rows.remove(&"ana".parse().unwrap());
        assert_eq!(told(&rows), "");
    }

    #[test]
    fn a_row_that_is_read_again_stays_as_it_is_by_now() {
        let mut rows = Rows::default();
        rows.note([focus("ana", 1)]);
        rows.change(&"ana".parse().unwrap(), |row| row.task = TaskId(2));
        rows.note([focus("ana", 1)]);
        assert_eq!(told(&rows), "ana TASK-001->TASK-002");
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "nobody looked for")]
    fn a_row_that_nobody_looked_for_is_not_taken_for_one_that_is_not_there() {
        let rows: Rows<Focus> = Rows::default();
        rows.get(&"ana".parse().unwrap());
    }
}
