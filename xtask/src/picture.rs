//! The README's picture of the dashboard: the demo, as a browser shows it when the story is over.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use baton_browser::{Browser, Scheme, Scripts, Wish};

use crate::{
    browser,
    run::{Outcome, cargo, root, run, say},
};

/// What the demo says before the address of its page.
const STAYS: &str = "The page stays up, until Ctrl-C: ";
const SIZE: (u32, u32) = (1400, 1000);
/// The pictures, for those who like it light and for those who like it dark.
const PICTURES: [(&str, Scheme); 2] =
    [("docs/dashboard-light.png", Scheme::Light), ("docs/dashboard-dark.png", Scheme::Dark)];
/// Tells whether the page follows the store, and so is all there.
const IS_LIVE: &str = "const done = arguments[0]; const look = () => document.getElementById('pulse')?.dataset.state === \
                       'live' ? done(true) : setTimeout(look, 50); look();";

/// Makes the pictures.
pub(crate) fn take() -> Outcome {
    run(cargo(&["build", "--quiet", "--package", "baton"]))?;
    let programs = browser::programs()?;
    let demo = Demo::play()?;
    let wish = Wish { width: SIZE.0, height: SIZE.1, scheme: Scheme::Light, scripts: Scripts::Run };
    let taken = || {
        let browser = Browser::start(&programs, wish)?;
        browser.goes_to(&demo.login)?;
        for (file, scheme) in PICTURES {
            browser.prefers(scheme)?;
            browser.reloads()?;
            browser.asks_and_waits(IS_LIVE, &[])?;
            browser.pictures(&root().join(file))?;
            say(&format!("wrote {file}"));
        }
        Ok::<_, baton_browser::Error>(())
    };
    taken().map_err(|error| error.to_string())
}

/// A demo that stays. It ends with this value.
struct Demo {
    child: Child,
    login: String,
}

impl Demo {
    fn play() -> Result<Self, String> {
        let mut command = Command::new(root().join("target/debug/baton"));
        command.args(["demo", "--stay"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let out = child.stdout.take();
        let mut demo = Self { child, login: String::new() };
        let lines = out.into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok);
        let login = lines.filter_map(|line| line.split_once(STAYS).map(|(_, login)| login.to_owned())).next();
        demo.login = login.ok_or("the demo ended before its page could be looked at")?;
        Ok(demo)
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // Asked as Ctrl-C does, so that it takes its own server and agents with it.
        let asked = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        if asked.is_ok_and(|asked| asked.success()) {
            let _ = self.child.wait();
        }
    }
}

/// Where the pictures are.
pub(crate) fn files() -> Vec<PathBuf> {
    PICTURES.iter().map(|(file, _)| root().join(file)).collect()
}
