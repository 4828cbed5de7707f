//! Behaviour packs: how an agent works with Baton, in the words it reads.

mod read;

pub use read::{Skill, SkillInput, SkillResult};
