//! Pictures of pages, for people.

use std::path::Path;

use crate::{Browser, Error, Programs, Wish};

/// Takes a picture of the page at `path` of a server, which is logged in to at `login`, and writes it to `file`.
pub fn picture(programs: &Programs, login: &str, path: &str, file: &Path, wish: Wish) -> Result<(), Error> {
    let browser = Browser::start(programs, wish)?;
    browser.goes_to(login)?;
    let server = login.match_indices('/').nth(2).map_or(login, |(end, _)| &login[..end]);
    browser.goes_to(&format!("{server}{path}"))?;
    browser.asks_and_waits(SETTLED, &[])?;
    browser.pictures(file)
}

/// Answers when the page follows what happens, and nothing moves any more.
const SETTLED: &str = "
    const answer = arguments[arguments.length - 1];
    const look = () => {
        const live = document.querySelector('#pulse')?.dataset.state === 'live';
        const still = document.getAnimations().length === 0;
        if (live && still) answer(true); else setTimeout(look, 50);
    };
    look();
";
