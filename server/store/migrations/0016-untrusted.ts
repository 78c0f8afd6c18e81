import { byBytes } from "./by-bytes.ts";

const none = "text not null default '[]'";
const unknown = `'["a result stored before the upgrade"]'`;
const earlier = `'["content read before the upgrade"]'`;

/**
 * Every stored text that can enter a prompt names the untrusted sources that it may derive from, as a JSON list. Of rows from
 * before: what tools stored is untrusted, and so are projects and summaries that a run wrote to after it had read such text;
 * memory is not, since each such change was approved by its owner.
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
