import type { Response } from "../../protocol/api.ts";
import type { MemoryChange, MemoryView } from "../../protocol/memory.ts";
import type { Budget, CostRow } from "../../protocol/cost.ts";
import { at } from "./stub-parts.ts";
import { threadId, type Reply } from "./stub-thread.ts";

/** The user's memory and costs, in the server's format. */
const change = (id: string, part: Partial<MemoryChange>): MemoryChange => ({
  id,
  field: "location",
  before: "",
  after: "Saint-Malo",
  reason: "they said so",
  threadId,
  messageId: "stub-question",
  undone: false,
  undoable: true,
  replacedBy: null,
  createdAt: at,
  ...part,
});

const empty: MemoryView = {
  name: null,
  age: null,
  preferences: null,
  location: null,
  interests: null,
  tendencies: null,
  notes: null,
  extra: null,
};

const row = (key: string, part: Partial<CostRow> = {}): CostRow => ({
  key,
  label: key,
  calls: 42,
  inputTokens: 182_400,
  outputTokens: 12_100,
  cacheReadTokens: 149_000,
  costUsd: 0.21,
  unpriced: 0,
  ...part,
});

const rows: Readonly<Record<string, readonly CostRow[]>> = {
  day: [row("2026-09-21"), row("2026-09-20", { costUsd: 0.08, calls: 12 }), row("2026-09-19", { costUsd: 0.14 })],
  model: [row("kimi-k2"), row("offline/stone", { costUsd: 0, unpriced: 3 })],
  thread: [row(threadId, { label: "Tides at the coast" })],
  purpose: [row("answer"), row("summary", { costUsd: 0.01, calls: 4 })],
};

export function stubMemoryAndCosts(): { readonly replies: Readonly<Record<string, Reply>> } {
  let changes: readonly MemoryChange[] = [
    change("change-2", { before: "Rennes" }),
    change("change-1", { field: "name", after: "Maud", threadId: null, messageId: null, reason: "", undoable: false }),
  ];
  let values: Readonly<Record<string, string>> = { name: "Maud", location: "Saint-Malo" };
  let budgets: readonly Budget[] = [{ scope: "day", limitUsd: 2, spentUsd: 0.21, fixed: false }];
  const toMemory = (): MemoryView => ({
    ...empty,
    ...Object.fromEntries(
      Object.entries(values).map(([field, value]) => {
        const { id, reason, threadId: from, messageId } = changes.find((one) => one.field === field) ?? change("x", {});
        return [field, { value, changeId: id, updatedAt: at, reason, threadId: from, messageId }];
      }),
    ),
  });
  const replies: Record<string, Reply> = {
    getMemory: (): Response<"getMemory"> => ({ memory: toMemory(), changes: [...changes] }),
    setMemory: (_, body) => {
      const { id, field, value } = body as { id: string; field: MemoryChange["field"]; value: string };
      const before = values[field] ?? "";
      changes = [
        change(id, { field, before, after: value, threadId: null, messageId: null, reason: "" }),
        ...changes.map((one) => (one.field === field ? { ...one, undoable: false } : one)),
      ];
      values = { ...values, [field]: value };
      return { memory: toMemory() };
    },
    undoMemory: (_, body) => {
      const { changeId } = body as { changeId: string };
      const undone = changes.find(({ id }) => id === changeId);
      changes = changes.map((one) => (one.id === changeId ? { ...one, undone: true, undoable: false } : one));
      if (undone) values = { ...values, [undone.field]: undone.before };
      return { memory: toMemory() };
    },
    forgetMemory: (_, body) => {
      const { field } = body as { field?: string };
      values = Object.fromEntries(Object.entries(values).filter(([key]) => field !== undefined && key !== field));
      changes = changes.filter((one) => field !== undefined && one.field !== field);
      return { memory: toMemory(), text: "gone" };
    },
    exportMemory: () => ({ exportedAt: at, memory: toMemory(), changes }),
    memoryOfThread: () => ({ changes: changes.filter((one) => one.threadId === threadId), fields: ["location"] }),
    getCosts: (_, __, query) => ({
      from: at - 29 * 86_400_000,
      to: at,
      rows: rows[query.get("by") ?? "day"] ?? [],
      total: row("total"),
    }),
    getBudgets: () => ({ budgets }),
    setBudget: (_, body) => {
      const { scope, limitUsd } = body as { scope: Budget["scope"]; limitUsd: number | null };
      const others = budgets.filter((one) => one.scope !== scope);
      budgets = limitUsd === null ? others : [...others, { scope, limitUsd, spentUsd: 0, fixed: false }];
      return { budgets };
    },
    deleteThread: () => ({ id: threadId }),
  };
  return { replies };
}
