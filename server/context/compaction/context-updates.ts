import type { MessageView } from "../../../protocol/fold.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import type { Sources } from "../../../protocol/context/untrusted.ts";
import type { Digest } from "../../project/digest.ts";
import type { Compaction, Pin, MemoryEntry } from "./compaction.ts";
import { quote, REMEMBERED } from "./summary-head.ts";

/** A passage from before the cut that fits what is asked now. */
export type Recalled = {
  readonly messageId: string;
  readonly depth: number;
  readonly role: string;
  readonly at: number;
  readonly score: number;
  readonly text: string;
  readonly untrusted?: Sources;
};

/** What is said ahead of the person's words, once, and then stays as it was said. */
export type ContextUpdate = Pick<PartOf<"context">, "text" | "at" | "memory" | "pins" | "recalled" | "digests">;

type UpdateInput = {
  readonly now: number;
  readonly memory: readonly MemoryEntry[];
  readonly pins: readonly Pin[];
  readonly recalled: readonly Recalled[];
  readonly digests: readonly Digest[];
};

/** A model need not be told what time it is with every message of a conversation that flows. */
const REPEAT_TIME_AFTER_MS = 15 * 60_000;

/** null: there is nothing to tell. */
export function renderUpdate(
  { now, memory: rows, pins: all, recalled, digests }: UpdateInput,
  before: Knowledge,
): ContextUpdate | null {
  const memory = diff(before.memory, rows);
  const pins = all.filter(({ id }) => !before.pins.has(id));
  const isLater = Math.abs(now - before.at) >= REPEAT_TIME_AFTER_MS;
  const blocks = [
    ...renderMemoryChanges(memory, before.memory),
    ...(pins.length ? [`Pinned by the person:\n${pins.map(({ text }) => `- ${quote(text)}`).join("\n")}`] : []),
  ];
  const recall = renderRecalled(recalled);
  const work = renderDigests(digests, before.digests);
  if (!isLater && blocks.length === 0 && recall.length === 0 && work.texts.length === 0) return null;
  const text = [
    ...(isLater ? [toMoment(now)] : []),
    ...work.texts,
    ...(blocks.length ? [`<update>\n${blocks.join("\n\n")}\n</update>`] : []),
    ...(recall.length ? [`<recall>\n${recall.join("\n\n")}\n</recall>`] : []),
  ].join("\n");
  return {
    text: `<now>${text}</now>`,
    ...(isLater ? { at: now } : {}),
    ...(Object.keys(memory).length ? { memory } : {}),
    ...(pins.length ? { pins: pins.map(({ id }) => id) } : {}),
    ...(work.told.length ? { digests: work.told } : {}),
    ...(recalled.length
      ? { recalled: recalled.map(({ untrusted: _, ...passage }) => ({ ...passage, score: round(passage.score) })) }
      : {}),
  };
}

/** The last digits differ from one machine to another. */
const round = (score: number): number => Math.round(score * 1000) / 1000;

/** What the prompt says already. */
export type Knowledge = {
  readonly memory: Readonly<Record<string, string>>;
  readonly pins: ReadonlySet<string>;
  /** By name, what it was read at. */
  readonly digests: ReadonlyMap<string, string>;
  /** The last time that it tells. */
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

/** Told, and not of this thread any more. Where something could not be read, nobody can say. */
export function listLeft(digests: readonly Digest[], told: Iterable<string>): readonly string[] {
  if (digests.some(({ why }) => why === "load-failed")) return [];
  return [...told].filter((name) => !digests.some((digest) => digest.name === name));
}

/** Whole when it was never told, else what changed. A work that the thread has left is taken back. */
export function renderDigests(digests: readonly Digest[], known: ReadonlyMap<string, string>) {
  const [texts, told]: [string[], { name: string; at: string }[]] = [[], []];
  for (const { name, at, full, since } of digests) {
    const text = since === null || !known.has(name) ? full : since;
    if (text === "") continue;
    texts.push(text);
    if (at !== null) told.push({ name, at });
  }
  for (const name of listLeft(digests, known.keys())) {
    texts.push(`What was told before of the ${name} is not this thread's any more.`);
    told.push({ name, at: "" });
  }
  return { texts, told };
}

function diff(told: Readonly<Record<string, string>>, memory: readonly MemoryEntry[]): Record<string, string> {
  const now = new Map(memory.map(({ field, value }) => [field, value]));
  const changed: Record<string, string> = {};
  for (const field of [...new Set([...Object.keys(told), ...now.keys()])].toSorted()) {
    const value = now.get(field) ?? "";
    if (value !== (told[field] ?? "")) changed[field] = value;
  }
  return changed;
}

function renderMemoryChanges(
  changed: Readonly<Record<string, string>>,
  told: Readonly<Record<string, string>>,
): string[] {
  const fields = Object.entries(changed);
  if (fields.length === 0) return [];
  const isFirst = Object.values(told).every((value) => value === "");
  const lines = fields.map(
    ([field, value]) => `${field}: ${value === "" ? "forgotten" : quote(JSON.stringify(value))}`,
  );
  return [[isFirst ? REMEMBERED : `${REMEMBERED} (changed; this is what holds now)`, ...lines].join("\n")];
}

/** In order of time, under the day on which they were said. */
function renderRecalled(recalled: readonly Recalled[]): string[] {
  if (recalled.length === 0) return [];
  let day = "";
  const lines = recalled.flatMap(({ at, depth, role, text }) => {
    const heading = toDay(at);
    const line = `m${depth} ${role === "user" ? "person" : role}: ${quote(text)}`;
    if (heading === day) return [line];
    day = heading;
    return [`[${heading}]`, line];
  });
  return [["Said earlier in this conversation:", ...lines].join("\n")];
}

const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** In words, in UTC: the same on every machine. */
export function toDay(at: number): string {
  const date = new Date(at);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

export function toMoment(at: number): string {
  const date = new Date(at);
  return `${DAYS[date.getUTCDay()]}, ${toDay(at)}, ${date.toISOString().slice(11, 16)} UTC`;
}
