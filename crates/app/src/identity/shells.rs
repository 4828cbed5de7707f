//! The process behind commands that have neither a terminal nor a known harness.
//!
//! Shells and wrappers come and go with each command; the program that runs them stays. So the nearest ancestor that is
//! neither stands for the caller: two unknown agents differ, and each is one agent in all its commands.

use super::Ancestor;

const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "zsh", "fish", "ksh", "mksh", "tcsh", "csh", "busybox", "rbash"];

/// Programs that only start another one, or that commands are commonly run through. Git is among them because its hooks
/// ask Baton, on behalf of the agent that commits.
const WRAPPERS: &[&str] = &[
    "env", "timeout", "setsid", "sudo", "doas", "su", "runuser", "setpriv", "xargs", "nice", "ionice", "chrt",
    "taskset", "nohup", "stdbuf", "time", "flock", "script", "unbuffer", "strace", "unshare", "nsenter", "faketime",
    "bwrap", "find", "parallel", "watch", "entr", "make", "just", "git",
];

/// Programs that orphans are given to. An orphan is not one of their own commands.
const INITS: &[&str] =
    &["systemd", "init", "tini", "dumb-init", "docker-init", "catatonit", "s6-svscan", "runsvdir", "launchd"];

/// The process that stands for a caller, of the ones above it: the nearest that is neither a shell nor a wrapper, else the
/// outermost shell, else the outermost wrapper.
pub(super) fn standing_process(above: &[Ancestor]) -> Option<&Ancestor> {
    let passing = above.iter().take_while(|ancestor| is_passing(ancestor)).count();
    let (passed, rest) = above.split_at(passing);
    let behind = rest.first().filter(|ancestor| !adopted(ancestor, passed.last()));
    let shell = passed.iter().rev().find(|ancestor| SHELLS.contains(&ancestor.program()));
    behind.or(shell).or(passed.last())
}

/// Whether a process can stand for an agent: it is neither a shell, nor a wrapper, nor the first process of all.
pub(super) fn stands(ancestor: &Ancestor) -> bool {
    !is_passing(ancestor) && ancestor.pid != 1 && !INITS.contains(&ancestor.program())
}

fn is_passing(ancestor: &Ancestor) -> bool {
    SHELLS.contains(&ancestor.program()) || WRAPPERS.contains(&ancestor.program())
}

/// Whether `ancestor` only took in the orphan below it. The first process of a pid namespace may be an agent's program
/// itself, as in a container; its own commands are in its session.
fn adopted(ancestor: &Ancestor, below: Option<&Ancestor>) -> bool {
    let is_first = ancestor.pid == 1 && below.is_none_or(|below| below.session != ancestor.session);
    is_first || INITS.contains(&ancestor.program())
}
