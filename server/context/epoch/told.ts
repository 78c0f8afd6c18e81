import type { MessageView } from "../../../protocol/fold.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import type { Epoch, Pin, Remembered } from "./epoch.ts";
import { quote, REMEMBERED } from "./head.ts";

/** A passage from before the cut that fits what is asked now. */
export type Recalled = {
  readonly messageId: string;
  readonly depth: number;
  readonly role: string;
  readonly at: number;
  readonly score: number;
  readonly text: string;
};

/** What is said ahead of the person's words, once, and then stays as it was said. */
export type Told = Pick<PartOf<"context">, "text" | "memory" | "pins" | "recalled">;

type News = {
  /** The time, in words. */
  readonly now: string;
  readonly memory: readonly Remembered[];
  readonly pins: readonly Pin[];
  readonly recalled: readonly Recalled[];
  /** Values that fit the question, from the ledger. */
  readonly values: string;
};

export function tell(news: News, before: Knowledge): Told {
  const memory = diff(before.memory, news.memory);
  const pins = news.pins.filter(({ id }) => !before.pins.has(id));
  const blocks = [
    ...tellChanges(memory, before.memory),
    ...(pins.length ? [`Pinned by the person:\n${pins.map(({ text }) => `- ${quote(text)}`).join("\n")}`] : []),
  ];
  const recall = [
    ...tellRecalled(news.recalled),
    ...(news.values === "" ? [] : [`Values from tools:\n${quote(news.values)}`]),
  ];
  const text = [
    news.now,
    ...(blocks.length ? [`<update>\n${blocks.join("\n\n")}\n</update>`] : []),
    ...(recall.length ? [`<recall>\n${recall.join("\n\n")}\n</recall>`] : []),
  ].join("\n");
  return {
    text: `<now>${text}</now>`,
    ...(Object.keys(memory).length ? { memory } : {}),
    ...(pins.length ? { pins: pins.map(({ id }) => id) } : {}),
    ...(news.recalled.length ? { recalled: news.recalled.map(({ at: _, ...passage }) => passage) } : {}),
  };
}

/** What the prompt says already of memory and pins. */
export type Knowledge = {
  readonly memory: Readonly<Record<string, string>>;
  readonly pins: ReadonlySet<string>;
};

export function knowledgeOf(epoch: Epoch | null, messages: readonly MessageView[]): Knowledge {
  const memory: Record<string, string> = { ...epoch?.state.memory };
  const pins = new Set(epoch?.state.pins);
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.kind !== "context") continue;
      Object.assign(memory, part.memory);
      for (const id of part.pins ?? []) pins.add(id);
    }
  }
  return { memory, pins };
}

function diff(told: Readonly<Record<string, string>>, memory: readonly Remembered[]): Record<string, string> {
  const now = new Map(memory.map(({ field, value }) => [field, value]));
  const changed: Record<string, string> = {};
  for (const field of [...new Set([...Object.keys(told), ...now.keys()])].toSorted()) {
    const value = now.get(field) ?? "";
    if (value !== (told[field] ?? "")) changed[field] = value;
  }
  return changed;
}

function tellChanges(changed: Readonly<Record<string, string>>, told: Readonly<Record<string, string>>): string[] {
  const fields = Object.entries(changed);
  if (fields.length === 0) return [];
  const isFirst = Object.values(told).every((value) => value === "");
  const lines = fields.map(
    ([field, value]) => `${field}: ${value === "" ? "forgotten" : quote(JSON.stringify(value))}`,
  );
  return [[isFirst ? REMEMBERED : `${REMEMBERED} (changed; this is what holds now)`, ...lines].join("\n")];
}

/** In order of time, under the day on which they were said. */
function tellRecalled(recalled: readonly Recalled[]): string[] {
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
