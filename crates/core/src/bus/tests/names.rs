//! What may be the name of a group, an action, a conversation or a task; and of an agent.

use crate::{bus::BusId, ids::AgentName, limits};

#[test]
fn a_name_on_the_bus_is_visible_and_short() {
    let longest = "x".repeat(limits::BUS_ID_BYTES);
    for good in ["a", "A-1.b_c:d/e", "…".trim_matches('…').to_owned().as_str(), "~!@#", &longest] {
        assert_eq!(good.parse::<BusId>().is_ok(), !good.is_empty(), "{good}");
    }
    for bad in ["", " ", "a b", "a\n", "ä", "\u{7f}", "\0", &"x".repeat(limits::BUS_ID_BYTES + 1)] {
        let problem = bad.parse::<BusId>().unwrap_err();
        assert!(problem.starts_with("must be 1 to 128 visible ASCII characters") && problem.len() < 300, "{problem}");
    }
    assert!(serde_json::from_str::<BusId>("\"a b\"").is_err(), "and so where it is read");
}

#[test]
fn people_read_the_name_of_an_agent_so_it_may_have_spaces_capitals_and_any_script() {
    for good in ["A", "Ana Lena", "worker-a", "Jürgen 2.0", "漢字", "x_y", &"é".repeat(48)] {
        assert_eq!(AgentName::display(good).unwrap().as_str(), good);
    }
    let bad = [
        "",
        " ",
        " Ana",
        "Ana ",
        "Ana  Lena",
        "-a",
        "role:x",
        "a/b",
        "broadcast",
        "a\nb",
        "a\u{202e}b",
        "a\u{200b}b",
        "\u{1b}[31m",
        "$(x)",
        "a;b",
        "'a'",
        &"é".repeat(49),
    ];
    for bad in bad {
        assert!(AgentName::display(bad).is_err(), "{bad:?}");
    }
}
