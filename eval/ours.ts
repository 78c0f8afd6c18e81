import type { PolicyName } from "../protocol/context/policy.ts";
import { textOf, type MessageView } from "../protocol/fold.ts";
import type { Part, PartOf } from "../protocol/parts.ts";
import { boundResult } from "../server/context/bound-result.ts";
import {
  assemble,
  toPrevious,
  type AssembledPrompt,
  type Compaction,
  type Previous,
  type RecalledMessage,
  type PromptInputs,
} from "../server/context/assemble.ts";
import { countTokens } from "../server/lib/tokens.ts";
import { createRedactor } from "../server/redact/redact.ts";
import type { Contestant, SentPrompt, Session, ThreadFrame } from "./contestant.ts";
import { toPiece } from "./count/pieces.ts";
import type { Prices } from "./count/prices.ts";
import { listVisible, renderNewer } from "../server/recall/recall.ts";
import { createThreadRecall, type RecallInput } from "./contestants/product-recall.ts";

/**
 * The product's own engine: results are redacted and bounded as they come in, every call is assembled from the messages since
 * the compaction; compactions and context updates are passed to the next call, as the product stores and loads them.
 */
export type OursOptions = {
  readonly name: string;
  readonly note: string;
  readonly prices: Prices;
  readonly windowTokens?: number;
  /** Left out: nothing is brought back from before the cut, neither passages nor values. */
  readonly withRecall?: boolean;
  /** One of the product's classic policies in place of ours. */
  readonly policy?: PolicyName;
  /** Called with every call, for the rows about receipts, prefixes and bytes. */
  readonly look?: (inputs: PromptInputs, assembled: AssembledPrompt) => void;
};

/** By tool, where it is not the usual: as the product's tools declare it. */
const resultTokens: Readonly<Record<string, number>> = { scrape_webpage: 3_000, search_web: 2_000 };

export const OURS = { windowTokens: 200_000, stepMs: 5_000, resultTokens: 600 };

/** The messages that the product loads for a classic policy. */
const CLASSIC_MESSAGES = 50;

const redactor = createRedactor({ salt: "eval" });
/** The same text is counted once. */
const count = (text: string): number => toPiece(text).tokens;

export const createOurs = (options: OursOptions): Contestant => ({
  name: options.name,
  family: "ours",
  note: options.note,
  ingest,
  start: (frame) => startSession(frame, options),
});

const taken = new WeakMap<Part, Part>();

/** Once for each part, however often its thread is gone through. */
export function ingest(part: Part): Part {
  if (part.kind !== "tool" || part.output === undefined) return part;
  let bounded = taken.get(part);
  if (bounded === undefined) {
    const clean = redactor.value(part.output).value;
    const tokens = resultTokens[part.name] ?? OURS.resultTokens;
    bounded = { ...part, output: boundResult(clean, { tokens, count: countTokens }).text };
    taken.set(part, bounded);
  }
  return bounded;
}

type State = {
  readonly messages: readonly MessageView[];
  readonly compaction: Compaction | null;
  readonly previous: Previous | null;
  readonly compactions: number;
};

function startSession(frame: ThreadFrame, options: OursOptions): Session {
  const counts = new Map<string, number>();
  let state: State = { messages: [], compaction: null, previous: null, compactions: 0 };
  const write = (messageId: string, parts: readonly Part[]): void => {
    for (const part of parts) counts.set(`${messageId}/${part.n}`, countPart(part));
  };

  const index = options.withRecall ? createThreadRecall() : undefined;
  let indexed = 0;

  async function call(given: State): Promise<{ readonly sent: SentPrompt; readonly state: State }> {
    const asked = index === undefined ? undefined : toAsked(given);
    const found = asked === undefined ? [] : ((await index?.search(asked)) ?? []);
    const recalled = asked === undefined ? [] : renderNewer(asked.query, found, asked.stands);
    const inputs = toPromptInputs(frame, options, { ...given, recalled }, counts);
    const made = assemble(inputs, count, `${frame.id}-epoch-${given.compactions + 1}`);
    options.look?.(inputs, made);
    return {
      sent: { system: made.request.system, messages: made.request.messages, aside: 0 },
      state: keep(given, made, inputs),
    };
  }

  /** As the product commits it with the call: the compaction, and the context update as a part of the answer. */
  function keep(
    given: State,
    { compaction, receipt, update }: AssembledPrompt,
    { answer, now, model }: PromptInputs,
  ): State {
    const opened = compaction === null ? null : { ...compaction, id: receipt.epoch.id ?? "", model: model.id };
    const part = update === null ? undefined : toContextPart(update, answer);
    if (part && update) counts.set(`${answer.id}/${part.n}`, update.tokens);
    return {
      messages: part ? withPart(given.messages, answer, part) : given.messages,
      compaction: opened ?? given.compaction,
      previous: toPrevious(receipt, now),
      compactions: given.compactions + (opened ? 1 : 0),
    };
  }

  const add = (given: State, message: MessageView): State => {
    write(message.id, message.parts);
    return { ...given, messages: [...given.messages, message] };
  };

  return {
    add: (message) => {
      state = add(state, message);
    },
    grow: (answer, step) => {
      const moved = step.map((part): Part => ({ ...part, id: `${answer.id}.${part.n + 1}`, n: part.n + 1 }));
      write(answer.id, moved);
      const known = state.messages.find(({ id }) => id === answer.id);
      const grown = { ...(known ?? { ...answer, parts: [] }), parts: [...(known?.parts ?? []), ...moved] };
      state = { ...state, messages: [...state.messages.filter(({ id }) => id !== answer.id), grown] };
    },
    request: async () => {
      const made = await call(state);
      state = made.state;
      return made.sent;
    },
    settle: () => {
      for (const message of state.messages)
        if (message.depth > indexed) {
          index?.add(message);
          indexed = message.depth;
        }
      state = { ...state, messages: state.messages.filter(({ depth }) => depth > (state.compaction?.depth ?? 0)) };
    },
    probe: async (question) => (await call(add(state, question))).sent,
  };
}

function toPromptInputs(
  frame: ThreadFrame,
  { prices, windowTokens = OURS.windowTokens, policy = "stone" }: OursOptions,
  { messages, compaction, previous, recalled }: State & { readonly recalled: readonly RecalledMessage[] },
  counts: ReadonlyMap<string, number>,
): PromptInputs {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const question = messages[asked];
  const depth = (question?.depth ?? 0) + 1;
  const id = answerIdOf(question);
  const answer = messages.find((message) => message.id === id);
  const steps = new Set(answer?.parts.map(({ step }) => step)).size;
  const now = (question?.createdAt ?? 0) + steps * OURS.stepMs;
  const since = messages.filter((message) => message.depth > (compaction?.depth ?? 0));
  return {
    policy,
    system: frame.system,
    tools: frame.tools,
    messages: policy === "stone" ? since : messages.slice(-CLASSIC_MESSAGES),
    counts,
    answer: { id, depth, part: answer?.parts.length ?? 0 },
    compaction,
    delaysCompaction: false,
    memory: [],
    pins: [],
    state: null,
    summaries: [],
    recalled,
    digests: [],
    now,
    note: "",
    toolChoice: "auto",
    effort: "medium",
    model: {
      id: "eval",
      windowTokens,
      prices: { input: 1, output: 5, cacheRead: prices.read, cacheWrite: prices.write },
    },
    previous,
    tooLong: null,
    untrusted: [],
  };
}

/** Answers follow their question by one. */
const answerIdOf = (question: MessageView | undefined): string => {
  const [, thread = "", depth = "0"] = /^(.*)-(\d+)$/.exec(question?.id ?? "") ?? [];
  return `${thread}-${String(Number(depth) + 1).padStart(4, "0")}`;
};

/** The recall query. Undefined if the answer has begun, or everything is in the prompt. */
function toAsked({ messages, compaction }: State): RecallInput | undefined {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const question = messages[asked];
  const isBegun = messages.some(({ id, parts }) => id === answerIdOf(question) && parts.length > 0);
  if (compaction === null || question === undefined || isBegun) return undefined;
  const said = messages.slice(Math.max(0, asked - 2), asked).map(({ parts }) => textOf(parts));
  const stands = listVisible(messages.slice(0, asked));
  return {
    cut: compaction.depth,
    query: textOf(question.parts),
    previous: said.join("\n"),
    now: question.createdAt,
    stands,
    shown: new Set(stands.map(({ messageId }) => messageId)),
  };
}

const toContextPart = (
  told: NonNullable<AssembledPrompt["update"]>,
  { id, part: n }: PromptInputs["answer"],
): PartOf<"context"> => {
  const { tokens: _, ...rest } = told;
  return { id: `${id}.${n}`, v: 1, n, step: 1, kind: "context", ...rest };
};

function withPart(
  messages: readonly MessageView[],
  answer: PromptInputs["answer"],
  part: Part,
): readonly MessageView[] {
  const known = messages.find(({ id }) => id === answer.id);
  if (known) return messages.map((one) => (one === known ? { ...one, parts: [...one.parts, part] } : one));
  const [last] = messages.slice(-1);
  if (last === undefined) return messages;
  const head = { ...last, id: answer.id, role: "assistant" as const, depth: answer.depth, variants: [answer.id] };
  return [...messages, { ...head, parts: [part] }];
}

/** As the product counts a part when it is written. */
function countPart(part: Part): number {
  if (part.kind === "text") return count(part.text);
  return part.kind === "tool" ? count(JSON.stringify([part.name, part.input, part.output ?? null])) : 0;
}
