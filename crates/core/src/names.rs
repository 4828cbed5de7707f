//! Names that people can say: `amber-otter`. Chosen from the agent's id, so they are the same every time.

const ADJECTIVES: [&str; 64] = [
    "amber", "ashen", "azure", "bold", "brave", "brisk", "bronze", "calm", "civil", "clear", "cobalt", "copper",
    "coral", "crisp", "daring", "deep", "eager", "early", "fair", "fleet", "fond", "frank", "gentle", "gilded", "glad",
    "golden", "grand", "hardy", "hazel", "humble", "indigo", "ivory", "jade", "jolly", "keen", "kind", "level",
    "lively", "loyal", "lucid", "lunar", "mellow", "merry", "misty", "noble", "olive", "patient", "plucky", "polar",
    "quick", "quiet", "rapid", "ready", "royal", "rustic", "sage", "silver", "solar", "steady", "sunny", "tidal",
    "vivid", "warm", "witty",
];

const NOUNS: [&str; 64] = [
    "anchor", "aspen", "badger", "beacon", "birch", "bison", "brook", "canyon", "cedar", "comet", "crane", "creek",
    "delta", "dove", "eagle", "ember", "falcon", "fern", "finch", "fjord", "fox", "gecko", "glade", "grove", "gull",
    "harbor", "hare", "hawk", "heron", "ibis", "iris", "island", "kestrel", "lagoon", "lark", "lemur", "linden",
    "lotus", "lynx", "maple", "marten", "meadow", "mesa", "moose", "oak", "orca", "osprey", "otter", "owl", "panda",
    "pine", "puffin", "raven", "reef", "ridge", "robin", "sparrow", "spruce", "summit", "swan", "tern", "tiger",
    "willow", "wren",
];

/// Picks the name of `id`, stepping on from the first choice while it is taken.
pub fn pick(id: &str, taken: impl Fn(&str) -> bool) -> String {
    let start = fnv1a(id.as_bytes());
    let all = ADJECTIVES.len() * NOUNS.len();
    (0..all)
        .map(|step| name(start as usize % all + step))
        .find(|candidate| !taken(candidate))
        .unwrap_or_else(|| format!("{}-{}", name(start as usize), start % 10_000))
}

fn name(n: usize) -> String {
    let adjective = ADJECTIVES[n / NOUNS.len() % ADJECTIVES.len()];
    format!("{adjective}-{}", NOUNS[n % NOUNS.len()])
}

/// A small stable hash; nothing depends on it being hard to predict.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_agent_gets_the_same_name_and_a_taken_one_is_passed_over() {
        let first = pick("codex:9b22", |_| false);
        assert_eq!(pick("codex:9b22", |_| false), first);
        assert_ne!(pick("codex:9b22", |name| name == first), first);
    }

    #[test]
    fn a_name_is_found_even_when_all_are_taken() {
        assert!(pick("codex:9b22", |_| true).contains('-'));
    }
}
