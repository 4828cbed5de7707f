//! What keeps a row from being measured. Shown and never matched on, so it is only a message.

use std::error::Error;

use baton_app::Failure;

/// Why something could not be measured.
pub(crate) type Trouble = Box<dyn Error + Send + Sync>;

/// A measurement, or why there is none.
pub(crate) type Outcome<T> = Result<T, Trouble>;

/// A refusal of Baton's where the bench expected none.
pub(crate) fn refused(failure: Failure) -> Trouble {
    format!("Baton refused: {failure}").into()
}
