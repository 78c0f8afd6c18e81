import type { Part, PartOf } from "../../protocol/parts.ts";
import { recallParameters } from "./ranking/parameters.ts";
import { splitPassages } from "./ranking/passages.ts";
import { type RecallPassage } from "./ranking/docs.ts";
import type { Reads } from "../store/contract.ts";
import { isReadable, toPart } from "../store/parse-rows.ts";
import type { RowOf } from "../store/schema.ts";

type PassageReads = Pick<Reads, "recallParts" | "recallArtifacts">;
export type Message = Pick<RowOf<"messages">, "id" | "role">;

/** Limits per result, artifact and message. The rest is not indexed. */
const MOST_RESULT = 4000;
export const MOST_ARTIFACT = 24_000;
const MOST_PASSAGES = 400;
/** Tools whose results repeat indexed text. */
const repeating: ReadonlySet<string> = new Set(["recall", "read_artifact"]);

/**
 * The searchable passages of each message: its text, then its tool results, then its artifacts. Deterministic, so a passage is
 * identified by its number. Superseded parts, notices, reasoning and recalled passages are excluded. Artifacts come last, so
 * that callers that need none do not have to read them.
 */
export async function loadPassages(
  read: PassageReads,
  thread: string,
  messages: readonly Message[],
): Promise<ReadonlyMap<string, readonly RecallPassage[]>> {
  const ids = messages.map(({ id }) => id);
  const [parts, artifacts] = await Promise.all([read.recallParts(thread, ids), read.recallArtifacts(thread, ids)]);
  const partsOf = Map.groupBy(parts, ({ message }) => message);
  const keptWith = Map.groupBy(artifacts, ({ message }) => message);
  return new Map(
    messages.map(({ id, role }) => [id, toPassages(role, toParts(partsOf.get(id) ?? []), keptWith.get(id) ?? [])]),
  );
}

/** Parts of a newer Stonechat are not indexed. */
export const toParts = (rows: readonly Pick<RowOf<"parts">, "v" | "body">[]): readonly Part[] =>
  rows.filter(isReadable).map(toPart);

type Artifact = Pick<RowOf<"artifacts">, "title" | "body">;

export function toPassages(
  role: Message["role"],
  parts: readonly Part[],
  kept: readonly Artifact[],
): readonly RecallPassage[] {
  const current = parts.filter((part) => part.aside === undefined);
  const split = (speaker: RecallPassage["speaker"], text: string): readonly RecallPassage[] =>
    splitPassages(text, recallParameters.passageCharacters).map((passage) => ({ speaker, text: passage }));
  return [
    ...current.flatMap((part) => (part.kind === "text" ? split(role, part.text) : [])),
    ...current.flatMap((part) => (part.kind === "tool" ? split("tool", toResultText(part)) : [])),
    ...kept.flatMap(({ title, body }) => split("tool", `${title}\n${body.slice(0, MOST_ARTIFACT)}`)),
  ].slice(0, MOST_PASSAGES);
}

function toResultText({ name, state, title, input, output }: PartOf<"tool">): string {
  if (state !== "ok" || repeating.has(name)) return "";
  const asked = title ?? `${name} ${flatten(input)}`;
  return `${asked.slice(0, 300)}\n${flatten(output)}`.slice(0, MOST_RESULT);
}

/** A value as text: `key: value` for each scalar, up to the limit. */
function flatten(value: unknown): string {
  const lines: string[] = [];
  let size = 0;
  const walk = (one: unknown, name: string): void => {
    if (size > MOST_RESULT || one === null || one === undefined) return;
    if (typeof one === "object") {
      const isList = Array.isArray(one);
      for (const [key, inner] of Object.entries(one)) walk(inner, isList ? name : key);
      return;
    }
    const line = name === "" ? String(one as string | number | boolean) : `${name}: ${String(one as string)}`;
    lines.push(line);
    size += line.length + 1;
  };
  walk(value, "");
  return lines.join("\n");
}
