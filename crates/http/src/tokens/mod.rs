//! Tokens: who may come in over HTTP, and as what.
//!
//! `<data>/tokens.json` has the hash of each with its name, its role and the agent it is bound to; a token itself is shown
//! once, when it is made. The owner's own is made at the first start, and is also in `<data>/operator.token`, for the
//! owner's own tools. Both files are 0600.
//!
//! [`Keyring`] is the files; [`Known`] is a server's copy of them, which notices when they change.

mod keyring;
mod known;
mod token;

pub(crate) use keyring::TOKENS_MAX;
pub use keyring::{Keyring, OPERATOR};
pub(crate) use known::Known;
pub(crate) use token::NAME_CHARS;
pub use token::{Role, Token, TokenName};
