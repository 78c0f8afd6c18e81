import type { Response } from "../../protocol/api.ts";
import type { ReceiptLine } from "../../protocol/context/context-api.ts";
import type { ContextView, CompactionView, PinView } from "../../protocol/context/context.ts";
import type { Receipt, ReceiptItem } from "../../protocol/context/receipt.ts";
import type { SummaryFields, SummaryView } from "../../protocol/context/summary.ts";
import { noUsage } from "../../protocol/run.ts";
import { at } from "./stub-parts.ts";
import { answerId, type Reply, threadId } from "./stub-thread.ts";

/** The context of a stub thread: receipts, a compaction, a summary and a pin, in the server's format. */
const item = (slot: ReceiptItem["slot"], kind: ReceiptItem["kind"], change: Partial<ReceiptItem>): ReceiptItem => ({
  slot,
  kind,
  id: kind,
  tokens: 100,
  why: "since-the-cut",
  ...change,
});

const fixed: readonly ReceiptItem[] = [
  item("tools", "tools", { id: "6", tokens: 940, why: "offered" }),
  item("system", "system", { id: "instructions", tokens: 310, why: "always" }),
  item("head", "pin", { id: "pin-1", tokens: 18, why: "pinned" }),
  item("head", "memory", { id: "location", tokens: 9, why: "remembered" }),
  item("head", "ledger", { id: "ledger", tokens: 220, why: "values" }),
  item("head", "summary", { id: "summary-1", depth: 24, tokens: 310, why: "covers", shortenedFrom: 402 }),
];
const log = [25, 26, 27, 28].map((depth) =>
  item("log", "message", {
    id: `m${depth}`,
    depth,
    parts: [0],
    tokens: 60 + depth * 7,
    ...(depth === 26 ? { redacted: 2 } : {}),
  }),
);
const now = (depth: number): readonly ReceiptItem[] => [
  item("now", "clock", { id: answerId, depth, tokens: 90, why: "told" }),
  item("now", "recall", { id: "m12", depth: 12, tokens: 60, why: "recalled", score: 0.93 }),
  item("now", "message", { id: "stub-question", depth, parts: [0], tokens: 12, why: "at-hand" }),
];

const toReceipt = (items: readonly ReceiptItem[], change: Partial<Receipt> = {}): Receipt => ({
  v: 2,
  policy: "stone",
  codec: 1,
  model: "scripted/script",
  tokenizer: "o200k_base",
  budget: {
    window: 128_000,
    windowAssumed: false,
    reserve: 8_000,
    fixed: 1_250,
    high: 6_400,
    low: 2_600,
    spread: 3_800,
    growth: 240,
  },
  promptTokens: items.reduce((sum, one) => (one.kind === "recall" ? sum : sum + one.tokens), 0),
  items,
  leftOut: [
    {
      fromDepth: 1,
      toDepth: 24,
      messages: 24,
      tokens: null,
      why: "before-the-cut",
      coveredBy: ["summary-1", "ledger"],
    },
    { fromDepth: 26, toDepth: 26, messages: 0, tokens: 140, why: "set-aside", coveredBy: [], parts: ["m26/3"] },
  ],
  epoch: { id: "epoch-1", opened: null },
  cache: { stable: 2_240, shared: 1_807, broke: null, expectedRead: 1_807, expectedWrite: 433, expectedUsd: 0.00042 },
  checks: [
    { name: "within-window", ok: true },
    { name: "pairs", ok: true },
    { name: "prefix", ok: true },
  ],
  stable: { bytes: 8_990, hash: "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8" },
  recipe: { system: "s", tools: "t", toolChoice: "auto", effort: "medium" },
  requestHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ...change,
});

export const receipts: Readonly<Record<string, Receipt>> = {
  "receipt-1": toReceipt([...fixed, ...log.slice(0, 2), ...now(27)]),
  "receipt-2": toReceipt([...fixed, ...log, ...now(29)]),
  "receipt-3": toReceipt([
    ...fixed,
    ...log,
    ...now(29),
    item("now", "message", { id: answerId, depth: 30, parts: [0, 1], tokens: 180, why: "at-hand" }),
  ]),
};

const TOOLS: Response<"getRequest">["tools"] = [
  { name: "search_web", description: "Searches the web.", inputSchema: { type: "object" } },
  { name: "calculate", description: "Calculates.", inputSchema: { type: "object" } },
];
const blocks: Response<"getRequest">["blocks"] = [
  {
    slot: "head",
    kind: "block",
    id: "epoch-1",
    role: "user",
    text: "## Pinned by the user\n- The boat leaves at 06:40.",
  },
  { slot: "log", kind: "message", id: "m25", role: "user", text: "And which harbour is nearest?" },
  { slot: "log", kind: "message", id: "m26", role: "assistant", text: "Saint-Malo, by the sea wall. Key: <token#1>" },
  { slot: "log", kind: "message", id: "m27", role: "user", text: "How far is it?" },
  { slot: "log", kind: "message", id: "m28", role: "assistant", text: "Twelve kilometres." },
  {
    slot: "now",
    kind: "clock",
    id: answerId,
    role: "user",
    text: "<now>Monday, 21 September 2026, 15:06</now>\n<recall>\nm12: My sister lives at Dinard.\n</recall>",
  },
  { slot: "now", kind: "message", id: "stub-question", role: "user", text: "How high are the tides at Saint-Malo?" },
  { slot: "now", kind: "message", id: answerId, role: "assistant", text: "search_web({})" },
  { slot: "now", kind: "message", id: answerId, role: "tool", text: "search_web: 12 metres" },
];

const fields: SummaryFields = {
  overview: "A trip to Brittany is being planned around the spring tides. The boat and a room are booked.",
  keyPoints: ["Two people travel, from Friday to Sunday.", "The budget is 400 euros."],
  decisions: ["The room is at Dinard, not at Saint-Malo."],
  actionItems: [{ text: "Ask the harbour about parking", context: "before Friday" }],
  openQuestions: ["Is the sea wall open in the evening?"],
  toolResults: [{ toolName: "search_web", summary: "The range reaches 12 metres.", importance: "high" }],
};

export const summary: SummaryView = {
  id: "summary-1",
  fromDepth: 1,
  toDepth: 24,
  fromMessageId: "m1",
  toMessageId: "m24",
  messageCount: 24,
  level: 0,
  status: "completed",
  trigger: "auto",
  fields,
  sourceTokens: 3_120,
  summaryTokens: 310,
  costUsd: 0.0003,
  model: "scripted/script",
  tainted: true,
  edited: false,
  mergedInto: null,
  error: null,
  createdAt: at - 60_000,
  updatedAt: at - 60_000,
};

const failed: SummaryView = {
  ...summary,
  id: "summary-0",
  toDepth: 10,
  status: "failed",
  fields: null,
  tainted: false,
  error: { message: "The model gave no answer within 30 s.", fallbackAttempts: 3, lastAttemptModel: "free/trinity" },
  createdAt: at - 120_000,
};

export const epoch: CompactionView = {
  id: "epoch-1",
  depth: 24,
  messageId: answerId,
  reason: "full",
  tokensBefore: 6_420,
  tokensAfter: 2_610,
  head: '<context messages="1-24">\n\n## Pinned by the user\n- The boat leaves at 06:40.\n\n## Summaries\n[messages 1-24]\nA trip to Brittany is being planned.\n\n</context>',
  undone: false,
  createdAt: at - 30_000,
};

export const pin: PinView = {
  id: "pin-1",
  text: "The boat leaves at 06:40.",
  messageId: "stub-question",
  createdAt: at,
};

const order = Object.keys(receipts);

/** Stores changes, as the server does, so that later requests return them. */
export function createContext(
  change: Partial<ContextView> = {},
  lines: readonly ReceiptLine[] = order.map(toLine).toReversed(),
): {
  readonly read: () => ContextView;
  readonly replies: Readonly<Record<string, Reply>>;
} {
  let view: ContextView = {
    policy: "stone",
    epochs: [epoch],
    summaries: [summary, failed],
    pins: [pin],
    state: null,
    ...change,
  };
  const set = (next: Partial<ContextView>) => {
    view = { ...view, ...next };
    return { id: "x", seq: 1 };
  };
  const setSummary = (id: string, next: Partial<SummaryView>) =>
    set({ summaries: view.summaries.map((one) => (one.id === id ? { ...one, ...next } : one)) });
  const replies: Record<string, Reply> = {
    getContext: () => view,
    getRun: () => ({ run: toRun(), calls: ["receipt-2", "receipt-3"].map(toCall) }),
    listReceipts: (_, __, query) => listLines(lines, query),
    getReceipt: ({ receiptId = "" }) => toAnswer(receiptId),
    getRequest: () => ({
      verified: true,
      system: "You are Stonechat.",
      tools: TOOLS,
      missing: [],
      blocks,
    }),
    previewContext: (_, body) => ({
      receipt: toReceipt([
        ...fixed,
        ...log,
        item("now", "message", { id: "draft", depth: 31, tokens: 22, why: "at-hand" }),
      ]),
      system: "You are Stonechat.",
      tools: TOOLS,
      blocks: [
        ...blocks,
        { slot: "now", kind: "message", id: "draft", role: "user", text: (body as { text: string }).text },
      ],
    }),
    undoEpoch: ({ epochId }) =>
      set({ epochs: view.epochs.map((one) => (one.id === epochId ? { ...one, undone: true } : one)) }),
    addPin: (_, body) => {
      const { id, text, messageId = null } = body as { id: string; text: string; messageId?: string };
      return set({ pins: [{ id, text, messageId, createdAt: at }, ...view.pins] });
    },
    removePin: ({ pinId }) => set({ pins: view.pins.filter(({ id }) => id !== pinId) }),
    listSummaries: () => ({ summaries: view.summaries, since: { messages: 6, tokens: 812, leastMessages: 4 } }),
    summarize: (_, body) =>
      set({
        summaries: [
          {
            ...summary,
            id: (body as { id: string }).id,
            fromDepth: 25,
            toDepth: 30,
            status: "generating",
            trigger: "manual",
            fields: null,
            tainted: false,
            createdAt: at,
          },
          ...view.summaries,
        ],
      }),
    editSummary: ({ summaryId = "" }, body) =>
      setSummary(summaryId, { fields: (body as { fields: SummaryFields }).fields, edited: true }),
    undoSummary: ({ summaryId = "" }) => setSummary(summaryId, { fields, edited: false }),
    changeThread: (_, body) => {
      const { policy } = body as { policy?: ContextView["policy"] | null };
      return set({ policy: policy ?? "stone" });
    },
  };
  return { read: () => view, replies };
}

const toAnswer = (id: string): Response<"getReceipt"> => ({
  id,
  createdAt: at + order.indexOf(id) * 60_000,
  receipt: receipts[id] ?? toReceipt([]),
  call: {
    id: `call-${id}`,
    purpose: "answer",
    runId: "stub-run",
    step: 1,
    attempt: 1,
    model: "scripted/script",
    outcome: "ok",
    usage: { ...noUsage, inputTokens: 2_388, outputTokens: 84, cacheReadTokens: 1_792, cacheWriteTokens: 596 },
    costUsd: 0.00051,
  },
  previousId: order[order.indexOf(id) - 1] ?? null,
  cacheNote: id === "receipt-2" ? "This turn broke the cache, because a cut was made; it cost $0.0009 more." : null,
});

export const toLine = (id: string): ReceiptLine => {
  const { createdAt, receipt, call } = toAnswer(id);
  const { policy, model, promptTokens, cache, epoch: of } = receipt;
  return {
    id,
    createdAt,
    policy,
    model,
    promptTokens,
    shared: cache.shared,
    broke: cache.broke,
    opened: of.opened,
    call,
  };
};

/** In pages, as the server sends them. */
function listLines(lines: readonly ReceiptLine[], query: URLSearchParams): Response<"listReceipts"> {
  const limit = Number(query.get("limit") ?? 50);
  const from = lines.findIndex(({ id }) => id === query.get("before")) + 1;
  const page = lines.slice(from, from + limit);
  return { receipts: page, nextBefore: from + limit < lines.length ? (page.at(-1)?.id ?? null) : null };
}

const toCall = (receiptId: string, index: number): Response<"getRun">["calls"][number] => ({
  id: `call-${receiptId}`,
  purpose: "answer",
  step: index + 1,
  attempt: 1,
  model: "scripted/script",
  answeredBy: null,
  provider: "scripted",
  outcome: "ok",
  reason: null,
  usage: noUsage,
  costUsd: 0,
  receiptId,
  startedAt: at,
  endedAt: at,
});

const toRun = (): Response<"getRun">["run"] => ({
  id: "stub-run",
  threadId,
  messageId: answerId,
  state: "ended",
  outcome: "done",
  reason: null,
  step: 2,
  model: "scripted/script",
  usage: noUsage,
  costUsd: 0,
  startedAt: at,
  endedAt: at,
});
