//! Paths as a tree: what is reserved, below the directories that lead there.

use std::collections::BTreeMap;

/// A directory or file, what belongs to it, and what is below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tree<T> {
    pub(super) here: Vec<T>,
    pub(super) below: BTreeMap<String, Self>,
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Self { here: Vec::new(), below: BTreeMap::new() }
    }
}

impl<T> Tree<T> {
    /// Puts things at their paths. A directory that only leads to one other is written with it: `src/web`.
    pub(super) fn of<'a>(all: impl IntoIterator<Item = (&'a str, T)>) -> Self {
        let mut tree = Self::default();
        for (path, thing) in all {
            let mut node = &mut tree;
            for part in path.split('/').filter(|part| !part.is_empty()) {
                node = node.below.entry(part.to_owned()).or_default();
            }
            node.here.push(thing);
        }
        tree.short()
    }

    fn short(self) -> Self {
        let below = self.below.into_iter().map(|(name, tree)| tree.short().named(name)).collect();
        Self { here: self.here, below }
    }

    /// With the name of what is below it, if there is nothing else to say here.
    fn named(mut self, name: String) -> (String, Self) {
        match (self.here.is_empty(), self.below.len()) {
            (true, 1) => match self.below.pop_first() {
                Some((inner, tree)) => (format!("{name}/{inner}"), tree),
                None => (name, self),
            },
            _ => (name, self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;

    fn shown(tree: &Tree<u8>, depth: usize) -> String {
        let line = |(name, inner): (&String, &Tree<u8>)| {
            format!("{}{name} {:?}\n{}", "  ".repeat(depth), inner.here, shown(inner, depth + 1))
        };
        tree.below.iter().map(line).collect()
    }

    #[test]
    fn paths_share_the_directories_that_lead_to_them() {
        let paths = [("src/web/style", 1), ("src/web/*", 2), ("docs/", 3), ("/", 4), ("src/web", 5), ("docs", 6)];
        let tree = Tree::of(paths);
        assert_eq!(tree.here, [4]);
        assert_eq!(shown(&tree, 0), "docs [3, 6]\nsrc/web [5]\n  * [2]\n  style [1]\n");
    }
}
