import { readJson } from "../outputs/read-json.ts";
import { toFields, toList, toText } from "../outputs/read-web.ts";
import type { Step } from "../research/next-steps.ts";
import type { Made } from "../turn.ts";
import type { Asked } from "./asked.ts";

export type Listed = { readonly id: string; readonly title: string; readonly line: string };

const MOST_LOOKED_AT = 8;

/** What is spoken of by name is looked up first. */
export const startProject = (asked: Asked): Step => {
  if (asked.do === "call") return { name: asked.tool, input: asked.input };
  const kinds = asked.kind === undefined ? {} : { kinds: [asked.kind] };
  return { name: "list_entities", input: { words: asked.name, ...kinds, limit: MOST_LOOKED_AT } };
};

/** Once it is found, and there is no doubt which one is meant, it is written. */
export const continueProject = (asked: Asked, made: readonly Made[]): readonly Step[] => {
  const last = made.at(-1);
  if (asked.do === "call" || last?.name !== "list_entities" || last.failed) return [];
  const { project_id: project } = last.input;
  const meant = findMeant(asked.name, listEntities(last.text));
  if (meant === undefined) return [];
  const place = project === undefined ? {} : { project_id: project };
  return asked.do === "delete"
    ? [{ name: "delete_entities", input: { ...place, ids: [meant.id] } }]
    : [{ name: "update_entities", input: { ...place, updates: [{ id: meant.id, ...asked.set }] } }];
};

export const listEntities = (text: string): readonly Listed[] =>
  toList(toFields(readJson(text))?.["entities"]).flatMap((value) => {
    const row = toFields(value) ?? {};
    const [id, title] = [toText(row["id"]), toText(row["title"])];
    return id === "" ? [] : [{ id, title, line: toLine(row) }];
  });

/** The one that is called so, or the only one there is. */
function findMeant(name: string, listed: readonly Listed[]): Listed | undefined {
  const plain = name.toLowerCase();
  const same = listed.filter(({ title }) => title.toLowerCase() === plain);
  return same.length === 1 ? same[0] : listed.length === 1 ? listed[0] : undefined;
}

/** One thing of a project in a line of Markdown. */
export function toLine(row: Readonly<Record<string, unknown>>): string {
  const [starts, ends, state, priority] = ["starts", "ends", "state", "priority"].map((name) => toText(row[name]));
  const isEvent = row["kind"] === "event";
  const about = [
    ...(state ? [state] : []),
    ...(priority ? [`${priority} priority`] : []),
    ...(starts ? [isEvent ? starts : `from ${starts}`] : []),
    ...(ends ? [isEvent ? `until ${ends}` : `due ${ends}`] : []),
    ...(row["overdue"] === true ? ["overdue"] : []),
  ];
  const kind = toText(row["kind"]);
  return `- **${toText(row["title"]) || toText(row["name"])}**${kind ? ` (${kind})` : ""}${about.length ? `: ${about.join(", ")}` : ""}`;
}
