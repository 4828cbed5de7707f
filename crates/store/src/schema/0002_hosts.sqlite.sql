-- What machines say about themselves, for those who cannot look: which boot they are in, and which processes ended.

CREATE TABLE hosts (
    host_id     TEXT    NOT NULL PRIMARY KEY,
    boot_id     TEXT    NOT NULL,
    told_at_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE departures (
    host_id        TEXT    NOT NULL,
    boot_id        TEXT    NOT NULL,
    pid_namespace  INTEGER NOT NULL,
    pid            INTEGER NOT NULL,
    start_ticks    INTEGER NOT NULL,
    proof          TEXT    NOT NULL,
    told_at_ms     INTEGER NOT NULL,
    PRIMARY KEY (host_id, boot_id, pid_namespace, pid, start_ticks)
) STRICT, WITHOUT ROWID;

CREATE INDEX departures_age ON departures (told_at_ms);
