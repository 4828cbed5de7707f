//! What can be wrong with a URL, told without repeating it.

/// What is wrong with a URL. It never repeats the URL or any value in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// It is not a Postgres URL.
    #[error("the address of a Postgres store begins with postgres:// or postgresql://")]
    Scheme,
    /// It can be read in two ways, one of which shows a piece of the password.
    #[error(
        "the address has an @ where none belongs; within a user, a password or a parameter write @ as %40, \
         : as %3A, / as %2F and ? as %3F"
    )]
    StrayAt,
    /// A percent sign that begins nothing.
    #[error("in the {part} a % is not followed by two hexadecimal digits; write % itself as %25")]
    Percent {
        /// Where.
        part: &'static str,
    },
    /// Bytes that are not text, or a zero byte.
    #[error("the {part} is not UTF-8 text, or has a zero byte in it")]
    NotText {
        /// Which.
        part: &'static str,
    },
    /// A server that cannot be one.
    #[error("a server in the address is neither a host name nor an IP address (IPv6 in brackets) nor a directory")]
    Host,
    /// A port that cannot be one.
    #[error("a port in the address is not a number from 1 to 65535; if it is part of a password, an @ is missing")]
    Port,
    /// Lists that belong together and are not equally long.
    #[error("the address has {hosts} servers and {ports} ports; give as many, or one port for all")]
    Ports {
        /// How many servers.
        hosts: usize,
        /// How many ports.
        ports: usize,
    },
    /// A parameter with no `=`.
    #[error("a parameter of the address has no value; write parameters as ?name=value&name=value")]
    NoValue,
    /// A parameter that Baton does not know, or knows and cannot follow.
    #[error("Baton does not support the parameter {name} of the address")]
    UnknownParameter {
        /// Which.
        name: String,
    },
    /// The same, where its name could be a piece of something secret.
    #[error("Baton does not support one of the parameters; within a password write & as %26 and = as %3D")]
    UnnamedParameter,
    /// A parameter whose value makes no sense.
    #[error("the parameter {name} of the address has a value that Baton does not understand")]
    Value {
        /// Which.
        name: &'static str,
    },
    /// Settings of encryption that contradict each other.
    #[error("{0}")]
    Security(&'static str),
    /// A user that looks like user and password in one.
    #[error("the user in the address has a : in it; if a password follows it, write that : as it is, and not as %3A")]
    User,
    /// Nobody said who connects.
    #[error("the address names no user and none is known; write postgres://USER@… or set PGUSER")]
    NoUser,
}
