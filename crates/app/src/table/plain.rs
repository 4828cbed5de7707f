//! Errors of the library that reads inputs, in words that whoever sent the input knows.

/// An error without the names of types: `invalid type: integer `5`, expected a string` is `must be text, not 5`. What says
/// something else is left as it is.
pub(crate) fn in_plain_words(problem: &str) -> String {
    let read = || {
        let (_, rest) = ["invalid type: ", "invalid value: "].iter().find_map(|head| problem.split_once(head))?;
        let (found, expected) = rest.split_once(", expected ")?;
        Some(format!("must be {}, not {}", wanted(expected), shown(found)))
    };
    let length = || {
        let (_, expected) = problem.strip_prefix("invalid length ")?.split_once(", expected ")?;
        Some(format!("must be {}", wanted(expected)))
    };
    read().or_else(length).unwrap_or_else(|| problem.to_owned())
}

fn wanted(expected: &str) -> &str {
    match expected.split(' ').next().unwrap_or_default() {
        "struct" | "map" | "enum" | "internally" | "adjacently" => "an object",
        "tuple" | "sequence" => "a list",
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        _ => match expected {
            "a string" | "string" | "a borrowed string" | "a character" => "text",
            "a boolean" => "true or false",
            "a map" => "an object",
            "a sequence" => "a list",
            "unit" | "unit value" => "nothing",
            other => other,
        },
    }
}

fn shown(found: &str) -> &str {
    let quoted = |head: &str| found.strip_prefix(head).map(|rest| rest.trim_matches('`'));
    let number = quoted("integer ").or_else(|| quoted("floating point ")).or_else(|| quoted("boolean "));
    match found {
        "sequence" => "a list",
        "map" => "an object",
        "null" | "unit value" | "Option value" => "null",
        _ => number.or_else(|| found.strip_prefix("string ")).unwrap_or(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_type_of_the_program_is_named() {
        for (problem, expected) in [
            ("invalid type: integer `5`, expected a string", "must be text, not 5"),
            ("invalid type: string \"x\", expected struct AskedGrants", "must be an object, not \"x\""),
            ("invalid type: string \"true\", expected a boolean", "must be true or false, not \"true\""),
            ("invalid length 0, expected struct AskedGrants with 2 elements", "must be an object"),
            ("invalid type: sequence, expected a string", "must be text, not a list"),
            ("invalid type: floating point `1.5`, expected u64", "must be a whole number, not 1.5"),
            ("invalid value: integer `-1`, expected u32", "must be a whole number, not -1"),
            ("invalid type: map, expected a sequence", "must be a list, not an object"),
            ("missing field `id`", "missing field `id`"),
        ] {
            assert_eq!(in_plain_words(problem), expected);
        }
    }
}
