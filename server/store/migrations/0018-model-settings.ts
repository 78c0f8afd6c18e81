import { byBytes } from "./by-bytes.ts";

const tables = [
  "alter table providers add column label text",
  "alter table providers add column sealed_headers text",
  `create table model_settings (model text primary key, owner text not null references users (id), is_default integer not null,
     favorite integer not null, window_tokens bigint, temperature double precision, top_p double precision,
     updated_at bigint not null)`,
];

/** Named model servers with headers, and the user's settings of models. */
export const modelSettings = { sqlite: tables, postgres: tables.map(byBytes) } as const;
