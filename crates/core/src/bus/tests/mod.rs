//! The bus. `submitting` has which field is at fault, `targets` who is meant, `conversations` who leads, `looping` what is
//! no answer to an answer, `results` how an action goes on, `receiver` what a target's runtime makes of it, `relaying` what a model says, `tasks` theirs, `names` what may be
//! one, and `property` what holds for any story.

mod conversations;
mod looping;
mod names;
mod property;
mod receiver;
mod relaying;
mod results;
mod scene;
mod submitting;
mod targets;
mod tasks;
mod words;
