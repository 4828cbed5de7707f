//! The gate: what every request passes before anything looks at what it asks.
//!
//! 1. It names this server: `Host` is one of the names that it goes by ([`Names`]).
//! 2. If it comes from a page, the page is this server's own: `Origin` is exact.
//! 3. Its bearer is known ([`Credentials`]): a token, or the cookie of a browser that logged in. Only health and
//!    the login are for everybody.
//!
//! A credential that is revoked, logged out or expired ends what is open under it ([`Credentials::watched`]).
//!
//! What must stay true: this holds for every path, those that do not exist included, and no answer ever allows another
//! origin anything.

mod admit;
mod credentials;
mod names;
mod principal;
mod revocations;
mod visitor;

pub(crate) use admit::{URI_BYTES, admit, asks_for_page};
pub(crate) use credentials::{Credentials, cookie_name};
pub use names::Names;
pub(crate) use names::{Scheme, only};
pub(crate) use principal::{Principal, speaker};
pub use visitor::Visitor;
pub(crate) use visitor::introduce;
