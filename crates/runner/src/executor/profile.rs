//! How much thought a job gets, and what that means for a program.

pub use baton_core::job::Profile;

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
        Self(Profile::ALL.iter().map(|profile| (*profile, Choice::default())).collect())
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

    /// The meaning of the profile that a slice has; nothing is said without one.
    pub(super) fn chosen(&self, profile: Option<Profile>) -> Choice {
        profile.and_then(|profile| self.choice(profile)).cloned().unwrap_or_default()
    }
}
