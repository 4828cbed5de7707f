//! A browser, as a person works it.

use std::{fs, path::Path, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use thirtyfour::{By, Capabilities, WebDriver};
use tokio::runtime::Runtime;

use crate::{Driver, Error, Programs, Scheme, Scripts, Wish};

/// How a browser is started. It runs nothing but the pages of a test, often as root, and in little shared memory; and it
/// is driven over a pipe, whose end is its own.
const ARGUMENTS: [&str; 6] = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
];

/// How long a script may take that waits for something. Longer than anybody has it wait.
const SCRIPT_TIMEOUT_MS: u64 = 60_000;
/// Where the middle of an element is, once it is in sight.
const MIDDLE: &str = "
    const element = document.querySelector(arguments[0]);
    element.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
";
/// How long a browser is given to end in good order.
const GOODBYE: Duration = Duration::from_secs(5);

/// A window of a browser that has its own profile.
pub struct Browser {
    session: Option<WebDriver>,
    runtime: Runtime,
    // Ends before its files are removed.
    _driver: Driver,
    _home: TempDir,
}

impl Browser {
    /// Starts one.
    pub fn start(programs: &Programs, wish: Wish) -> Result<Self, Error> {
        let home = tempfile::tempdir()?;
        let driver = Driver::start(programs, home.path())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let capabilities = capabilities(programs, home.path(), wish)?;
        let session = runtime.block_on(async { WebDriver::new(driver.url(), capabilities).await })?;
        let browser = Self { session: Some(session), runtime, _driver: driver, _home: home };
        browser.becomes(wish)?;
        Ok(browser)
    }

    /// Takes another size and other colours. Scripts stay as they were.
    pub fn becomes(&self, wish: Wish) -> Result<(), Error> {
        let size =
            json!({ "width": wish.width, "height": wish.height, "deviceScaleFactor": 1, "mobile": wish.is_phone() });
        self.devtools("Emulation.setDeviceMetricsOverride", &size)?;
        self.devtools("Emulation.setTouchEmulationEnabled", &json!({ "enabled": wish.is_phone() }))?;
        self.prefers(wish.scheme)
    }

    /// Prefers light or dark colours.
    pub fn prefers(&self, scheme: Scheme) -> Result<(), Error> {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme.as_str() });
        self.devtools("Emulation.setEmulatedMedia", &json!({ "features": [feature] })).map(drop)
    }

    /// Goes to an address, as by the address bar.
    pub fn goes_to(&self, url: &str) -> Result<(), Error> {
        self.does(async |session| session.goto(url).await)
    }

    /// Loads the page again.
    pub fn reloads(&self) -> Result<(), Error> {
        self.does(async |session| session.refresh().await)
    }

    /// Presses the first element that a selector names, with the pointer.
    pub fn clicks(&self, selector: &str) -> Result<(), Error> {
        self.does(async |session| session.find(By::Css(selector)).await?.click().await)
    }

    /// Taps the first element that a selector names, with a finger.
    pub fn taps(&self, selector: &str) -> Result<(), Error> {
        let place = self.asks(MIDDLE, &[json!(selector)])?;
        let finger = json!([{ "x": place[0], "y": place[1] }]);
        self.devtools("Input.dispatchTouchEvent", &json!({ "type": "touchStart", "touchPoints": finger }))?;
        self.devtools("Input.dispatchTouchEvent", &json!({ "type": "touchEnd", "touchPoints": [] })).map(drop)
    }

    /// Moves the pointer to the first element that a selector names.
    pub fn points_at(&self, selector: &str) -> Result<(), Error> {
        self.does(async |session| {
            let element = session.find(By::Css(selector)).await?;
            session.action_chain().move_to_element_center(&element).perform().await
        })
    }

    /// Types into the first element that a selector names.
    pub fn types_into(&self, selector: &str, text: &str) -> Result<(), Error> {
        self.does(async |session| session.find(By::Css(selector)).await?.send_keys(text).await)
    }

    /// Presses keys, wherever the focus is.
    pub fn press(&self, keys: &str) -> Result<(), Error> {
        self.does(async |session| session.action_chain().send_keys(keys).perform().await)
    }

    /// Looks at the page with a script, a function's body. Works where pages may not run any.
    pub fn asks(&self, script: &str, arguments: &[Value]) -> Result<Value, Error> {
        let arguments = arguments.to_vec();
        self.does(async |session| Ok(session.execute(script, arguments).await?.json().clone()))
    }

    /// The same with a script that answers later, by calling its last argument.
    pub fn asks_and_waits(&self, script: &str, arguments: &[Value]) -> Result<Value, Error> {
        let arguments = arguments.to_vec();
        self.does(async |session| Ok(session.execute_async(script, arguments).await?.json().clone()))
    }

    /// Says something in the browser's own protocol.
    pub fn devtools(&self, method: &str, parameters: &Value) -> Result<Value, Error> {
        self.does(async |session| session.cdp().send_raw(method, parameters).await)
    }

    /// What was written to the console since this was last asked, worst and all, and what the browser itself complained of.
    pub fn console(&self) -> Result<Vec<String>, Error> {
        let entries = self.does(async |session| session.browser_log().await)?;
        Ok(entries.into_iter().map(|entry| format!("{} {}", entry.level, entry.message)).collect())
    }

    /// Writes a picture of what is shown.
    pub fn pictures(&self, file: &Path) -> Result<(), Error> {
        let picture = self.does(async |session| session.screenshot_as_png().await)?;
        Ok(fs::write(file, picture)?)
    }

    fn does<T>(&self, act: impl AsyncFnOnce(&WebDriver) -> thirtyfour::error::WebDriverResult<T>) -> Result<T, Error> {
        let session = self.session.as_ref().ok_or_else(|| Error::Silent("it has ended".to_owned()))?;
        Ok(self.runtime.block_on(act(session))?)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            let _ = self.runtime.block_on(async { tokio::time::timeout(GOODBYE, session.quit()).await });
        }
    }
}

fn capabilities(programs: &Programs, home: &Path, wish: Wish) -> Result<Capabilities, Error> {
    let profile = format!("--user-data-dir={}", home.join("profile").display());
    let arguments: Vec<&str> = ARGUMENTS.into_iter().chain([profile.as_str()]).collect();
    // A person's own choice, as in the settings: 1 is to allow, 2 to block.
    let scripts = match wish.scripts {
        Scripts::Run => 1,
        Scripts::Off => 2,
    };
    let options = json!({
        "binary": programs.browser,
        "args": arguments,
        "prefs": { "profile.managed_default_content_settings.javascript": scripts },
    });
    let mut capabilities = Capabilities::new();
    let all = [
        ("browserName", json!("chrome")),
        ("goog:chromeOptions", options),
        ("goog:loggingPrefs", json!({ "browser": "ALL" })),
        ("timeouts", json!({ "script": SCRIPT_TIMEOUT_MS })),
    ];
    for (name, value) in all {
        capabilities.set(name, value)?;
    }
    Ok(capabilities)
}
