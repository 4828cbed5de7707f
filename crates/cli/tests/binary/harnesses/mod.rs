//! The four real programs with Baton's hooks installed, on a model that forgets the stick: guards, sessions and waking.

mod collision;
mod failing;
mod guarding;
mod resuming;
mod scene;
mod sessions;
mod shadowing;
mod waking;

/// A story for each program, by its name.
macro_rules! for_each_client {
    ($story:ident) => {
        mod $story {
            use baton_testkit::Client;

            #[test]
            fn claude() {
                super::$story(Client::Claude);
            }

            #[test]
            fn codex() {
                super::$story(Client::Codex);
            }

            #[test]
            fn gemini() {
                super::$story(Client::Gemini);
            }

            #[test]
            fn opencode() {
                super::$story(Client::OpenCode);
            }
        }
    };
}
use for_each_client;
