//! How much thought a job gets, and what that means for a program.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much thought a job gets. Each is more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Quick answers.
    Fast,
    /// Thorough work.
    Deep,
    /// Work that is checked to the last.
    Audit,
}

impl Profile {
    /// All of them, from least to most.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Deep, Self::Audit];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Deep => "deep",
            Self::Audit => "audit",
        }
    }

    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == name)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a profile means for a program. Nothing, as long as the user says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The model.
    pub model: Option<String>,
    /// How hard it thinks, in the program's own words.
    pub effort: Option<String>,
}

/// The profiles a program takes jobs for, each with what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profiles(Vec<(Profile, Choice)>);

impl Default for Profiles {
    fn default() -> Self {
        Self(Profile::ALL.map(|profile| (profile, Choice::default())).to_vec())
    }
}

impl Profiles {
    /// Those that are given.
    pub fn of(mut chosen: Vec<(Profile, Choice)>) -> Self {
        chosen.sort_by_key(|(profile, _)| *profile);
        chosen.dedup_by_key(|(profile, _)| *profile);
        Self(chosen)
    }

    /// Their names, from least to most.
    pub fn names(&self) -> Vec<Profile> {
        self.0.iter().map(|(profile, _)| *profile).collect()
    }

    /// What a profile means. None when jobs with it are not taken.
    pub fn choice(&self, profile: Profile) -> Option<&Choice> {
        self.0.iter().find(|(known, _)| *known == profile).map(|(_, choice)| choice)
    }
}
