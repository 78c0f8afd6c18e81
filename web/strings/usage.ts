import { define } from "./language.ts";
import type { Budget, costGroups } from "../../protocol/cost.ts";
import { plural } from "./plural.ts";

const groups: Readonly<Record<(typeof costGroups)[number], string>> = {
  day: "By day",
  model: "By model",
  thread: "By thread",
  purpose: "By purpose",
};

const scopes: Readonly<Record<Budget["scope"], string>> = { day: "Per day", month: "Per month", thread: "Per thread" };

const calls = (count: number, text: string): string => plural(count, "call", "calls", text);

export const usage = define("usage", {
  title: "Usage",
  about: "Actual usage of every model call: answers, titles, summaries and memory.",
  groupBy: "Group by",
  groups,
  period: "Period",
  periods: { "7": "7 days", "30": "30 days", "90": "90 days" },
  measure: "Measure",
  measures: { cost: "Cost", tokens: "Tokens", calls: "Calls" },
  empty: "No model calls in this period.",
  tokens: (text: string) => `${text} tokens`,
  calls,
  inCalls: (count: number, text: string) => `in ${calls(count, text)}`,
  list: "Costs",
  deletedThread: "Deleted thread",
  total: (amount: string) => `${amount} in total.`,
  unpriced: (count: number, text: string) =>
    `${calls(count, text)} without a known price ${count === 1 ? "is" : "are"} not included.`,
  /** The parts of a row's description, such as "12 calls · 34,000 in, 82% cached · 4,100 out". */
  row: {
    input: (tokens: string) => `${tokens} in`,
    cachedInput: (tokens: string, percent: number) => `${tokens} in, ${percent}% cached`,
    output: (tokens: string) => `${tokens} out`,
    unpriced: (count: string) => `${count} without a price`,
  },
  days: {
    label: (measure: string) => `${measure} by day`,
    day: (day: string, amount: string, details: string) => `${day}: ${amount}. ${details}`,
    emptyDay: (day: string) => `${day}: no usage`,
    noUsage: "No usage",
  },
  shares: {
    others: (count: number) => `${count} others`,
    part: (name: string, amount: string, percent: string) => `${name} ${amount}, ${percent}`,
    label: (measure: string, total: string, parts: string) => `${measure}, ${total} in total: ${parts}`,
    percent: (percent: number) => `${percent}%`,
    underOnePercent: "< 1%",
  },
  budgets: {
    title: "Budgets",
    about: "A model call that would exceed a budget is rejected before it is sent.",
    scopes,
    none: "No limit",
    fixed: "Set by the operator",
    fixedByAdmin: "Set by an admin",
    perThread: "Applies to each thread separately",
    change: "Change",
    changeFor: (scope: Budget["scope"]) => `Change limit ${scopes[scope].toLowerCase()}`,
    set: "Set limit",
    setFor: (scope: Budget["scope"]) => `Set limit ${scopes[scope].toLowerCase()}`,
    removeFor: (scope: Budget["scope"]) => `Remove limit ${scopes[scope].toLowerCase()}`,
    field: (scope: Budget["scope"]) => `${scopes[scope]}, in US dollars`,
    meter: (scope: Budget["scope"]) => `Spent of the limit ${scopes[scope].toLowerCase()}`,
    spentOf: (spent: string, limit: string) => `${spent} of ${limit}`,
    spent: (spent: string, left: string) => `${spent} spent, ${left} left`,
    allSpent: (spent: string) => `${spent} spent.`,
    usedUp: "Budget used up: model calls are rejected.",
  },
});
