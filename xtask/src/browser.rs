//! The real browser that tests look at pages with.

use std::ffi::OsString;

use baton_browser::Programs;

use crate::{machine, npm::Packages, run::root};

/// Tell tests where the browser is, its driver, and the script that looks for barriers.
const BROWSER: &str = "BATON_TEST_BROWSER";
const DRIVER: &str = "BATON_TEST_BROWSER_DRIVER";
const AXE: &str = "BATON_TEST_AXE";
/// What the first says when they are left out.
const LEFT_OUT: &str = "none";

const AXE_CORE: &str = "axe-core@4.14.0";

/// Variables for the tests.
pub(crate) type Variables = Vec<(&'static str, OsString)>;

/// Gets the browser, its driver and axe-core, unless they are there.
pub(crate) fn prepare() -> Result<Variables, String> {
    let advice = "Tests look at pages in Chromium. To leave those tests out: cargo xtask test --without-browser";
    let packages = Packages::in_directory(root().join("target/browser"));
    let prepared = programs().and_then(|programs| {
        packages.install("axe-core, which looks for barriers on pages,", &[AXE_CORE.to_owned()], |_| Ok(()))?;
        let axe = packages.modules().join("axe-core/axe.min.js");
        Ok(vec![(BROWSER, programs.browser.into()), (DRIVER, programs.driver.into()), (AXE, axe.into_os_string())])
    });
    prepared.map_err(|why| format!("could not get Chromium, its driver and axe-core: {why}\n{advice}"))
}

/// What tests are told that do without.
pub(crate) fn left_out() -> Variables {
    vec![(BROWSER, LEFT_OUT.into())]
}

/// The browser and its driver, which are installed where they are missing.
pub(crate) fn programs() -> Result<Programs, String> {
    machine::prepare_for_browser()?;
    Programs::find().ok_or_else(|| "chromium and chromedriver are not where Debian puts them".to_owned())
}
