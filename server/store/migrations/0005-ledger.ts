import { byBytes } from "./by-bytes.ts";

const columns = `id text primary key, thread text not null, run text, purpose text not null, step integer not null,
     attempt integer not null, model text not null, answered_by text, provider text not null, outcome text not null,
     reason text, usage text not null, cost_usd double precision, receipt text, started_at bigint not null,
     ended_at bigint, owner text not null default '', job text`;
const names = `id, thread, run, purpose, step, attempt, model, answered_by, provider, outcome, reason, usage, cost_usd,
     receipt, started_at, ended_at, owner, job`;

/** Calls no longer reference their thread, so that costs survive its deletion. */
const rest = [
  "create index memory_changes_of_thread on memory_changes (owner, thread) where thread is not null",
  "create index memory_changes_of_field on memory_changes (owner, field, created_at, id)",
];

export const ledger = {
  sqlite: [
    "alter table calls rename to calls_before",
    `create table calls (${columns})`,
    `insert into calls (${names}) select ${names} from calls_before`,
    "drop table calls_before",
    "create index calls_of_thread on calls (thread, run)",
    "create index calls_by_owner on calls (owner, started_at)",
    ...rest,
  ],
  postgres: ["alter table calls drop constraint calls_thread_fkey", ...rest.map(byBytes)],
} as const;
