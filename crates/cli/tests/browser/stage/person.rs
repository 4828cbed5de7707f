//! A person at a browser: presses, types and looks, and notices when the browser complains.
#![expect(clippy::unwrap_used, reason = "a step that cannot be taken fails the test")]

use std::{cell::RefCell, fs, path::Path, thread};

use baton_browser::{Browser, Programs, Scripts, Wish};
use serde_json::{Value, json};

/// Somebody who looks at pages.
pub(crate) struct Person {
    browser: Browser,
    server: String,
    scripts: Scripts,
    console: RefCell<Vec<String>>,
    /// What may stand on the console, because the story brings it about.
    forgiven: RefCell<Vec<&'static str>>,
}

impl Person {
    /// Somebody at a browser of their own.
    pub(super) fn new(programs: &Programs, wish: Wish, server: &str) -> Self {
        let browser = Browser::start(programs, wish).unwrap();
        let (console, forgiven) = (RefCell::default(), RefCell::default());
        Self { browser, server: server.to_owned(), scripts: wish.scripts, console, forgiven }
    }

    /// Opens the address that lets in, and is sent on to what needs them.
    pub(crate) fn logs_in(&self, login: &str) {
        self.browser.goes_to(login).unwrap();
        self.until("the first page", "() => document.body?.dataset.at === '/'", &[]);
    }

    /// Goes to a page by its address, and waits until it is there, and current if it can be.
    pub(crate) fn goes(&self, path: &str) {
        self.browser.goes_to(&format!("{}{path}", self.server)).unwrap();
        if self.runs_scripts() {
            self.is_live();
        }
    }

    /// Waits until the page says that it is current.
    pub(crate) fn is_live(&self) {
        self.until("the page is live", "() => document.querySelector('#pulse')?.dataset.state === 'live'", &[]);
    }

    /// Presses something as soon as it is there.
    pub(crate) fn clicks(&self, selector: &str) {
        self.sees(selector);
        self.browser.clicks(selector).unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Taps on something as soon as it is there, as on a phone.
    pub(crate) fn taps(&self, selector: &str) {
        self.sees(selector);
        self.browser.taps(selector).unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Points at something as soon as it is there.
    pub(crate) fn points_at(&self, selector: &str) {
        self.sees(selector);
        self.browser.points_at(selector).unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Types into a field as soon as it is there.
    pub(crate) fn types_into(&self, selector: &str, text: &str) {
        self.sees(selector);
        self.browser.types_into(selector, text).unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Presses keys.
    pub(crate) fn presses(&self, keys: &str) {
        self.browser.press(keys).unwrap();
    }

    /// Waits until something is to be seen.
    pub(crate) fn sees(&self, selector: &str) {
        self.until(selector, "(selector) => shown(selector).length > 0", &[json!(selector)]);
    }

    /// Waits until words are to be read somewhere.
    pub(crate) fn reads(&self, selector: &str, words: &str) {
        let condition = "(selector, words) => shown(selector).some((element) => element.innerText.includes(words))";
        self.until(&format!("{words:?} in {selector}"), condition, &[json!(selector), json!(words)]);
    }

    /// Waits until something is not to be seen any more.
    pub(crate) fn sees_no(&self, selector: &str) {
        self.until(&format!("no {selector}"), "(selector) => shown(selector).length === 0", &[json!(selector)]);
    }

    /// Waits until the focus is in something.
    pub(crate) fn is_in(&self, selector: &str) {
        let condition = "(selector) => document.activeElement?.matches(selector)";
        self.until(&format!("the focus in {selector}"), condition, &[json!(selector)]);
    }

    /// Waits until the page of an address is shown.
    pub(crate) fn is_at(&self, address: &str) {
        let condition = "(address) => document.body?.dataset.at === address";
        self.until(&format!("the page {address}"), condition, &[json!(address)]);
    }

    /// Looks at the page at once, by a function of it.
    pub(crate) fn looks(&self, function: &str) -> Value {
        self.browser.asks(&format!("return ({function})()"), &[]).unwrap()
    }

    /// Makes a mark in the window, which only loading a page anew removes.
    pub(crate) fn marks_the_window(&self) {
        self.looks("() => { window.marked = true; return true; }");
    }

    /// Whether the window has been the same since it was marked.
    pub(crate) fn is_in_the_marked_window(&self) -> bool {
        self.looks("() => window.marked === true") == json!(true)
    }

    /// Has the story bring about something that the browser complains of.
    pub(crate) fn forgives(&self, words: &'static str) {
        self.forgiven.borrow_mut().push(words);
    }

    /// Fails if the browser complained: of an error in a script, of something that the policy of a page does not allow, of
    /// something that was not found.
    pub(crate) fn has_no_complaint(&self) {
        self.reads_console();
        let (console, forgiven) = (self.console.borrow(), self.forgiven.borrow());
        let is_bad = |line: &&String| line.starts_with("SEVERE") || line.starts_with("WARNING");
        let bad: Vec<&String> =
            console.iter().filter(is_bad).filter(|line| !forgiven.iter().any(|words| line.contains(words))).collect();
        assert!(bad.is_empty(), "the browser complained: {bad:#?}");
    }

    pub(crate) fn browser(&self) -> &Browser {
        &self.browser
    }

    pub(super) fn runs_scripts(&self) -> bool {
        self.scripts == Scripts::Run
    }

    fn reads_console(&self) {
        self.console.borrow_mut().extend(self.browser.console().unwrap_or_default());
    }

    /// Keeps what was to be seen when the story broke off.
    fn leaves_a_picture(&self) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser/failed");
        let name = thread::current().name().unwrap_or("test").replace("::", "-");
        let _ = fs::create_dir_all(&folder);
        let file = folder.join(format!("{name}.png"));
        let pictured = self.browser.pictures(&file);
        let html = self.browser.asks("return location.href + '\\n' + document.documentElement.outerHTML", &[]);
        let _ = fs::write(file.with_extension("html"), html.unwrap_or_default().as_str().unwrap_or_default());
        let folder = folder.canonicalize().unwrap_or(folder);
        println!("the page as it was: {} ({pictured:?})", folder.join(name).with_extension("png").display());
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        if thread::panicking() {
            self.reads_console();
            println!("the console: {:#?}", self.console.borrow());
            self.leaves_a_picture();
        }
    }
}
