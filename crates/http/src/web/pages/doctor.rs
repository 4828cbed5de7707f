//! Not built yet.

use baton_app::Failure;

use crate::web::{
    look::Look,
    page::{Page, Place},
};

pub(super) fn page(_look: &Look<'_>) -> Result<Page, Failure> {
    Ok(Page::new("Doctor", Place::Doctor))
}
