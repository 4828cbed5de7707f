//! `cargo xtask test`: everything, on a fresh machine too, with a PostgreSQL server for the tests that need one,
//! the real agents' programs for those that start them and Chromium for those that look at pages; and then the suites
//! that others wrote.

use baton_cluster::Durability;

use crate::{
    browser, clients, machine,
    postgres::run_with_server,
    run::{Outcome, cargo, say},
    suites,
};

/// Leaves out the tests that start agents' programs, and the suites, which are big and come from afar.
const WITHOUT_CLIENTS: &str = "--without-clients";
/// Leaves out the tests that look at pages.
const WITHOUT_BROWSER: &str = "--without-browser";

pub(crate) fn run(arguments: &[String]) -> Outcome {
    machine::prepare()?;
    // What follows `--` is for the tests themselves.
    let own = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    let (without, mut passed): (Vec<String>, Vec<String>) =
        arguments[..own].iter().cloned().partition(|word| word == WITHOUT_CLIENTS || word == WITHOUT_BROWSER);
    passed.extend_from_slice(&arguments[own..]);
    let with_clients = !without.iter().any(|word| word == WITHOUT_CLIENTS);
    let clients = if with_clients {
        clients::prepare()?.into_os_string()
    } else {
        let suites = suites::NAMES;
        let names = clients::names();
        say(&format!("LEFT OUT by {WITHOUT_CLIENTS}: the tests that start the real {names}; {suites}"));
        clients::LEFT_OUT.into()
    };
    let browser = if without.iter().any(|word| word == WITHOUT_BROWSER) {
        say(&format!("LEFT OUT by {WITHOUT_BROWSER}: the tests that look at pages in Chromium"));
        browser::left_out()
    } else {
        browser::prepare()?
    };
    // Whoever asks for some tests does not ask for suites of something else.
    let with_suites = with_clients && passed.is_empty();
    let mut command = cargo(&["test", "--no-fail-fast"]);
    // Everything, unless packages are named: cargo would go on to take all of them.
    let names_packages = |word: &String| word.starts_with("-p") || word.starts_with("--package");
    if !passed.iter().any(names_packages) {
        command.arg("--workspace");
    }
    command.args(passed).env(clients::VARIABLE, clients).envs(browser);
    let tested = run_with_server(command, Durability::Fast);
    if !with_suites {
        return tested;
    }
    match (tested, suites::run()) {
        (Err(tests), Err(suites)) => Err(format!("{tests}\n{suites}")),
        (tests, suites) => tests.and(suites),
    }
}
