//! The panel in which a job is made, from wherever one is.

use baton_app::Failure;
use maud::Markup;

use crate::web::look::Look;

/// The panel, if the address asks for it.
pub(in crate::web) fn panel(_look: &Look<'_>) -> Result<Option<Markup>, Failure> {
    Ok(None)
}
