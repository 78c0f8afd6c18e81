import { createHash } from "node:crypto";
import fc from "../fast-check.ts";
import type { Part } from "../../../protocol/parts.ts";
import { noUsage } from "../../../protocol/run.ts";
import type { Write } from "../../../server/store/contract.ts";
import { rows } from "../store-rows.ts";

/** Threads as rows, with every kind of part, branches, files and everything that is derived from messages. */

const words = fc.oneof(
  { weight: 5, arbitrary: fc.lorem({ maxCount: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
  { weight: 1, arbitrary: fc.constantFrom("", "👨‍👩‍👧‍👦", "\u202eabc", "line\nline", "漢字", "\u2028") },
);

const partOf = (
  message: string,
  n: number,
  given: { readonly kind: string; readonly text: string; readonly json: unknown },
): Part => {
  const base = { id: `${message}.${n}`, v: 1 as const, n, step: 1 };
  const { kind, text, json } = given;
  switch (kind) {
    case "reasoning":
      return { ...base, kind, state: "done", text, durationMs: 5, provider: json };
    case "tool":
      return {
        ...base,
        kind,
        callId: `call-${n}`,
        name: "look",
        state: "ok",
        input: json,
        output: json,
        title: text,
        digest: text,
      };
    case "file":
      return { ...base, kind, mediaType: "image/png", name: text, content: "aGk=", untrusted: ["the file “a”"] };
    case "source":
      return { ...base, kind, sourceType: "url", url: "https://example.com/a", title: text, status: "read", ref: 1 };
    case "data":
      return { ...base, kind, name: "chart", value: json };
    case "notice":
      return { ...base, kind, level: "warning", code: "some", text };
    case "step":
      return { ...base, kind, attempt: 1, model: "scripted/one" };
    case "context":
      return { ...base, kind, text, at: 5, memory: { name: text }, pins: [], recalled: [] };
    default:
      return { ...base, kind: "text", state: "done", text, untrusted: ["example.com"] };
  }
};

const kinds = ["text", "reasoning", "tool", "file", "source", "data", "notice", "step", "context"];
export const partKinds = kinds;

const part = fc.record({
  kind: fc.constantFrom(...kinds),
  text: words,
  json: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom<unknown>(null, "text", { a: [1, "ü"] })),
});

type Message = { readonly parts: readonly { kind: string; text: string; json: unknown }[] };

export const storedThread = fc.record({
  title: words,
  pinned: fc.integer({ min: 0, max: 1 }),
  archived: fc.integer({ min: 0, max: 1 }),
  main: fc.array(fc.record({ parts: fc.array(part, { minLength: 1, maxLength: 5 }) }), { minLength: 1, maxLength: 7 }),
  forks: fc.array(
    fc.record({
      from: fc.nat(6),
      parent: fc.nat(3),
      messages: fc.array(fc.record({ parts: fc.array(part, { minLength: 1, maxLength: 3 }) }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
    { maxLength: 3 },
  ),
  files: fc.array(fc.uint8Array({ minLength: 1, maxLength: 400 }), { maxLength: 2 }),
  hasContext: fc.boolean(),
});
export type StoredThread = typeof storedThread extends fc.Arbitrary<infer T> ? T : never;

export function toWrites(owner: string, id: string, given: StoredThread): readonly Write[] {
  const writes: Write[] = [];
  const at = (n: number): number => 1_700_000_000_000 + n * 1000;
  let clock = 0;
  const branches: { id: string; parent: string | null; fork: number; tip: number }[] = [];
  const add = (branch: string, parent: string | null, fork: number, messages: readonly Message[]): void => {
    for (const [index, message] of messages.entries()) {
      const depth = fork + index + 1;
      const name = `${branch}-m${depth}`;
      const role = depth % 2 === 1 ? "user" : "assistant";
      const run = role === "assistant" && depth % 4 === 0 ? `${name}-run` : null;
      writes.push({
        do: "insert",
        table: "messages",
        row: rows.message({ thread: id, id: name, branch, depth, role, run, created_at: at((clock += 1)) }),
      });
      for (const [n, one] of message.parts.entries()) {
        const body = partOf(name, n, one);
        writes.push({
          do: "insert",
          table: "parts",
          row: rows.part({ thread: id, message: name, n, kind: body.kind, tokens: n, body: JSON.stringify(body) }),
        });
      }
      if (run !== null) writes.push(toRun(owner, id, { run, message: name, branch, depth }));
    }
    branches.push({ id: branch, parent, fork, tip: fork + messages.length });
  };
  const root = `${id}-b`;
  add(root, null, 0, given.main);
  for (const [index, { from, parent, messages }] of given.forks.entries()) {
    const on = branches[parent % branches.length] ?? branches[0];
    if (on) add(`${root}${index}`, on.id, on.fork + (from % (on.tip - on.fork + 1)), messages);
  }
  const last = branches.at(-1);
  const branchRows = branches.map((one, index): Write => ({
    do: "insert",
    table: "branches",
    row: rows.branch({
      thread: id,
      id: one.id,
      parent: one.parent,
      fork_depth: one.fork,
      tip: one.tip,
      used_at: at(index),
    }),
  }));
  const { title, pinned, archived } = given;
  const thread = rows.thread({
    ...{
      id,
      owner,
      title,
      pinned,
      archived,
      branch: last?.id ?? root,
      message_count: last?.tip ?? 0,
      profile: "stone",
    },
    ...{ created_at: at(0), updated_at: at(clock), seen_at: at(clock) },
  });
  const files = given.files.flatMap((bytes, index) => toFile(owner, id, Buffer.from(bytes), index));
  const derived = given.hasContext ? toDerived(id, root) : [];
  return [{ do: "insert", table: "threads", row: thread }, ...branchRows, ...writes, ...files, ...derived];
}

type Place = { readonly run: string; readonly message: string; readonly branch: string; readonly depth: number };

function toRun(owner: string, thread: string, { run, message, branch, depth }: Place): Write {
  const view = {
    ...{ id: run, threadId: thread, messageId: message, state: "ended", outcome: "stopped", reason: null, step: 1 },
    ...{ model: "scripted/one", usage: noUsage, costUsd: 0, startedAt: 1, endedAt: 2 },
  };
  const body = {
    ...{ view, stepSeq: 3, ownerId: owner, branchId: branch, depth, model: "scripted/one", nextPart: 2 },
    ...{ used: { calls: 1, tokens: 2 }, countedFrom: 1, recoveries: 0, at: { kind: "ended" } },
  };
  const row = rows.run({ thread, id: run, message, ended: 1, ended_at: 2, body: JSON.stringify(body) });
  return { do: "insert", table: "runs", row };
}

function toFile(owner: string, thread: string, bytes: Buffer, index: number): readonly Write[] {
  const hash = createHash("sha256").update(bytes).digest("hex");
  return [
    { do: "insert", table: "attachment_blobs", row: { owner, hash }, ifAbsent: true },
    {
      do: "insert",
      table: "attachment_pieces",
      row: { owner, hash, n: 0, body: bytes.toString("base64") },
      ifAbsent: true,
    },
    {
      do: "insert",
      table: "attachment_pictures",
      row: { owner, hash, page: 1, width: 1, height: 1, size_bytes: 2, body: "aGk=" },
      ifAbsent: true,
    },
    {
      do: "insert",
      table: "attachments",
      row: {
        ...{ owner, id: `${thread}-file${index}`, thread, sent: 1, hash, name: "ä.txt", media_type: "text/plain" },
        ...{ kind: "text", size_bytes: bytes.length, width: null, height: null, text: "said", created_at: 7 },
        ...{ slot: null, page_count: 3 },
      },
    },
    {
      do: "insert",
      table: "artifacts",
      row: {
        ...{ id: `${thread}-a${index}`, thread, ref: index + 1, message: "m", kind: "attachment", title: "ä.txt" },
        ...{
          url: null,
          type: "text/plain",
          hash: "h",
          body: "granite text",
          untrusted: '["the file “ä”"]',
          created_at: 7,
        },
        meta: JSON.stringify({ attachment: `${thread}-file${index}`, share: 1 }),
      },
    },
  ];
}

function toDerived(thread: string, branch: string): readonly Write[] {
  const system = `You are ${thread}.`;
  const hash = createHash("sha256").update(system).digest("hex");
  const compaction = {
    ...{ v: 1, ledger: [], lines: [{ from: 1, to: 2, text: "said" }], chunks: [{ id: `${thread}-s1`, changedAt: 4 }] },
    ...{ memory: {}, pins: [`${thread}/p`], muted: 0, skip: null, growth: 10, items: [], tokens: 5 },
  };
  const receipt = { v: 2, recipe: { system: hash, tools: hash }, epoch: { id: `${thread}-e1` }, items: [] };
  const summary = {
    ...{ thread, branch, from_depth: 1, to_depth: 2, from_message: "a", to_message: "b", messages: 2, level: 0 },
    ...({
      status: "completed",
      cause: "auto",
      fields: "{}",
      source_tokens: 5,
      tokens: 2,
      cost_usd: 0.25,
      model: null,
    } as const),
    ...{ tainted: 0, untrusted: "[]", merged_into: null, error: null, created_at: 3, updated_at: 4 },
  } as const;
  return [
    {
      do: "insert",
      table: "pins",
      row: { id: `${thread}/p`, thread, message: null, text: "kept", untrusted: "[]", created_at: 3 },
    },
    {
      do: "insert",
      table: "epochs",
      row: {
        ...{ id: `${thread}-e1`, thread, branch, depth: 2, message: "m", reason: "size", model: "scripted/one" },
        ...{
          tokens_before: 9,
          tokens_after: 3,
          head: "Earlier",
          body: JSON.stringify(compaction),
          undone: 0,
          created_at: 4,
        },
      },
    },
    { do: "insert", table: "summaries", row: { ...summary, id: `${thread}-s1`, hash: `${thread}-s1` } },
    {
      do: "insert",
      table: "summary_changes",
      row: { id: `${thread}-c1`, thread, summary: `${thread}-s1`, before: "{}", after: "{}", undone: 0, created_at: 4 },
    },
    {
      do: "insert",
      table: "agent_states",
      row: { thread, branch, depth: 2, v: 1, body: '{"task":"x"}', untrusted: "[]", expires_at: 9, updated_at: 5 },
    },
    { do: "insert", table: "texts", row: { hash, body: system }, ifAbsent: true },
    {
      do: "insert",
      table: "receipts",
      row: rows.receipt({ thread, id: `${thread}-r1`, v: 2, body: JSON.stringify(receipt) }),
    },
  ];
}
