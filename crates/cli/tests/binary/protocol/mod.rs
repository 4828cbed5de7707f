//! The documents of the protocol: they are what the program prints, they have everything that it has, and what they show
//! happens.

mod example;
mod pages;
mod played;

use std::{fs, path::PathBuf};

/// A page under `docs`.
fn page(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The part of a page between two texts.
fn between<'a>(page: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = page.split_once(begin).unwrap_or_else(|| panic!("there is no {begin:?}"));
    rest.split_once(end).map_or(rest, |(part, _)| part)
}
