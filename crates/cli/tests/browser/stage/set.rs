//! A story, its world and its server.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{io::Write, path::PathBuf};

use baton_app::environment::Environment;
use baton_browser::{Programs, Wish};

use super::{Person, seats::Seat};
use crate::support::{World, web::Web};

/// Names the browser: `cargo xtask test` sees to it.
const BROWSER: &str = "BATON_TEST_BROWSER";
const DRIVER: &str = "BATON_TEST_BROWSER_DRIVER";
const AXE: &str = "BATON_TEST_AXE";
/// What it says when browsers are left out on purpose.
const NONE: &str = "none";

/// A world with a server, and a person who looks at it.
pub(crate) struct Stage {
    // Leaves before the server does.
    pub(crate) person: Person,
    web: Option<Web>,
    pub(crate) world: World,
    _seat: Seat,
}

/// Plays a story with a person who has logged in, and then looks whether the browser complained. Says so where browsers
/// are left out.
pub(crate) fn play(wish: Wish, story: impl FnOnce(&mut Stage)) {
    if Environment::read().var(BROWSER) == Some(NONE) {
        // Past what the test harness keeps to itself of a test that passes.
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        let _ = writeln!(std::io::stderr(), "LEFT OUT by --without-browser, for want of Chromium: {test}");
        return;
    }
    let seat = Seat::take();
    let world = World::new();
    let web = world.up(&[]);
    let person = Person::new(&programs(), wish, &server(&web));
    person.logs_in(web.facts["login"].as_str().unwrap());
    let mut stage = Stage { person, web: Some(web), world, _seat: seat };
    story(&mut stage);
    stage.person.has_no_complaint();
}

impl Stage {
    /// The server.
    pub(crate) fn web(&self) -> &Web {
        self.web.as_ref().unwrap()
    }

    /// Ends the server, as Ctrl-C does. Tells where it listened.
    pub(crate) fn ends_the_server(&mut self) -> String {
        let web = self.web.take().unwrap();
        let address = web.facts["listen"].as_str().unwrap().to_owned();
        web.interrupt();
        assert_eq!(web.ends(), 0);
        address
    }

    /// Starts a server again where one was.
    pub(crate) fn starts_a_server(&mut self, address: &str) {
        self.web = Some(self.world.up_at(address, &[]));
    }
}

/// The script that looks for barriers on a page.
pub(crate) fn axe() -> String {
    std::fs::read_to_string(variable(AXE)).unwrap()
}

fn server(web: &Web) -> String {
    web.facts["url"].as_str().unwrap().trim_end_matches('/').to_owned()
}

fn programs() -> Programs {
    Programs { browser: variable(BROWSER), driver: variable(DRIVER) }
}

fn variable(name: &str) -> PathBuf {
    let value = Environment::read().var(name).map(PathBuf::from);
    value.unwrap_or_else(|| panic!("{name} is not set: run the tests with `cargo xtask test`, which gets a browser"))
}
