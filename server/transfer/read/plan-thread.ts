import type { ImportFormat } from "../../../protocol/account/imports.ts";
import { PART_VERSION, type Part } from "../../../protocol/parts.ts";
import { boundResult } from "../../context/bound-result.ts";
import { countTokens } from "../../lib/tokens.ts";
import { indexMessage, indexTitle } from "../../thread/search-docs.ts";
import { toPreview, toTitle } from "../../thread/title.ts";
import type { ThreadUnit } from "../items.ts";
import type { TableRow } from "../tables.ts";
import { hashId, toId, type ForeignFile, type ForeignNode, type ForeignPart, type ForeignThread } from "./foreign.ts";
import { createMapper, toDocs } from "./formats/map-rows.ts";
import { placeGroups, toGroups, type Group } from "./tree.ts";

/** Opens a file of the conversation for copying. */
export type OpenFile = (
  file: ForeignFile,
  path: string,
) => Promise<{ readonly sizeBytes: number; readonly hash: string }>;

type Options = { readonly format: ImportFormat; readonly openFile: OpenFile; readonly now: number };

/** A conversation of another program as a Stonechat thread. Every node becomes a part of a message; `notes` name the rest. */
export function planThread(thread: ForeignThread, options: Options): ThreadUnit {
  const id = toId(thread.id);
  const { groups, notes } = toGroups(thread.nodes);
  const placed = placeGroups(groups, hashId(id, "branch"));
  const active = groups.find(({ nodes }) => nodes.some((node) => node.id === thread.active)) ?? groups.at(-1);
  const times = thread.nodes.flatMap(({ at }) => (at === null ? [] : [at]));
  const createdAt =
    thread.createdAt ?? times.reduce((least, at) => Math.min(least, at), thread.updatedAt ?? options.now);
  const updatedAt = thread.updatedAt ?? times.reduce((most, at) => Math.max(most, at), createdAt);
  const firstText = groups.find(({ role }) => role === "user");
  let lastAnswer: Group | null = active ?? null;
  while (lastAnswer && (lastAnswer.role === "user" || textOfGroup(lastAnswer) === "")) lastAnswer = lastAnswer.parent;
  const given = thread.title.replace(/\s+/g, " ").trim().slice(0, MOST_TITLE).toWellFormed();
  const title = given || toTitle(textOfGroup(firstText));
  const branch = (active && placed.places.get(active)?.branch) ?? placed.root;
  const files: { key: string; file: ForeignFile }[] = [];
  for (const group of groups)
    for (const part of group.nodes.flatMap(({ parts }) => parts))
      if (part.kind === "file" && part.file.content !== null) files.push({ key: `${files.length}`, file: part.file });
  const keyOf = new Map(files.map(({ key, file }) => [file, key]));
  const end = placed.tips.get(branch) ?? 0;
  return {
    kind: "thread",
    format: options.format,
    id,
    messages: groups.map((group) => group.id),
    notes: [...thread.notes, ...notes],
    files: files.map(({ key, file }) => ({
      key,
      name: file.name,
      isContent: false,
      write: (path) => options.openFile(file, path),
    })),
    head: {
      title,
      title_source: given === "" ? (title === "" ? "none" : "message") : "person",
      preview: toPreview(textOfGroup(lastAnswer)),
      profile: "stone",
      model: "",
      status: "idle",
      pinned: thread.pinned ? 1 : 0,
      archived: thread.archived ? 1 : 0,
      message_count: end,
      branch,
      policy: "",
      effort: "",
      project: thread.project ?? null,
      focus: null,
      mode: "",
      seen_at: updatedAt,
      created_at: createdAt,
      updated_at: updatedAt,
    },
    rows: function* rows(place): Generator<TableRow> {
      const map = createMapper(place, new Set());
      const latest = new Map<string, number>();
      for (const group of groups) {
        const { branch: on, at } = { ...placed.places.get(group), at: timeOf(group, createdAt) };
        if (on !== undefined) latest.set(on, Math.max(latest.get(on) ?? 0, at));
      }
      for (const row of placed.branches)
        yield {
          table: "branches",
          row: {
            ...row,
            used_at:
              row.id === branch
                ? Math.max(updatedAt, ...[latest.get(row.id) ?? 0]) + 1
                : (latest.get(row.id) ?? createdAt),
          },
        };
      const owner = { id: place.id, owner: place.owner, project: null, shared: 0 } as const;
      yield* toDocs(indexTitle({ ...owner, created_at: createdAt }, title));
      for (const group of groups) {
        const at = timeOf(group, createdAt);
        const { branch: on = placed.root, depth = 1 } = placed.places.get(group) ?? {};
        yield {
          table: "messages",
          row: { id: group.id, branch: on, depth, role: group.role, run: null, created_at: at },
        };
        for (const { table, row } of toParts(group, keyOf)) yield map(table, row);
        yield* toDocs(indexMessage(owner, { id: group.id, created_at: at }, textOfGroup(group)));
      }
    },
  };
}

const MOST_TITLE = 200;

const timeOf = ({ nodes }: Group, otherwise: number): number => nodes.find(({ at }) => at !== null)?.at ?? otherwise;

const textOfGroup = (group: Group | null | undefined): string =>
  (group?.nodes ?? [])
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.kind === "text" ? [part.text] : []))
    .join("\n\n");

function* toParts(group: Group, keyOf: ReadonlyMap<ForeignFile, string>): Generator<TableRow> {
  let n = 0;
  const step = { number: group.role === "user" ? 0 : 1, hasCall: false };
  const put = (part: object, kind: Part["kind"], tokens: number): TableRow => {
    const body = { id: `${group.id}.${n}`, v: PART_VERSION, n, step: step.number, kind, ...part };
    return {
      table: "parts",
      row: { message: group.id, n: n++, v: PART_VERSION, kind, tokens, body: JSON.stringify(body) },
    };
  };
  const begin = ({ model }: ForeignNode): TableRow => put({ attempt: 1, model: model || "unknown" }, "step", 0);
  const all = group.nodes.flatMap((node) => node.parts.map((part) => ({ node, part })));
  // Texts of a user come first, as in messages that were sent here.
  const ordered = group.role === "user" ? [...all].sort((a, b) => rankOf(a.part) - rankOf(b.part)) : all;
  let isFirst = true;
  const keys: string[] = [];
  for (const { node, part } of ordered) {
    if (part.kind === "file") {
      const key = keyOf.get(part.file);
      if (key === undefined) yield put(toMissing(part.file), "notice", 0);
      else keys.push(key);
      continue;
    }
    const isAnswer = part.kind === "text" || part.kind === "reasoning" || part.kind === "tool";
    if (group.role === "assistant" && isAnswer && (isFirst || (step.hasCall && part.kind !== "tool"))) {
      if (!isFirst) step.number += 1;
      step.hasCall = false;
      isFirst = false;
      yield begin(node);
    }
    if (part.kind === "tool") step.hasCall = true;
    const { body, tokens } = toBody(part, `${group.id}.${n}`);
    yield put(body, part.kind, tokens);
  }
  if (keys.length > 0) yield { table: "import_files", row: { message: group.id, n, keys: JSON.stringify(keys) } };
}

const rankOf = ({ kind }: ForeignPart): number => (kind === "text" ? 0 : kind === "file" ? 2 : 1);

const toMissing = ({ name }: ForeignFile) => ({
  level: "info",
  code: "file-not-imported",
  text: `The file ${name || "without a name"} was not in the import.`,
});

/** Tokens of a tool result in a prompt. */
const MOST_RESULT_TOKENS = 2_000;

function toBody(
  part: Exclude<ForeignPart, { kind: "file" }>,
  id: string,
): { readonly body: object; readonly tokens: number } {
  switch (part.kind) {
    case "text":
      return { body: { state: "done", text: part.text }, tokens: countTokens(part.text) };
    case "reasoning":
      return { body: { state: "done", text: part.text }, tokens: 0 };
    case "notice":
      return { body: { level: "info", code: "imported", text: part.text }, tokens: 0 };
    case "source":
      return {
        body: { sourceType: "url", url: part.url, status: "found", ...(part.title ? { title: part.title } : {}) },
        tokens: 0,
      };
    case "tool": {
      const { name, callId = id, input, output, failed = false } = part;
      const called = { callId, name: toToolName(name), input: input ?? {} };
      if (output === undefined)
        return { body: { ...called, state: "unknown" }, tokens: countTokens(JSON.stringify(input ?? {})) };
      const bound = boundResult(output, { tokens: MOST_RESULT_TOKENS, ref: undefined, count: countTokens });
      const result = failed
        ? { state: "error", errorText: bound.text, output }
        : { state: "ok", output, ...(bound.cut ? { digest: bound.text } : {}) };
      return {
        body: { ...called, ...result },
        tokens: countTokens(JSON.stringify(input ?? {})) + countTokens(bound.text),
      };
    }
  }
}

/** Providers accept only these characters. */
const toToolName = (name: string): string => name.replaceAll(/[^\w-]+/g, "_").slice(0, 64) || "tool";
