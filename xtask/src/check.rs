//! `cargo xtask check`: what a change must pass before it lands.

use crate::{
    docs,
    run::{self, Outcome, cargo, say},
    test,
};

pub(crate) fn run() -> Outcome {
    run::run(cargo(&["fmt", "--all", "--check"]))?;
    run::run(cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]))?;
    let mut rustdoc = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    rustdoc.env("RUSTDOCFLAGS", "--deny warnings");
    run::run(rustdoc)?;
    docs::unchanged()?;
    dependencies()?;
    test::run(&[])
}

/// Licences, duplicates and sources of dependencies.
fn dependencies() -> Outcome {
    if run::output(cargo(&["deny", "--version"])).is_err() {
        say("NOT CHECKED: dependencies, since cargo-deny is not installed (cargo install cargo-deny --locked)");
        return Ok(());
    }
    run::run(cargo(&["deny", "check", "bans", "licenses", "sources"]))
}
