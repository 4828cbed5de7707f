//! Agent ids, composed from facts that may hold any character.
//!
//! What must stay true: the same facts give the same id in every process and every version, and whatever a user
//! or a client calls itself, the id stays within its alphabet.

use baton_core::{ids::AgentId, process::ProcessIdentity};
use sha2::{Digest, Sha256};

/// Longest part made from a name that someone else chose.
const NAME_CHARS: usize = 48;

/// First parts of ids that an unknown client must not get, whatever it calls itself: they say what was proven.
const RESERVED_SLUGS: [&str; 7] = ["human", "shell", "job", "runner", "token", "browser", "bus"];

/// `<slug>:<hash>` of the facts. The slug must be one of ours or come from [`slug`].
pub(super) fn hashed(slug: &str, facts: &[&str]) -> AgentId {
    checked(format!("{slug}:{}", digest(&[&[slug], facts].concat(), 8)))
}

/// `human:<user>:<terminal>`.
pub(super) fn human(user: &str, terminal: &str) -> AgentId {
    checked(format!("human:{}:{}", name(user), name(terminal)))
}

/// `shell:<user>:<hash>` of the process behind the shells.
pub(super) fn shell(user: &str, facts: &str) -> AgentId {
    checked(format!("shell:{}:{}", name(user), digest(&["shell", facts], 8)))
}

/// The facts that tell one process from every other, as text. The pidfd's inode stays out: whether it is known
/// depends on who looks.
pub(super) fn process_facts(process: &ProcessIdentity) -> String {
    let ProcessIdentity { host_id, boot_id, pid_namespace, pid, start_ticks, .. } = process;
    format!("{host_id} {boot_id} {pid_namespace} {pid} {start_ticks}")
}

/// A slug for an MCP client that is not known: `Acme Editor/2` becomes `acme-editor-2`.
pub(super) fn slug(client_name: &str) -> String {
    let slug = letters(&client_name.to_ascii_lowercase(), b"-_.");
    match slug.as_str() {
        "" => "mcp".to_owned(),
        // Nobody becomes a person, a job or a server's agent by calling itself one.
        _ if RESERVED_SLUGS.contains(&&*slug) => format!("mcp-{slug}"),
        _ => slug,
    }
}

/// A name within the id's alphabet. Two names stay two, even where all that differs had to be replaced.
fn name(text: &str) -> String {
    let kept = letters(text, b"-_.@+");
    if kept == text { kept } else { format!("{kept}-{}", digest(&[text], 4)).trim_start_matches('-').to_owned() }
}

fn letters(text: &str, also: &[u8]) -> String {
    let mut kept = String::new();
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte) if byte.is_ascii_alphanumeric() || also.contains(&byte) => kept.push(c),
            Ok(_) | Err(_) if kept.ends_with('-') => {}
            Ok(_) | Err(_) => kept.push('-'),
        }
        if kept.len() >= NAME_CHARS {
            break;
        }
    }
    kept.trim_matches('-').to_owned()
}

fn digest(facts: &[&str], hex_chars: usize) -> String {
    let hash = Sha256::digest(facts.join("\0"));
    let start = hash.iter().take(4).fold(0_u32, |start, byte| start << 8 | u32::from(*byte));
    let mut hex = format!("{start:08x}");
    hex.truncate(hex_chars);
    hex
}

fn checked(text: String) -> AgentId {
    text.parse().expect("an id made of a slug, names within the alphabet and hex digits is valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_users_and_clients_call_themselves_ids_stay_within_their_alphabet() {
        let awkward = ["ana", "", "a b", "été", "DOMAIN\\ana", "\u{1b}[31mred", "日本", "a:b", &"x".repeat(500), "--"];
        for text in awkward {
            let person = human(text, text);
            assert_eq!(person.as_str().split(':').count(), 3, "{person}");
            let client = hashed(&slug(text), &["1"]);
            assert_eq!(client.as_str().split(':').count(), 2, "{client}");
        }
    }

    #[test]
    fn names_that_differ_only_in_what_must_be_replaced_stay_different() {
        assert_ne!(human("été", "pts1"), human("àtà", "pts1"));
        assert_eq!(human("ana", "pts1").as_str(), "human:ana:pts1");
    }

    #[test]
    fn an_unknown_client_becomes_a_readable_slug_and_never_a_person() {
        let slugs = ["Acme Editor/2", "human", "Human", "  ", "mcp inspector"].map(slug);
        assert_eq!(slugs, ["acme-editor-2", "mcp-human", "mcp-human", "mcp", "mcp-inspector"]);
    }
}
