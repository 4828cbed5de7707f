//! The rules of jobs, as stories of `acts` on a `scene`: `drafting` has what may be asked for, `claiming` who may be at a job,
//! `reporting` what they say, `attention` who has to look, `proof` what shows that it was done, `ending` how it is over, and
//! `reviewing` what becomes of its result.
//! `lines` has the radar to the letter, and `property` what holds whatever runners and managers do.

mod acts;
mod attention;
mod claiming;
mod drafting;
mod ending;
mod lines;
mod proof;
mod property;
mod reporting;
mod reviewing;
mod scene;
mod weighing;
mod worked;
