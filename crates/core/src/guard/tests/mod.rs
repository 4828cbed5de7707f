//! Commands and what is read from them.

mod git;
mod hostile;
mod patch;
mod property;
mod readers;
mod syntax;
mod writers;

use super::{ShellEffect, read_shell};

/// Checks that every command plainly reads.
fn read(commands: &[&str]) {
    for command in commands {
        let reading = read_shell(command);
        assert_eq!(reading.effect, ShellEffect::Reads, "{command}: {reading:?}");
        assert!(!reading.is_partial && !reading.moves_tree && reading.writes.is_empty(), "{command}: {reading:?}");
    }
}

/// Checks that no command can be told.
fn unknown(commands: &[&str]) {
    for command in commands {
        let reading = read_shell(command);
        assert_eq!(reading.effect, ShellEffect::Unknown, "{command}: {reading:?}");
        assert!(reading.is_partial, "{command}: {reading:?}");
    }
}

/// Checks that every command writes exactly these paths, and that nothing else is left open.
fn write(rows: &[(&str, &[&str])]) {
    for (command, writes) in rows {
        let reading = read_shell(command);
        assert_eq!(
            (reading.effect, &reading.writes[..]),
            (ShellEffect::Writes, &own(writes)[..]),
            "{command}: {reading:?}"
        );
        assert!(!reading.is_partial, "{command}: {reading:?}");
    }
}

/// Checks that every command writes these paths, and that some part of it cannot be told.
fn write_and_more(rows: &[(&str, &[&str])]) {
    for (command, writes) in rows {
        let reading = read_shell(command);
        assert_eq!(
            (reading.effect, &reading.writes[..]),
            (ShellEffect::Writes, &own(writes)[..]),
            "{command}: {reading:?}"
        );
        assert!(reading.is_partial, "{command}: {reading:?}");
    }
}

fn own(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
