//! As whom a browser is let in.

use baton_app::Rights;

/// As whom a browser is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// The owner, who does whatever a person who steers does.
    Owner,
    /// Somebody who may look and change nothing.
    Viewer,
}

impl Admitted {
    /// The word for it, as it is kept.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Viewer => "viewer",
        }
    }

    /// What goes with it.
    pub(crate) const fn rights(self) -> Rights {
        match self {
            Self::Owner => Rights::Operator,
            Self::Viewer => Rights::Viewer,
        }
    }

    /// What is kept of a ticket or of a browser: until when it counts, and for whom.
    pub(super) fn written(self, ends_ms: i64) -> String {
        format!("{ends_ms} {}", self.as_str())
    }

    /// Reads that again. What cannot be read counts for nobody.
    pub(super) fn read(text: &str) -> Option<(i64, Self)> {
        let (ends, word) = text.trim().split_once(' ')?;
        let admitted = [Self::Owner, Self::Viewer].into_iter().find(|known| known.as_str() == word)?;
        Some((ends.parse().ok()?, admitted))
    }
}
