import fc from "../fast-check.ts";
import type { MessageView } from "../../../protocol/fold.ts";
import { toolStates, type Part } from "../../../protocol/parts.ts";

/** Threads in any state that the product could read, and more. Their features are counted. */
export type Feature =
  | "set-aside"
  | "blank-text"
  | "odd-unicode"
  | "steering"
  | "parallel-calls"
  | "no-result"
  | "reasoning-with-marks"
  | "file"
  | "same-call-id"
  | "odd-input"
  | "odd-name"
  | "new-answer"
  | "empty-answer"
  | "context";

export type ArbitraryThread = { readonly messages: readonly MessageView[]; readonly features: ReadonlySet<Feature> };

const words = fc.oneof(
  { weight: 6, arbitrary: fc.lorem({ maxCount: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "\n\t") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\ud83e", "a\udc00b", "\u0000", "👨‍👩‍👧‍👦", "\u202eabc", "漢字処理系", "User: \nAssistant:"),
  },
  { weight: 1, arbitrary: fc.lorem({ maxCount: 400 }) },
);

const callId = fc.oneof(
  { weight: 2, arbitrary: fc.uuid() },
  { weight: 2, arbitrary: fc.constantFrom("call_0", "call_1") },
  { weight: 1, arbitrary: fc.constantFrom("functions.look:0", "", "ä b", "x".repeat(80)) },
);
const toolName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("look", "search_web", "read-file") },
  { weight: 1, arbitrary: fc.constantFrom("", "launch rocket!", "9lives", "n".repeat(90), "näme") },
);
const input = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, "text", [1, 2], 7, undefined, { a: "\ud800" }) },
);

export const makers = [
  "anthropic/claude-haiku-4-5",
  "anthropic/claude-sonnet-5-5",
  "openai/gpt-5-mini",
  "google/gemini-3.8-flash",
  "openrouter/anthropic/claude-sonnet-5-5",
  "openrouter/deepseek/deepseek-v4",
  "compatible/deepseek-chat",
] as const;

/** Provider metadata of each package, with the model that produced it. */
const marks = fc.option(
  fc
    .tuple(fc.constantFrom(...makers), fc.base64String({ minLength: 4, maxLength: 12 }))
    .map(([model, sealed]): object => {
      const namespace = model.slice(0, model.indexOf("/"));
      const own: Readonly<Record<string, object>> = {
        anthropic: { anthropic: { signature: sealed } },
        openai: { openai: { itemId: `rs_${sealed}`, reasoningEncryptedContent: sealed } },
        google: { google: { thoughtSignature: sealed } },
        openrouter: {
          openrouter: { reasoning_details: [{ type: "reasoning.text", text: "Hm.", signature: sealed, index: 0 }] },
        },
        compatible: {},
      };
      return { ...own[namespace], stonechat: { model } };
    }),
  { nil: undefined },
);

type Draft = { readonly part: object; readonly features: readonly Feature[] };
const aside = fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant("cut") });

const textDraft = fc.record({ text: words, aside }).map(({ text, aside: cut }): Draft => ({
  part: { kind: "text", state: "done", text, ...(cut && { aside: cut }) },
  features: [...(cut ? ["set-aside" as const] : []), ...tellText(text)],
}));
const reasoningDraft = fc
  .record({ text: words, provider: marks, state: fc.constantFrom("done", "cut", "streaming") })
  .map(({ text, provider, state }): Draft => ({
    part: { kind: "reasoning", state, text, ...(provider && { provider }) },
    features: provider ? ["reasoning-with-marks"] : [],
  }));
const toolDraft = fc
  .record({
    callId,
    name: toolName,
    state: fc.constantFrom(...toolStates),
    input,
    output: fc.oneof(words, fc.jsonValue({ maxDepth: 2 })),
    provider: marks,
    aside,
  })
  .map(({ provider, aside: cut, ...tool }): Draft => ({
    part: { kind: "tool", ...tool, ...(provider && { provider }), ...(cut && { aside: cut }) },
    features: [
      ...(cut ? ["set-aside" as const] : []),
      ...(/^[a-zA-Z_-]{1,64}$/.test(tool.name) ? [] : ["odd-name" as const]),
      ...(isPlain(tool.input) ? [] : ["odd-input" as const]),
      ...(["ok", "error"].includes(tool.state) ? [] : ["no-result" as const]),
    ],
  }));
const otherDraft = fc.constantFrom<Draft>(
  { part: { kind: "file", mediaType: "image/png", content: "aGk=" }, features: ["file"] },
  { part: { kind: "notice", level: "warning", code: "x", text: "A notice." }, features: [] },
  { part: { kind: "source", sourceType: "url", url: "https://example.org/" }, features: [] },
  { part: { kind: "context", text: "<now>2026-11-15</now>" }, features: ["context"] },
);

const isPlain = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

const tellText = (text: string): readonly Feature[] => [
  ...(text.trim() === "" ? ["blank-text" as const] : []),
  ...(text.isWellFormed() && !text.includes("\u0000") ? [] : ["odd-unicode" as const]),
];

const step = fc.oneof(
  fc.array(textDraft, { maxLength: 2 }),
  fc
    .tuple(
      fc.array(reasoningDraft, { maxLength: 2 }),
      fc.array(textDraft, { maxLength: 1 }),
      fc.array(toolDraft, { maxLength: 4 }),
    )
    .map((groups) => groups.flat()),
  fc.array(fc.oneof(textDraft, reasoningDraft, toolDraft, otherDraft), { maxLength: 5 }),
);

const turn = fc.record({
  asked: fc.array(fc.tuple(words, fc.array(otherDraft, { maxLength: 1 })), { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { maxLength: 4 }),
  isAgain: fc.boolean(),
});

export const arbitraryThread: fc.Arbitrary<ArbitraryThread> = fc
  .record({ turns: fc.array(turn, { minLength: 1, maxLength: 6 }), isOpen: fc.boolean(), last: words })
  .map(({ turns, isOpen, last }) => {
    const features = new Set<Feature>();
    const messages: MessageView[] = [];
    const add = (role: MessageView["role"], steps: readonly (readonly Draft[])[], isAgain = false) => {
      const depth = messages.length + 1;
      const id = `m${depth}`;
      const drafts = steps.flatMap((of, index) =>
        of.map((draft) => ({ ...draft, step: role === "user" ? 0 : index + 1 })),
      );
      for (const { features: some } of drafts) for (const feature of some) features.add(feature);
      const parts = drafts.map(({ part, step: at }, n) => ({ id: `${id}.${n}`, v: 1, n, step: at, ...part }) as Part);
      const variants = isAgain ? [`${id}-before`, id] : [];
      messages.push({
        id,
        branchId: "b",
        runId: null,
        role,
        depth,
        variants,
        createdAt: depth,
        parts,
      } as unknown as MessageView);
    };
    for (const { asked, steps, isAgain } of turns) {
      if (asked.length > 1) features.add("steering");
      if (isAgain) features.add("new-answer");
      if (steps.flat().length === 0) features.add("empty-answer");
      for (const [text, others] of asked)
        add("user", [[{ part: { kind: "text", state: "done", text }, features: tellText(text) }, ...others]]);
      add("assistant", steps, isAgain);
    }
    if (isOpen) add("user", [[{ part: { kind: "text", state: "done", text: last }, features: tellText(last) }]]);
    tellCalls(
      messages.flatMap(({ parts }) => parts),
      features,
    );
    return { messages, features };
  });

function tellCalls(parts: readonly Part[], features: Set<Feature>): void {
  const calls = parts.flatMap((part) => (part.kind === "tool" && part.aside === undefined ? [part] : []));
  if (new Set(calls.map((call) => call.callId)).size < calls.length) features.add("same-call-id");
  for (const [, of] of Map.groupBy(calls, (call) => `${call.id.split(".")[0]} ${call.step}`))
    if (of.length > 1) features.add("parallel-calls");
}
