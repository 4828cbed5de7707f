//! `cargo xtask docs`: the pages that the program itself knows best.

use std::{fs, path::PathBuf};

use crate::run::{Outcome, cargo, output, root, say};

/// A generated file and the `baton reference` that prints it.
const PAGES: &[(&str, &str)] = &[
    ("docs/cli.md", "cli"),
    ("docs/errors.md", "errors"),
    ("crates/mcp/src/listing/daily.json", "tools-daily"),
    ("crates/mcp/src/listing/full.json", "tools-full"),
];

/// Writes every generated page.
pub(crate) fn write() -> Outcome {
    for (path, text) in pages()? {
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        say(&format!("wrote {}", path.display()));
    }
    Ok(())
}

/// Fails if a page is not what the program would print.
pub(crate) fn unchanged() -> Outcome {
    for (path, text) in pages()? {
        if fs::read_to_string(&path).ok().as_deref() != Some(text.as_str()) {
            return Err(format!("{} is out of date: run `cargo xtask docs`", path.display()));
        }
    }
    Ok(())
}

fn pages() -> Result<Vec<(PathBuf, String)>, String> {
    let page = |(path, name): &(&str, &str)| {
        let text = output(cargo(&["run", "--quiet", "--package", "baton", "--", "reference", name]))?;
        Ok((root().join(path), text))
    };
    PAGES.iter().map(page).collect()
}
