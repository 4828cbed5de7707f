//! Whose fault it is that a slice has no answer: the job's, or the program's whatever the job.
//!
//! The texts are those that `codex` and `claude` print; both were seen with a model that answers 401, 403, 429, 500, 503 and
//! 529, with a closed port, and without credentials. A text that is not known counts as the job's own failure.

use baton_core::runner::TroubleKind;

use crate::process::Status;

/// Whose fault a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The job's own: another job may well be done.
    Job,
    /// The program's: other jobs would meet it, too.
    Program(TroubleKind),
}

/// The exit code of a command that cannot work now and asks to be started again later (EX_TEMPFAIL).
const TRY_LATER: i32 = 75;
/// The exit code of a command that is not allowed in (EX_NOPERM).
const NO_PERMISSION: i32 = 77;

const USAGE_LIMIT: [&str; 7] = [
    "usage limit",
    "hit your limit",
    "limit reached",
    "insufficient_quota",
    "exceeded your current quota",
    "credit balance is too low",
    "out of credits",
];

const NOT_LOGGED_IN: [&str; 11] = [
    "not logged in",
    "/login",
    "codex login",
    "failed to authenticate",
    "401 unauthorized",
    "403 forbidden",
    "invalid api key",
    "incorrect api key",
    "authentication_error",
    "missing environment variable",
    "token has expired",
];

const MODEL_DOWN: [&str; 26] = [
    "429",
    "too many requests",
    "rate limit",
    "rate_limit",
    "exceeded retry limit",
    "overloaded",
    "high demand",
    "usually temporary",
    "internal server error",
    "bad gateway",
    "service unavailable",
    "gateway timeout",
    "reconnecting",
    "stream disconnected",
    "stream closed",
    "error sending request",
    "connection refused",
    "connection reset",
    "connection failed",
    "connection error",
    "econnrefused",
    "econnreset",
    "etimedout",
    "enotfound",
    "timed out",
    "timeout",
];

impl Cause {
    /// What the last words of an agent program mean, about why it gave up. They are the program's own, not its model's.
    pub(super) fn of_words(words: &str) -> Self {
        let words = words.to_lowercase();
        let says = |known: &[&str]| known.iter().any(|part| words.contains(part));
        match () {
            () if says(&USAGE_LIMIT) => Self::Program(TroubleKind::UsageLimit),
            () if says(&NOT_LOGGED_IN) => Self::Program(TroubleKind::NotLoggedIn),
            () if says(&MODEL_DOWN) => Self::Program(TroubleKind::ModelDown),
            () => Self::Job,
        }
    }

    /// What the status of the model's service means, with the program's words about it.
    pub(super) fn of_status(status: u64, words: &str) -> Self {
        match (status, Self::of_words(words)) {
            (_, limit @ Self::Program(TroubleKind::UsageLimit)) => limit,
            (401 | 403, _) => Self::Program(TroubleKind::NotLoggedIn),
            (408 | 409 | 429 | 500..=599, _) => Self::Program(TroubleKind::ModelDown),
            (_, _) => Self::Job,
        }
    }

    /// What it means that a program ended so, without an answer.
    pub(super) fn of_exit(status: Status) -> Self {
        match status {
            Status::Code(0) => Self::Job,
            // As shells and `env` have it: the program behind it is not there, or is none.
            Status::Code(126 | 127) => Self::Program(TroubleKind::CannotStart),
            Status::Code(_) | Status::Signal(_) | Status::Lost => Self::Program(TroubleKind::Crash),
        }
    }

    /// The same for a command of the user's, which has codes to say more.
    pub(super) fn of_command(status: Status) -> Self {
        match status {
            Status::Code(TRY_LATER) => Self::Program(TroubleKind::ModelDown),
            Status::Code(NO_PERMISSION) => Self::Program(TroubleKind::NotLoggedIn),
            status => Self::of_exit(status),
        }
    }

    /// The same for an agent program that said nothing but what it complained about.
    pub(super) fn of_complaint(status: Status, stderr: &str) -> Self {
        match Self::of_words(stderr) {
            Self::Job => Self::of_exit(status),
            known => known,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts as the programs print them.
    #[test]
    fn the_words_of_codex_and_claude_tell_whose_fault_it_is() {
        let kind = |words: &str| match Cause::of_words(words) {
            Cause::Job => "job",
            Cause::Program(kind) => kind.as_str(),
        };
        for (expected, words) in [
            (
                "not_logged_in",
                "unexpected status 401 Unauthorized: the script says to fail, url: http://127.0.0.1/v1/responses",
            ),
            (
                "not_logged_in",
                "unexpected status 403 Forbidden: the script says to fail, url: http://127.0.0.1/v1/responses",
            ),
            ("not_logged_in", "Missing environment variable: `SCRIPTED_MODEL_KEY`."),
            ("not_logged_in", "Failed to authenticate. API Error: 401 the script says to fail"),
            ("not_logged_in", "Not logged in · Please run /login"),
            ("model_down", "exceeded retry limit, last status: 429 Too Many Requests"),
            ("model_down", "We’re currently experiencing high demand, which may cause temporary errors."),
            ("model_down", "unexpected status 503 Service Unavailable: the script says to fail"),
            ("model_down", "Reconnecting... waiting for network (Connection failed: error sending request)"),
            ("model_down", "API Error: Request rejected (429) · the script says to fail"),
            ("model_down", "API Error: 529 x. This is a server-side issue, usually temporary — try again in a moment."),
            ("model_down", "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)"),
            ("usage_limit", "You've hit your usage limit. Upgrade to Pro or try again in 3 hours."),
            ("usage_limit", "Claude AI usage limit reached|1763400000"),
            ("usage_limit", "Credit balance is too low"),
            ("job", "{\"error\": {\"type\": \"x\", \"message\": \"the script says to fail\"}, \"type\": \"error\"}"),
            ("job", "claude gave up: error max turns"),
        ] {
            assert_eq!(kind(words), expected, "{words}");
        }
    }

    #[test]
    fn the_status_of_the_service_counts_before_words() {
        let of = |status| Cause::of_status(status, "API Error: the script says to fail");
        assert_eq!(of(401), Cause::Program(TroubleKind::NotLoggedIn));
        assert_eq!([429, 500, 529].map(of), [Cause::Program(TroubleKind::ModelDown); 3]);
        assert_eq!([400, 404, 413].map(of), [Cause::Job; 3]);
        let spent = Cause::of_status(429, "You've hit your limit · resets 3pm");
        assert_eq!(spent, Cause::Program(TroubleKind::UsageLimit));
    }

    #[test]
    fn a_program_that_ends_without_a_word_crashed_or_could_not_be_started() {
        let crash = Cause::Program(TroubleKind::Crash);
        assert_eq!([Status::Code(1), Status::Signal(11), Status::Lost].map(Cause::of_exit), [crash; 3]);
        assert_eq!(Cause::of_exit(Status::Code(127)), Cause::Program(TroubleKind::CannotStart));
        assert_eq!(Cause::of_exit(Status::Code(0)), Cause::Job);
        assert_eq!(Cause::of_complaint(Status::Code(1), "Error: no rollout found"), crash);
        let login = Cause::of_complaint(Status::Code(1), "Not logged in. Run codex login.");
        assert_eq!(login, Cause::Program(TroubleKind::NotLoggedIn));
        assert_eq!(Cause::of_command(Status::Code(75)), Cause::Program(TroubleKind::ModelDown));
        assert_eq!(Cause::of_command(Status::Code(77)), Cause::Program(TroubleKind::NotLoggedIn));
        assert_eq!(Cause::of_command(Status::Code(3)), crash);
    }
}
