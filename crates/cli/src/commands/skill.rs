//! `baton skill`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::skill::{Skill, SkillInput},
};
use baton_core::runner::SkillProfile;

use crate::{context::Context, parse, ui::Ui};

/// Print how an agent works with Baton, as its runner tells it
#[derive(Debug, clap::Args)]
pub(super) struct SkillArgs {
    /// daily, strict (with proof), research, or teamlead (delegating to others) [default: daily]
    #[arg(value_name = "PROFILE", value_parser = parse::one_of(SkillProfile::ALL, SkillProfile::as_str), hide_possible_values = true)]
    profile: Option<SkillProfile>,
    /// At most this many characters, up to 16000; whole lines are left out from the end [default: 6000]
    #[arg(long, value_name = "N")]
    max_chars: Option<usize>,
}

impl SkillArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let skill = context.run::<Skill>(SkillInput { profile: self.profile, max_chars: self.max_chars })?;
        Ok(ui.answer(&skill, || format!("{}\n", skill.text.trim_end())))
    }
}
