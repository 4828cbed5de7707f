//! The migrations of both engines, side by side: each number is one change of the model, in two dialects.

/// One step, in the words of each engine.
pub(crate) struct Migration {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

/// Migrations by the names of their files.
macro_rules! migrations {
    ($($name:literal),* $(,)?) => {
        &[$(Migration {
            sqlite: include_str!(concat!("schema/", $name, ".sqlite.sql")),
            postgres: include_str!(concat!("schema/", $name, ".postgres.sql")),
        }),*]
    };
}

/// Every migration, in order. The number of the last is the schema's version.
pub(crate) const MIGRATIONS: &[Migration] = migrations![
    "0001_rooms",
    "0002_hosts",
    "0003_agents",
    "0004_jobs",
    "0005_bus",
    "0006_context",
    "0007_watching",
    "0008_clock",
    "0009_identity",
    "0010_presence",
    "0011_claims",
    "0012_former",
    "0013_attention",
    "0014_earlier_claims",
    "0015_takeovers",
    "0016_told_once",
    "0017_waits",
    "0018_agent_sessions",
    "0019_session_screens",
];

/// The schema this program writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;
