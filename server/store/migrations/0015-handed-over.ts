const tables = ["alter table runs add column handed_over integer not null default 0"];

/** Marks runs that their process released properly, so that resuming one does not count as a crash. */
export const handedOver = { sqlite: tables, postgres: tables } as const;
