//! How much of a model's attention a text takes.

/// The tokens of a text: a quarter of its bytes, rounded up. No vendor counts so, and all of them come close.
pub const fn tokens(text: &str) -> u32 {
    tokens_in(text.len())
}

/// The tokens of so many bytes.
pub const fn tokens_in(bytes: usize) -> u32 {
    let tokens = bytes.div_ceil(4);
    if tokens > u32::MAX as usize { u32::MAX } else { tokens as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_bytes_are_a_token_and_a_part_counts_whole() {
        assert_eq!(["", "a", "four", "fünf"].map(tokens), [0, 1, 1, 2]);
        assert_eq!(tokens_in(usize::MAX), u32::MAX);
    }
}
