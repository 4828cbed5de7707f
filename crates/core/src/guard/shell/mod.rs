//! Shell commands, read as bash reads them. Where another shell would read the text differently, it is unknown.
//!
//! [`lexer`] makes tokens of the text, [`script`] walks them and knows the directory, [`command`] looks at one simple command, and the
//! rest is about the programs: [`readers`], [`writers`], [`git`], [`sed`]. Start at [`reading`].

mod arguments;
mod assignment;
mod baton;
mod command;
mod git;
mod heredoc;
mod lexer;
mod quotes;
mod readers;
mod reading;
mod scene;
mod script;
mod sed;
mod token;
mod wrappers;
mod writers;

pub use reading::{ShellEffect, ShellReading, read_shell};
