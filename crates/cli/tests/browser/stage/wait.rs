//! Waiting for what is to be seen: the page itself says when it has changed.
#![expect(clippy::disallowed_methods, reason = "a page that never shows a thing must fail its test")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Person;

/// Longer than anything here takes; a hang becomes a failure.
const PATIENCE: Duration = Duration::from_secs(30);

/// Answers when a condition holds, or after a while that it does not. A page that goes away takes a longer wait with it.
const WATCH: &str = r"
    const [given, answer] = arguments;
    let observer, timer;
    const done = (value) => { observer.disconnect(); clearInterval(timer); answer(value); };
    const look = () => { const value = condition(...given); if (value) done(value); return value; };
    const end = Date.now() + 1000;
    observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    timer = setInterval(() => { if (!look() && Date.now() > end) done(null); }, 50);
    look();
";

/// What every condition may use.
const HELPERS: &str = r"
    const all = (selector) => [...document.querySelectorAll(selector)];
    const shown = (selector) => all(selector).filter((element) => element.checkVisibility());
";

impl Person {
    /// Waits until a function of the page answers with something, and gives that.
    pub(crate) fn until(&self, what: &str, function: &str, arguments: &[Value]) -> Value {
        let begun = Instant::now();
        let mut last = String::new();
        while begun.elapsed() < PATIENCE {
            match self.look_once(function, arguments) {
                Ok(Value::Null) => {}
                Ok(value) => return value,
                // A page that is just being left cannot be asked.
                Err(error) => last = error.to_string(),
            }
        }
        panic!("{what}: not seen in {PATIENCE:?}. {last}");
    }

    /// How long something took.
    pub(crate) fn measured(&self, act: impl FnOnce()) -> Duration {
        let begun = Instant::now();
        act();
        begun.elapsed()
    }

    fn look_once(&self, function: &str, arguments: &[Value]) -> Result<Value, baton_browser::Error> {
        // Put into the script as text: the policy of a page lets nothing be made of text later.
        let condition = format!("{HELPERS} const condition = {function};");
        if self.runs_scripts() {
            return self.browser().asks_and_waits(&format!("{condition} {WATCH}"), &[json!(arguments)]);
        }
        let answer = self.browser().asks(&format!("{condition} return condition(...arguments)"), arguments)?;
        let nothing = answer == json!(false) || answer == json!("");
        Ok(if nothing { Value::Null } else { answer })
    }
}
