-- What machines say about themselves, for those who cannot look: which boot they are in, and which processes ended.

CREATE TABLE hosts (
    host_id     TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
    boot_id     TEXT   NOT NULL,
    told_at_ms  BIGINT NOT NULL
);

CREATE TABLE departures (
    host_id        TEXT   COLLATE "C" NOT NULL,
    boot_id        TEXT   COLLATE "C" NOT NULL,
    pid_namespace  BIGINT NOT NULL,
    pid            BIGINT NOT NULL,
    start_ticks    BIGINT NOT NULL,
    proof          TEXT   NOT NULL,
    told_at_ms     BIGINT NOT NULL,
    PRIMARY KEY (host_id, boot_id, pid_namespace, pid, start_ticks)
);

CREATE INDEX departures_age ON departures (told_at_ms);
