-- When a machine's boot clock stood at zero, in the store's time: taken from the wall clock once per boot, and gone by
-- from then on. Rows stay, a few bytes per boot: a store may be shared by two systems on one disk, each with its own.
CREATE TABLE boots (
    boot_id       TEXT    NOT NULL PRIMARY KEY,
    booted_at_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
