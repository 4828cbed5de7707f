//! Whether two paths meet.
//!
//! Compared are components, so `src/lib` and `src/library` have nothing in common, and `/` is a parent of all. A
//! wildcard adds nothing: who reserves a directory reserves the tree below it, with or without `/*`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ScopePath;

/// How two scopes relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Overlap {
    /// They are the same.
    Exact,
    /// One lies inside the other.
    Partial,
    /// They have nothing in common.
    Disjoint,
}

impl Overlap {
    /// The class as it is written on every surface.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Partial => "partial",
            Self::Disjoint => "disjoint",
        }
    }
}

impl ScopePath {
    /// How the two relate. It does not matter which is asked.
    pub fn overlap(&self, other: &Self) -> Overlap {
        match (self.contains(other), other.contains(self)) {
            (true, true) => Overlap::Exact,
            (true, false) | (false, true) => Overlap::Partial,
            (false, false) => Overlap::Disjoint,
        }
    }

    /// Whether `other` is this path or lies below it.
    pub fn contains(&self, other: &Self) -> bool {
        let casing = self.conventions.casing;
        self.anchor.same(&other.anchor, casing)
            && self.components.len() <= other.components.len()
            && self.components.iter().zip(&other.components).all(|(ours, theirs)| casing.same(ours, theirs))
    }
}
