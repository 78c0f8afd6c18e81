const tables = ["alter table runs add column handed_over integer not null default 0"];

/** Marks runs that their process released in order: taking one up is not a crash of its step. */
export const handedOver = { sqlite: tables, postgres: tables } as const;
