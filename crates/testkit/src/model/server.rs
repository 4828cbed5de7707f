//! The server: an address for each script, and a thread for each request.

use std::{
    io,
    net::{Shutdown, TcpListener, TcpStream},
    sync::Arc,
    thread,
};

use serde_json::{Value, json};

use super::{
    Script, Step,
    dialect::Dialect,
    http::{self, Request},
    play::{Played, Reply, aside},
    state::{Audience, Given, Shared},
    step::Kind,
};

/// A model on loopback. It ends with the test, which fails if a script did.
#[derive(Debug)]
pub struct Model {
    port: u16,
    shared: Arc<Shared>,
}

impl Model {
    /// Starts one that has no script yet.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::<Shared>::default();
        let accepting = shared.clone();
        thread::spawn(move || accepting.accept(&listener));
        Self { port, shared }
    }

    /// Gives a script to the next new conversation of `name`, after those that were given before.
    pub fn script(&self, name: &str, steps: Vec<Step>) -> Script {
        self.give(name, steps, Audience::Next)
    }

    /// Gives a script to every conversation of `name` for which there is no other.
    pub fn always(&self, name: &str, steps: Vec<Step>) -> Script {
        self.give(name, steps, Audience::All)
    }

    /// Gives a script to the conversations of `name` in which the user says `prompt`: those of a sub-agent that
    /// [`Step::subagent`] starts. Sub-agents with scripts of their own have prompts of their own.
    pub fn subagent(&self, name: &str, prompt: &str, steps: Vec<Step>) -> Script {
        self.give(name, steps, Audience::Prompted(prompt.to_owned()))
    }

    /// How many requests to go on there were so far, by all names, side requests included.
    pub fn requests(&self) -> usize {
        self.shared.state().asked.len()
    }

    /// How many of them came by `name`.
    pub fn requests_of(&self, name: &str) -> usize {
        self.shared.state().asked.iter().filter(|asked| *asked == name).count()
    }

    /// The address at which `name`'s scripts are played.
    pub fn url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/s/{name}", self.port)
    }

    /// Takes what went wrong with scripts. What is not taken fails the test in the end.
    pub fn failures(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.state().failures)
    }

    fn give(&self, name: &str, steps: Vec<Step>, audience: Audience) -> Script {
        assert!(!steps.is_empty(), "a script has a step");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{name} is to be a part of an address");
        let mut state = self.shared.state();
        state.scripts.push(Given { name: name.to_owned(), steps, audience });
        Script { shared: self.shared.clone(), index: state.scripts.len() - 1 }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let (gates, failures) = {
            let mut state = self.shared.state();
            state.closed = true;
            let given = state.scripts.iter().flat_map(|script| &script.steps);
            let steps = given.chain(state.plays.iter().flat_map(|play| &play.steps));
            let gates: Vec<_> = steps.filter_map(Step::gate).collect();
            let _: Vec<_> = state.connections.drain(..).map(|stream| stream.shutdown(Shutdown::Both)).collect();
            (gates, state.failures.clone())
        };
        gates.iter().for_each(super::Gate::open);
        // Wakes the thread that accepts, so that it sees that nobody is wanted any more.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if !thread::panicking() {
            assert!(failures.is_empty(), "{}", failures.join("\n"));
        }
    }
}

impl Step {
    fn gate(&self) -> Option<super::Gate> {
        match &self.0 {
            Kind::Hold(gate) => Some(gate.clone()),
            Kind::Call { .. } | Kind::Act(_) | Kind::Say(_) | Kind::Answer(_) | Kind::Fail { .. } | Kind::Decide(_) => {
                None
            }
        }
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming() {
            let mut state = self.state();
            if state.closed {
                return;
            }
            let Ok(stream) = stream else { continue };
            let Ok(other) = stream.try_clone() else { continue };
            state.connections.push(other);
            drop(state);
            let shared = self.clone();
            thread::spawn(move || {
                // A program that was killed does not hear its answer.
                let _ = shared.serve(&stream);
                let _ = stream.shutdown(Shutdown::Both);
            });
        }
    }

    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        let request = match Request::read(stream) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Other => {
                self.fail(format!("a request could not be read: {error}"));
                return http::send(stream, 400, &problem(&error.to_string()));
            }
            Err(gone) => return Err(gone),
        };
        let number = {
            let mut state = self.state();
            state.requests += 1;
            state.requests
        };
        let (name, path) = address(&request.path);
        match (request.method.as_str(), Dialect::of(path)) {
            ("HEAD", _) => http::send(stream, 200, &Value::Null),
            ("POST", _) if path == "/v1/messages/count_tokens" => {
                http::send(stream, 200, &json!({"input_tokens": 100}))
            }
            ("POST", _) if path.ends_with(":countTokens") => http::send(stream, 200, &json!({"totalTokens": 100})),
            ("POST", Some(dialect)) => {
                self.state().asked.push(name.to_owned());
                self.go_on(stream, number, name, dialect, &request)
            }
            // The programs ask for this and that, and do without.
            (method, _) => http::send(stream, 404, &problem(&format!("a scripted model has no {method} {path}"))),
        }
    }

    fn go_on(
        &self,
        stream: &TcpStream,
        number: usize,
        name: &str,
        dialect: Dialect,
        request: &Request,
    ) -> io::Result<()> {
        let body: Value = match serde_json::from_slice(&request.body) {
            Ok(body) => body,
            Err(error) => {
                self.fail(format!("{name}: a request is no JSON: {error}"));
                return http::send(stream, 400, &problem("no JSON"));
            }
        };
        let talk = dialect.read(request, &body);
        // Only the work itself has tools.
        let Played { reply, finishes } = if talk.offered.is_empty() {
            Played::on_the_way(aside(&talk))
        } else {
            self.play(name, &talk, || http::is_gone(stream))
        };
        match reply {
            Reply::HangUp => return Ok(()),
            Reply::Fail { status, message } => http::send(stream, status, &problem(&message))?,
            Reply::Answer(answer) => {
                let written = dialect.write(number, &talk.model, &answer);
                if talk.streams {
                    http::stream(stream, &written.events)?;
                } else {
                    http::send(stream, 200, &written.whole)?;
                }
            }
        }
        if let Some(play) = finishes {
            self.state().plays[play].finished = true;
            self.changed.notify_all();
        }
        Ok(())
    }
}

/// Whose address a path is, and what is asked there.
fn address(path: &str) -> (&str, &str) {
    let rest = path.strip_prefix("/s/").unwrap_or_default();
    let cut = rest.find('/').unwrap_or(rest.len());
    rest.split_at(cut)
}

/// A failure as all APIs can read it.
fn problem(message: &str) -> Value {
    json!({"type": "error", "error": {"type": "api_error", "code": "server_error", "message": message}})
}
