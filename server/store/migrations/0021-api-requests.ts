import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table api_requests (owner text not null references users (id), id text not null,
     thread text not null references threads (id), message text not null, step integer not null, hash text not null,
     stored integer not null, body text not null, created_at bigint not null, primary key (owner, id))`,
  "create index api_requests_by_hash on api_requests (owner, hash, created_at)",
  "create index api_requests_of_thread on api_requests (thread)",
];

/** Requests by other APIs. */
export const apiRequests = { sqlite: tables, postgres: tables.map(byBytes) } as const;
