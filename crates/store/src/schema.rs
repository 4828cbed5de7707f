//! The migrations of both engines, side by side: each number is one change of the model, in two dialects.

/// One step, in the words of each engine.
pub(crate) struct Migration {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

/// Every migration, in order. The number of the last is the schema's version.
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        sqlite: include_str!("schema/0001_rooms.sqlite.sql"),
        postgres: include_str!("schema/0001_rooms.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0002_hosts.sqlite.sql"),
        postgres: include_str!("schema/0002_hosts.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0003_agents.sqlite.sql"),
        postgres: include_str!("schema/0003_agents.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0004_jobs.sqlite.sql"),
        postgres: include_str!("schema/0004_jobs.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0005_bus.sqlite.sql"),
        postgres: include_str!("schema/0005_bus.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0006_context.sqlite.sql"),
        postgres: include_str!("schema/0006_context.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0007_watching.sqlite.sql"),
        postgres: include_str!("schema/0007_watching.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0008_clock.sqlite.sql"),
        postgres: include_str!("schema/0008_clock.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0009_identity.sqlite.sql"),
        postgres: include_str!("schema/0009_identity.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0010_presence.sqlite.sql"),
        postgres: include_str!("schema/0010_presence.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0011_claims.sqlite.sql"),
        postgres: include_str!("schema/0011_claims.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0012_former.sqlite.sql"),
        postgres: include_str!("schema/0012_former.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0013_attention.sqlite.sql"),
        postgres: include_str!("schema/0013_attention.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0014_earlier_claims.sqlite.sql"),
        postgres: include_str!("schema/0014_earlier_claims.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0015_takeovers.sqlite.sql"),
        postgres: include_str!("schema/0015_takeovers.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0016_told_once.sqlite.sql"),
        postgres: include_str!("schema/0016_told_once.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0017_waits.sqlite.sql"),
        postgres: include_str!("schema/0017_waits.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0018_agent_sessions.sqlite.sql"),
        postgres: include_str!("schema/0018_agent_sessions.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/0019_session_screens.sqlite.sql"),
        postgres: include_str!("schema/0019_session_screens.postgres.sql"),
    },
];

/// The schema this program writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;
