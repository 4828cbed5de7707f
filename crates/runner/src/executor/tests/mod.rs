//! How each program is started, and what its real stream means. The streams are recorded, cut short.

mod answers;
mod finding;
mod plans;
mod streams;
mod variables;
