//! A bounded memory of what was used lately.

use std::{borrow::Borrow, collections::HashMap, hash::Hash};

/// Keeps at most so many values; the one that was used least recently makes room.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    most: usize,
    kept: HashMap<K, (u64, V)>,
    /// Counts uses, so that "recently" needs no clock.
    uses: u64,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    pub(super) fn of(most: usize) -> Self {
        Self { most, kept: HashMap::new(), uses: 0 }
    }

    /// The value, which counts as a use of it.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.uses += 1;
        let (used, value) = self.kept.get_mut(key)?;
        *used = self.uses;
        Some(value)
    }

    /// Keeps a value, and gives back the key of the one that had to go for it.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<K> {
        let full = self.kept.len() >= self.most && !self.kept.contains_key(&key);
        let evicted = if full { self.least_recent() } else { None };
        if let Some(evicted) = &evicted {
            self.kept.remove(evicted);
        }
        self.uses += 1;
        self.kept.insert(key, (self.uses, value));
        evicted
    }

    pub(super) fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.kept.remove(key);
    }

    fn least_recent(&self) -> Option<K> {
        self.kept.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_least_recently_makes_room() {
        let mut recent = Recent::of(2);
        assert_eq!((recent.insert("a", 1), recent.insert("b", 2)), (None, None));
        assert_eq!(recent.get("a"), Some(&mut 1));
        assert_eq!(recent.insert("c", 3), Some("b"));
        assert_eq!(recent.insert("c", 4), None, "it has its place already");
        assert_eq!(recent.get("b"), None);
        assert_eq!(recent.get("c"), Some(&mut 4));
        recent.remove("c");
        assert_eq!(recent.insert("d", 5), None);
        assert_eq!(recent.get("a"), Some(&mut 1));
    }
}
