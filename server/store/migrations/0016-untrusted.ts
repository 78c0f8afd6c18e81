import { byBytes } from "./by-bytes.ts";

const none = "text not null default '[]'";
const unknown = `'["a result stored before the upgrade"]'`;
const earlier = `'["content read before the upgrade"]'`;

/**
 * Every stored text that can enter a prompt lists the untrusted sources that it may derive from, as JSON. Among existing rows,
 * tool results are untrusted, and so are projects and summaries that a run wrote after reading them. Memory is not, because
 * its owner approved each such change.
 */
const statements = [
  `alter table artifacts add column untrusted text not null default ${unknown}`,
  ...["memory", "memory_changes", "pins", "projects", "acts", "summaries", "agent_states"].map(
    (table) => `alter table ${table} add column untrusted ${none}`,
  ),
  `update summaries set untrusted = ${earlier} where tainted = 1`,
  `update acts set untrusted = ${earlier} where run in (select id from runs where body like '%"tainted":true%')`,
  `update projects set untrusted = ${earlier} where id in (select project from acts where untrusted <> '[]')`,
];

export const untrusted = { sqlite: statements, postgres: statements.map(byBytes) } as const;
