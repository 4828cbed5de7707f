//! How one program shows itself: by its names, in its variables and as a process.

/// The facts by which a program is recognised.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The name on the command line, and the first part of its agents' ids.
    pub(crate) slug: &'static str,
    /// The name as people write it.
    pub(crate) title: &'static str,
    /// The program that is looked for on the path.
    pub(crate) program: &'static str,
    /// Beginnings of its executable's other names.
    pub(crate) program_prefixes: &'static [&'static str],
    /// Beginning of the names of executables that carry its name and are other programs.
    pub(crate) helper_prefix: Option<&'static str>,
    /// Two neighbouring directories on the way to its script.
    pub(crate) package: [&'static str; 2],
    /// The names it gives itself in MCP's `clientInfo`.
    pub(crate) client_names: &'static [&'static str],
    /// Beginning of a `clientInfo` name that goes on with the server's name.
    pub(crate) client_prefix: Option<&'static str>,
    /// The variables it sets for everything it starts.
    pub(crate) variables: &'static [&'static str],
    /// The variable with the id of the conversation.
    pub(crate) conversation_variable: Option<&'static str>,
    /// The variable with its process id.
    pub(crate) pid_variable: Option<&'static str>,
    /// A prompt with which it shows the room.
    pub(crate) status_prompt: &'static str,
    /// Whether a process has one conversation at a time.
    pub(crate) has_one_conversation: bool,
    /// The word before a conversation's id that has a run without a screen go on with it, where a runner may do that.
    pub(crate) resume_word: Option<&'static str>,
    /// The argument of a process that serves several screens and outlives them.
    pub(crate) server_word: Option<&'static str>,
}
