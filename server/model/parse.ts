import type { ModelEvent, ModelFailure } from "../../protocol/model.ts";

type FinishReason = Extract<ModelEvent, { type: "finish" }>["reason"];

export type Directive =
  | { readonly do: "say" | "think"; readonly deltas: readonly string[]; readonly everyMs: number }
  | { readonly do: "results" }
  | { readonly do: "call"; readonly name: string; readonly inputText: string }
  | {
      readonly do: "fail";
      readonly code: ModelFailure["code"];
      readonly fault: ModelFailure["fault"];
      readonly times: number;
      readonly retryAfterMs?: number;
    }
  | { readonly do: "hang" }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "finish"; readonly reason: FinishReason };

/** Splits a script into steps. A step ends with its tool calls or with the script. Text without a directive is echoed. */
export const parseScript = (text: string, role: "main" | "backup"): readonly (readonly Directive[])[] => {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const own = lines.flatMap((line) => {
    const backup = /^backup:(.*)$/i.exec(line);
    return (backup !== null) === (role === "backup") ? [backup?.[1]?.trim() ?? line] : [];
  });
  const directives = own.flatMap(parseLine);
  if (directives.length > 0) return toSteps(directives);
  const echo = role === "backup" ? "The backup answers." : `You said: ${lines.join(" ").slice(0, 500)}`;
  return [[{ do: "say", deltas: toDeltas(echo), everyMs: 0 }]];
};

type DirectiveLine = Directive & { readonly joined?: boolean };

const toSteps = (directives: readonly DirectiveLine[]): Directive[][] => {
  const steps: Directive[][] = [];
  let step: Directive[] = [];
  for (const [index, directive] of directives.entries()) {
    step.push(directive);
    if (directive.do !== "call" || directives[index + 1]?.joined === true) continue;
    steps.push(step);
    step = [];
  }
  return [...steps, ...(step.length > 0 ? [step] : [])];
};

const parseLine = (line: string): DirectiveLine[] => {
  const found: DirectiveLine[] = [];
  let rest = line;
  let joined = false;
  while (rest !== "") {
    const [directives, left] = parseOne(rest);
    if (directives.length === 0) return found;
    found.push(...directives.map((directive) => (joined ? { ...directive, joined } : directive)));
    const joint = /^\s*(then|and)\s+/i.exec(left);
    if (joint === null) return found;
    joined = joint[1]?.toLowerCase() === "and";
    rest = left.slice(joint[0].length);
  }
  return found;
};

const parseOne = (text: string): [Directive[], string] => {
  const call = /^call (?:tool )?([^\s{[]+)\s*/i.exec(text);
  if (call !== null) return parseCall(call[1] ?? "", text.slice(call[0].length));
  const stop = /\sthen\s/i.exec(text);
  const own = stop === null ? text : text.slice(0, stop.index);
  return [parsePlain(own.trim()), text.slice(own.length)];
};

const parseCall = (name: string, rest: string): [Directive[], string] => {
  const raw = /^raw (.*)$/i.exec(rest);
  if (raw !== null) return [[{ do: "call", name, inputText: raw[1] ?? "" }], ""];
  const length = rest.startsWith("{") || rest.startsWith("[") ? findJsonEnd(rest) : 0;
  return [[{ do: "call", name, inputText: length === 0 ? "{}" : rest.slice(0, length) }], rest.slice(length)];
};

const findJsonEnd = (text: string): number => {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\" && quoted) at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "{" || character === "[")) depth += 1;
    else if (!quoted && (character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  return text.length;
};

const parsePlain = (text: string): Directive[] => {
  const every = /\severy (\d{1,9})\s?ms$/i.exec(text);
  const everyMs = Number(every?.[1] ?? 0);
  const body = every === null ? text : text.slice(0, every.index).trimEnd();
  const speech = /^(say|think)\s+(\S.*)$/i.exec(body);
  if (speech !== null) {
    const verb = speech[1]?.toLowerCase() === "think" ? "think" : "say";
    const what = speech[2] ?? "";
    return what === "results" ? [{ do: "results" }] : [{ do: verb, deltas: toDeltas(what), everyMs }];
  }
  const wait = /^wait (\d+)\s?ms$/i.exec(body);
  if (wait !== null) return [{ do: "wait", ms: Number(wait[1]) }];
  const finish = /^finish (stop|length|content-filter|other)$/i.exec(body);
  if (finish !== null) return [{ do: "finish", reason: finish[1]?.toLowerCase() as FinishReason }];
  if (/^hang$/i.test(body)) return [{ do: "hang" }];
  return parseFail(body);
};

const toDeltas = (what: string): string[] => {
  const counted = /^(\d+) words?$/i.exec(what);
  if (counted !== null) return spaced(Array.from({ length: Number(counted[1]) }, (_, index) => `w${index + 1}`));
  const sized = /^(\d+) deltas? of (\d+) characters?$/i.exec(what);
  if (sized !== null) return Array.from({ length: Number(sized[1]) }, () => "x".repeat(Number(sized[2])));
  return spaced(what.split(/\s+/));
};

const spaced = (words: readonly string[]): string[] => words.map((word, index) => (index === 0 ? word : ` ${word}`));

const parseFail = (text: string): Directive[] => {
  const fail = /^fail ([\w-]+)(?: (\d+) times?| (once))?(?: retry (\d+)\s?(m?s))?(?: after (\d+) words?)?$/i.exec(text);
  if (fail === null) return [];
  const cause = (fail[1] ?? "").toLowerCase();
  const [code, fault] = byStatus[cause] ?? byCode[cause] ?? ["server-error", "provider"];
  const retryAfterMs = fail[4] === undefined ? undefined : Number(fail[4]) * (fail[5] === "ms" ? 1 : 1000);
  const times = fail[3] !== undefined ? 1 : fail[2] === undefined ? Number.POSITIVE_INFINITY : Number(fail[2]);
  const first: Directive[] =
    fail[6] === undefined ? [] : [{ do: "say", deltas: toDeltas(`${fail[6]} words`), everyMs: 0 }];
  return [...first, { do: "fail", code, fault, times, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }];
};

type Verdict = readonly [ModelFailure["code"], ModelFailure["fault"]];

const byStatus: Record<string, Verdict> = {
  400: ["bad-request", "request"],
  401: ["unauthorized", "settings"],
  402: ["no-credit", "settings"],
  404: ["not-found", "settings"],
  413: ["too-long", "request"],
  429: ["rate-limited", "provider"],
  500: ["server-error", "provider"],
  502: ["server-error", "provider"],
  503: ["overloaded", "provider"],
  529: ["overloaded", "provider"],
};

const byCode: Record<string, Verdict> = {
  unreachable: ["unreachable", "provider"],
  stalled: ["stalled", "provider"],
  "timed-out": ["timed-out", "provider"],
  cut: ["cut", "provider"],
  garbled: ["garbled", "provider"],
  refused: ["refused", "request"],
  "too-long": ["too-long", "request"],
};
