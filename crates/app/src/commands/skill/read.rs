//! Handing out a behaviour pack.

use baton_core::{
    job::{Shell, receipts, rule},
    limits,
    runner::SkillProfile,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    bounds::cut_lines,
    table::{Effect, Place, Tier, UseCase},
};

/// `skill`
pub struct Skill;

/// Which pack.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillInput {
    /// Default daily
    pub profile: Option<SkillProfile>,
    /// At most this much of it, up to 16000; default 6000
    pub max_chars: Option<usize>,
}

/// A pack.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SkillResult {
    pub profile: SkillProfile,
    pub text: String,
    /// How long the text is.
    pub chars: usize,
    /// Whether something was left out: whole lines, from the end.
    pub truncated: bool,
}

impl UseCase for Skill {
    const NAME: &'static str = "skill";
    const PLACE: Place = Place::Tool("skill", Tier::Full);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str =
        "Read how to work with Baton: daily, strict (with proof), research, or teamlead (delegating to others).";
    type Input = SkillInput;
    type Output = SkillResult;

    fn perform(_: &App, _: &Caller, input: SkillInput) -> Result<SkillResult, Failure> {
        Ok(read(input.profile.unwrap_or(SkillProfile::Daily), input.max_chars.unwrap_or(limits::SKILL_CHARS)))
    }
}

fn read(profile: SkillProfile, max_chars: usize) -> SkillResult {
    let rest = format!("raise max_chars for the rest of {profile}");
    let (text, truncated) = cut_lines(&pack(profile), max_chars.min(limits::SKILL_CHARS_MAX), &rest);
    SkillResult { profile, chars: text.chars().count(), text, truncated }
}

/// The line of a pack in whose place the rule about proof is put, as the gate has it.
const PROOF: &str = "{{proof}}";

fn pack(profile: SkillProfile) -> String {
    let text = match profile {
        SkillProfile::Daily => include_str!("packs/daily.md"),
        SkillProfile::Strict => include_str!("packs/strict.md"),
        SkillProfile::Research => include_str!("packs/research.md"),
        SkillProfile::Teamlead => include_str!("packs/teamlead.md"),
    };
    text.replace(PROOF, &format!("{} {}", rule(), receipts(Shell::Available)))
}
