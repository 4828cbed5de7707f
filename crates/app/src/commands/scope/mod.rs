//! Reservations of paths.

mod check;
mod reserve;
mod status;

pub use check::{Check, CheckInput, CheckResult, CollisionView};
pub use reserve::{DisplacedView, Release, ReleaseInput, ReleaseResult, Reserve, ReserveInput, ReserveResult};
pub use status::{ScopeView, Status, StatusInput, StatusResult};
