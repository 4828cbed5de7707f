//! Reservations of paths.

mod check;
mod release;
mod reserve;
mod status;
mod view;

pub use check::{Check, CheckInput, CheckResult, CollisionView};
pub use release::{Release, ReleaseInput, ReleaseResult};
pub use reserve::{DisplacedView, Reserve, ReserveInput, ReserveResult};
pub use status::{Status, StatusInput, StatusResult};
pub use view::ScopeView;
