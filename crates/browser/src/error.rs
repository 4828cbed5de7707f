//! What can go wrong with a browser.

use std::io;

use thirtyfour::error::WebDriverError;

/// Why a browser did not do as it was told.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program could not be started, or a file not written.
    #[error("the browser could not be started")]
    Io(#[from] io::Error),
    /// The driver ended, or said nothing of where it listens.
    #[error("chromedriver did not say where it listens, but: {0}")]
    Silent(String),
    /// The driver refused.
    #[error("the browser refused: {0}")]
    Refused(#[from] Box<WebDriverError>),
}

impl From<WebDriverError> for Error {
    fn from(error: WebDriverError) -> Self {
        Self::Refused(Box::new(error))
    }
}
