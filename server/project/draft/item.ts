import { isEnded, priorities, type Priority } from "../../../protocol/project/kinds.ts";
import { toTerms } from "../../rank/terms.ts";
import type { RowOf } from "../../store/schema.ts";

/** An entity's row in a plan. */
export type Item = Omit<RowOf<"entities">, "body" | "terms"> & {
  /** null: not loaded, and unchanged. */
  readonly body: string | null;
};

/** Entity fields that a change records, by API name. */
export type Fields = {
  readonly kind: string;
  readonly title: string;
  readonly body?: string;
  readonly state: string;
  readonly priority: Priority;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly parentId: string | null;
  readonly position: number;
};

export const toEntityFields = (item: Item): Fields => ({
  kind: item.kind,
  title: item.title,
  ...(item.body === null ? {} : { body: item.body }),
  state: item.state,
  priority: priorities[item.priority] ?? "none",
  startsAt: item.starts_at,
  endsAt: item.ends_at,
  parentId: item.parent,
  position: item.position,
});

export const withFields = (item: Item, fields: Partial<Fields>): Item => {
  const all = { ...toEntityFields(item), ...fields };
  return {
    ...item,
    title: all.title,
    body: all.body ?? item.body,
    state: all.state,
    ended: isEnded(item.kind, all.state) ? 1 : 0,
    priority: Math.max(0, priorities.indexOf(all.priority)),
    starts_at: all.startsAt,
    ends_at: all.endsAt,
    parent: all.parentId,
    position: all.position,
  };
};

/** Distinct words indexed per entity; later ones cannot be searched. */
const MAX_TERMS = 20_000;

export const toSearchTerms = (title: string, body: string): string =>
  [...new Set(toTerms(`${title}\n${body}`))].slice(0, MAX_TERMS).join(" ");
