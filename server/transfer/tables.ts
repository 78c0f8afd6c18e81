import { z } from "zod";
import { PART_VERSION, Part } from "../../protocol/parts.ts";
import { RunView } from "../../protocol/run.ts";
import { RUN_VERSION } from "../store/parse-rows.ts";
import type { RowOf, Table } from "../store/schema.ts";

/**
 * The rows of an archive: their tables and columns, and how a row from outside is checked. `owner`, `thread` and `project` are
 * not in the rows: they follow from the file that a row is in. docs/export-format.md describes the columns.
 */
const text = z.string();
const int = z.int();
const flag = z.union([z.literal(0), z.literal(1)]);
const maybe = z.string().nullable();
const at = z.number();

/** A name in a path, a stream or a cursor. Longer than a client's id, because some are made of two. */
const id = z.string().regex(/^[\w./:@-]{1,260}$/, "is not an id");
const jsonText = z.string().refine((value) => isJson(value), "is not JSON");
const sources = z.string().refine((value) => isStrings(value), "is not a list of sources");

export const threadRow = z.strictObject({
  id: z.string().regex(/^[\w-]{1,128}$/),
  title: text,
  title_source: z.enum(["none", "message", "model", "person"]),
  preview: text,
  profile: text,
  model: text,
  status: z.enum(["idle", "error"]),
  pinned: flag,
  archived: flag,
  message_count: int,
  branch: id,
  policy: text,
  effort: text,
  project: maybe,
  focus: maybe,
  mode: text,
  seen_at: at,
  created_at: at,
  updated_at: at,
});
export type ThreadRow = z.infer<typeof threadRow>;

const compaction = z.looseObject({
  v: z.number(),
  ledger: z.array(z.looseObject({})),
  lines: z.array(z.looseObject({})),
  chunks: z.array(z.looseObject({ id: text })),
  untrusted: z.array(text).optional(),
  memory: z.record(text, text),
  pins: z.array(text),
  muted: z.number(),
  growth: z.number(),
  items: z.array(z.looseObject({})),
  tokens: z.number(),
});

/** In the order in which they are written and read, so that a row's references come before it. */
export const threadRows = {
  branches: z.strictObject({ id, parent: id.nullable(), fork_depth: int, tip: int, used_at: at }),
  messages: z.strictObject({
    id: z.string().regex(/^[\w-]{1,128}$/),
    branch: id,
    depth: int.min(1),
    role: z.enum(["user", "assistant"]),
    run: id.nullable(),
    created_at: at,
  }),
  parts: z
    .strictObject({ message: id, n: int, v: z.literal(PART_VERSION), kind: text, tokens: int, body: jsonText })
    .refine(({ body, kind, n }) => isPart(body, kind, n), "is not a part of this version"),
  runs: z
    .strictObject({
      id,
      message: id,
      v: z.literal(RUN_VERSION),
      body: jsonText,
      started_at: at,
      ended_at: at.nullable(),
    })
    .refine(({ body, id: own }) => isEndedRun(body, own), "is not an ended run of this version"),
  attachments: z.strictObject({
    id: z.string().regex(/^[\w-]{1,128}$/),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    name: text,
    media_type: text,
    kind: z.enum(["image", "text"]),
    size_bytes: int,
    width: int.nullable(),
    height: int.nullable(),
    page_count: int.nullable(),
    created_at: at,
    text,
  }),
  attachment_pictures: z.strictObject({
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    page: int,
    width: int,
    height: int,
    size_bytes: int,
    body: z.base64(),
  }),
  artifacts: z.strictObject({
    id,
    ref: int.min(1),
    message: id,
    kind: text,
    title: text,
    url: maybe,
    type: text,
    hash: text,
    body: text,
    meta: jsonText,
    untrusted: sources,
    created_at: at,
  }),
  pins: z.strictObject({ id, message: maybe, text, untrusted: sources, created_at: at }),
  epochs: z
    .strictObject({
      id,
      branch: id,
      depth: int,
      message: id,
      reason: text,
      model: text,
      tokens_before: int,
      tokens_after: int,
      head: text,
      body: jsonText,
      undone: flag,
      created_at: at,
    })
    .refine(({ body }) => compaction.safeParse(JSON.parse(body)).success, "is not a compaction of this version"),
  summaries: z.strictObject({
    id,
    branch: id,
    from_depth: int,
    to_depth: int,
    from_message: id,
    to_message: id,
    messages: int,
    level: int,
    status: z.enum(["completed", "failed", "partial"]),
    cause: z.enum(["auto", "manual"]),
    hash: text,
    fields: jsonText.nullable(),
    source_tokens: int,
    tokens: int,
    cost_usd: z.number().nullable(),
    model: maybe,
    tainted: flag,
    untrusted: sources,
    merged_into: id.nullable(),
    error: maybe,
    created_at: at,
    updated_at: at,
  }),
  summary_changes: z.strictObject({
    id,
    summary: id,
    before: jsonText,
    after: jsonText,
    undone: flag,
    created_at: at,
  }),
  agent_states: z.strictObject({
    branch: id,
    depth: int,
    v: int,
    body: jsonText,
    untrusted: sources,
    expires_at: at,
    updated_at: at,
  }),
  receipts: z.strictObject({ id, v: int, body: jsonText, created_at: at }),
} as const satisfies { [T in Table]?: z.ZodType };
export type ThreadTableName = keyof typeof threadRows;

/** Rows of a project's file. The first line is the project itself. */
export const projectRow = z.strictObject({
  id: z.string().regex(/^[\w-]{1,128}$/),
  name: text,
  description: text,
  instructions: text,
  archived: flag,
  version: int,
  untrusted: sources,
  seq: int.min(0),
  created_at: at,
  updated_at: at,
});
export type ProjectRow = z.infer<typeof projectRow>;

export const projectRows = {
  entities: z.strictObject({
    id,
    kind: text,
    title: text,
    body: text,
    state: text,
    ended: flag,
    priority: int,
    starts_at: at.nullable(),
    ends_at: at.nullable(),
    parent: id.nullable(),
    position: z.number(),
    version: int,
    deleted: flag,
    created_at: at,
    updated_at: at,
  }),
  edges: z.strictObject({ source: id, relation: text, target: id, hidden: flag, created_at: at }),
  acts: z.strictObject({
    id,
    hash: text,
    seq: int,
    author: z.enum(["person", "run"]),
    thread: maybe,
    run: maybe,
    text,
    undone: flag,
    undoes: maybe,
    untrusted: sources,
    created_at: at,
  }),
  changes: z.strictObject({
    act: id,
    n: int,
    seq: int,
    what: z.enum(["project", "entity", "edge", "file"]),
    target: text,
    title: text,
    before: jsonText.nullable(),
    after: jsonText.nullable(),
  }),
  blobs: z.strictObject({ hash: text, encoding: z.enum(["text", "base64"]), body: text }),
  files: z.strictObject({
    path: text,
    hash: text,
    bytes: int,
    lines: int.nullable(),
    seq: int,
    updated_at: at,
  }),
} as const satisfies { [T in Table]?: z.ZodType };
export type ProjectTableName = keyof typeof projectRows;

export type Value = string | number | null;
export type PlainRow = Readonly<Record<string, Value>>;
export type TableRow = { readonly table: string; readonly row: PlainRow };

/** The columns of a row that an archive has, in its order. */
export function pickColumns<T extends Table>(schema: z.ZodType, row: RowOf<T>): PlainRow {
  const shape = (schema as unknown as { readonly shape: object }).shape;
  const values = row as unknown as PlainRow;
  return Object.fromEntries(Object.keys(shape).map((column) => [column, values[column] ?? null]));
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

function isStrings(value: string): boolean {
  if (!isJson(value)) return false;
  const list: unknown = JSON.parse(value);
  return Array.isArray(list) && list.every((one) => typeof one === "string" && one.length <= 200) && list.length <= 20;
}

function isPart(body: string, kind: string, n: number): boolean {
  const parsed = Part.safeParse(JSON.parse(body));
  return parsed.success && parsed.data.kind === kind && parsed.data.n === n;
}

const storedRun = z.looseObject({
  view: RunView.omit({ threadId: true }).extend({ state: z.literal("ended") }),
  branchId: z.string(),
  depth: z.number(),
  model: z.string(),
  nextPart: z.number(),
  used: z.looseObject({ calls: z.number(), tokens: z.number() }),
  at: z.looseObject({ kind: z.literal("ended") }),
});

function isEndedRun(body: string, own: string): boolean {
  const parsed = storedRun.safeParse(JSON.parse(body));
  return parsed.success && parsed.data.view.id === own;
}
