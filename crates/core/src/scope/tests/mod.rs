//! Paths as agents write them: `reading` has what is understood and refused, `meeting` what overlaps, and `property`
//! what holds for any text. Reservations of them, on a `scene`: `reserving` has who gets what, `editing` who may change files, `guarding` which edits are stopped, `ending` how it ends,
//! `hints` the commands that lead on, and `story` what holds whatever agents do.

mod editing;
mod ending;
mod guarding;
mod hints;
mod meeting;
mod property;
mod reading;
mod reserving;
mod scene;
mod story;

use super::{Casing, Conventions, Overlap, PathStyle, ScopePath};

/// A Mac's: written like Unix, and case does not count.
const MAC: Conventions = Conventions { style: PathStyle::Unix, casing: Casing::Folded };

fn unix() -> ScopePath {
    ScopePath::root("/home/ana/shop", Conventions::UNIX).unwrap()
}

fn windows() -> ScopePath {
    ScopePath::root(r"C:\Users\Ana\shop", Conventions::WINDOWS).unwrap()
}

/// How a scope is stored and shown.
fn shown(text: &str, root: &ScopePath) -> String {
    ScopePath::scope(text, root).unwrap().shown(root)
}

fn refused(text: &str, root: &ScopePath) -> String {
    ScopePath::scope(text, root).unwrap_err().to_string()
}

fn overlap(a: &str, b: &str, root: &ScopePath) -> Overlap {
    ScopePath::scope(a, root).unwrap().overlap(&ScopePath::scope(b, root).unwrap())
}
