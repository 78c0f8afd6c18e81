import type { MessageView } from "../../../protocol/fold.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import type { Sources } from "../../../protocol/context/untrusted.ts";
import type { Digest } from "../../project/digest.ts";
import type { Compaction, Pin, MemoryEntry } from "./compaction.ts";
import { toDay, toMoment } from "../moment.ts";
import { quote, REMEMBERED } from "./summary-head.ts";

/** A passage from before the compaction that is relevant to the user's message. */
export type RecalledMessage = {
  readonly messageId: string;
  readonly depth: number;
  readonly role: string;
  readonly at: number;
  readonly score: number;
  readonly text: string;
  readonly untrusted?: Sources;
};

/** Text added before a user message: memory, pins, recalled passages and digests. Stored once, never changed. */
export type ContextUpdate = Pick<PartOf<"context">, "text" | "at" | "memory" | "pins" | "recalled" | "digests">;

type UpdateInput = {
  readonly now: number;
  /** null: UTC. */
  readonly timeZone: string | null;
  readonly memory: readonly MemoryEntry[];
  readonly pins: readonly Pin[];
  readonly recalled: readonly RecalledMessage[];
  readonly digests: readonly Digest[];
};

/** The current time is repeated only after this long. */
const REPEAT_TIME_AFTER_MS = 15 * 60_000;

/** Null when there is nothing new. */
export function renderUpdate(
  { now, timeZone, memory: rows, pins: all, recalled, digests }: UpdateInput,
  before: Knowledge,
): ContextUpdate | null {
  const memory = diff(before.memory, rows);
  const pins = all.filter(({ id }) => !before.pins.has(id));
  const isLater = Math.abs(now - before.at) >= REPEAT_TIME_AFTER_MS;
  const blocks = [
    ...renderMemoryChanges(memory, before.memory),
    ...(pins.length ? [`Pinned by the user:\n${pins.map(({ text }) => `- ${quote(text)}`).join("\n")}`] : []),
  ];
  const recall = renderRecalled(recalled, timeZone);
  const work = renderDigests(digests, before.digests);
  if (!isLater && blocks.length === 0 && recall.length === 0 && work.texts.length === 0) return null;
  const text = [
    ...(isLater ? [toMoment(now, timeZone)] : []),
    ...work.texts,
    ...(blocks.length ? [`<update>\n${blocks.join("\n\n")}\n</update>`] : []),
    ...(recall.length ? [`<recall>\n${recall.join("\n\n")}\n</recall>`] : []),
  ].join("\n");
  return {
    text: `<now>${text}</now>`,
    ...(isLater ? { at: now } : {}),
    ...(Object.keys(memory).length ? { memory } : {}),
    ...(pins.length ? { pins: pins.map(({ id }) => id) } : {}),
    ...(work.sent.length ? { digests: work.sent } : {}),
    ...(recalled.length
      ? { recalled: recalled.map(({ untrusted: _, ...passage }) => ({ ...passage, score: round(passage.score) })) }
      : {}),
  };
}

/** The last digits differ between machines. */
const round = (score: number): number => Math.round(score * 1000) / 1000;

/** Facts that the prompt already contains. */
type Knowledge = {
  readonly memory: Readonly<Record<string, string>>;
  readonly pins: ReadonlySet<string>;
  /** The version of each digest, by name. */
  readonly digests: ReadonlyMap<string, string>;
  /** The last time that the prompt states. */
  readonly at: number;
};

export function knowledgeOf(compaction: Compaction | null, messages: readonly MessageView[]): Knowledge {
  const memory: Record<string, string> = { ...compaction?.state.memory };
  const pins = new Set(compaction?.state.pins);
  const digests = new Map((compaction?.state.digests ?? []).map(({ name, at }) => [name, at]));
  let at = -Infinity;
  const muted = compaction?.state.muted ?? 0;
  for (const { parts } of messages.filter(({ depth }) => depth > muted)) {
    for (const part of parts) {
      if (part.kind !== "context") continue;
      at = part.at ?? at;
      Object.assign(memory, part.memory);
      for (const id of part.pins ?? []) pins.add(id);
      for (const { name, at: seen } of part.digests ?? []) {
        if (seen === "") digests.delete(name);
        else digests.set(name, seen);
      }
    }
  }
  return { memory, pins, digests, at };
}

/** Digests in the prompt that no longer belong to the thread. Empty if any digest failed to load: then it is unknown. */
export function listLeft(digests: readonly Digest[], sent: Iterable<string>): readonly string[] {
  if (digests.some(({ why }) => why === "load-failed")) return [];
  return [...sent].filter((name) => !digests.some((digest) => digest.name === name));
}

/** Project digests: in full the first time, then only the changes. A digest of a project that the thread has left is withdrawn. */
function renderDigests(digests: readonly Digest[], known: ReadonlyMap<string, string>) {
  const [texts, sent]: [string[], { name: string; at: string }[]] = [[], []];
  for (const { name, at, full, since } of digests) {
    const text = since === null || !known.has(name) ? full : since;
    if (text === "") continue;
    texts.push(text);
    if (at !== null) sent.push({ name, at });
  }
  for (const name of listLeft(digests, known.keys())) {
    texts.push(`This thread no longer belongs to the ${name} described earlier.`);
    sent.push({ name, at: "" });
  }
  return { texts, sent };
}

function diff(known: Readonly<Record<string, string>>, memory: readonly MemoryEntry[]): Record<string, string> {
  const now = new Map(memory.map(({ field, value }) => [field, value]));
  const changed: Record<string, string> = {};
  for (const field of [...new Set([...Object.keys(known), ...now.keys()])].toSorted()) {
    const value = now.get(field) ?? "";
    if (value !== (known[field] ?? "")) changed[field] = value;
  }
  return changed;
}

function renderMemoryChanges(
  changed: Readonly<Record<string, string>>,
  known: Readonly<Record<string, string>>,
): string[] {
  const fields = Object.entries(changed);
  if (fields.length === 0) return [];
  const isFirst = Object.values(known).every((value) => value === "");
  const lines = fields.map(
    ([field, value]) => `${field}: ${value === "" ? "forgotten" : quote(JSON.stringify(value))}`,
  );
  return [[isFirst ? REMEMBERED : `${REMEMBERED} (changed; these are the current values)`, ...lines].join("\n")];
}

/** In order of time, grouped by day. */
function renderRecalled(recalled: readonly RecalledMessage[], timeZone: string | null): string[] {
  if (recalled.length === 0) return [];
  let day = "";
  const lines = recalled.flatMap(({ at, depth, role, text }) => {
    const heading = toDay(at, timeZone);
    const line = `m${depth} ${role}: ${quote(text)}`;
    if (heading === day) return [line];
    day = heading;
    return [`[${heading}]`, line];
  });
  return [["Earlier in this conversation:", ...lines].join("\n")];
}
