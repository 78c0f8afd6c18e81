import { define } from "./language.ts";
import type { SummaryView } from "../../protocol/context/summary.ts";
import { plural } from "./plural.ts";

const states: Readonly<Record<SummaryView["status"], string>> = {
  generating: "Generating",
  completed: "Complete",
  failed: "Failed",
  partial: "Without a model",
};

export const summary = define("summary", {
  title: "Summary",
  about: "A summary of this thread. The model gets it in place of older messages.",
  summarize: "Summarize now",
  writing: "Writing the summary. You can continue chatting.",
  upToDate: "No new messages since the last summary.",
  pending: (messages: string, tokens: string) => `${messages}, ${tokens} tokens not summarized yet.`,
  tooShort: (least: number) => `Summaries start at ${least} messages.`,
  messages: (count: number, text: string) => plural(count, "message", "messages", text),
  empty: "No summary yet. Long threads are summarized automatically, or choose “Summarize now”.",
  latest: "Latest",
  previous: "Previous",
  older: (count: number) => `${count} older`,
  open: "Open summary",
  states,
  card: {
    label: (range: string) => `Summary: ${range}`,
    oneMessage: (position: string) => `Message ${position}`,
    messages: (from: string, to: string) => `Messages ${from} to ${to}`,
    withoutModel: "Made without a model, from sentences in the thread.",
    undoEdit: "Undo edit",
    requested: "requested",
    automatic: "automatic",
    edited: "edited by you",
    tried: (count: number, last: string) => `Tried ${plural(count, "model")}, last ${last}.`,
    tokens: (before: string, after: string) => `From ${before} to ${after} tokens`,
    tokensSaved: (before: string, after: string, percent: number) =>
      `From ${before} to ${after} tokens (${percent}% fewer)`,
    noModel: "no model, no cost",
    free: "free",
    untrusted: "contains untrusted content",
    important: "important",
  },
  fields: {
    overview: "Overview",
    keyPoints: "Key points",
    decisions: "Decisions",
    actionItems: "Action items",
    openQuestions: "Open questions",
    toolResults: "From tools",
  },
  form: {
    label: "Edit summary",
    line: (title: string, position: number) => `${title}, ${position}`,
    removeLine: (title: string, line: string) => `Remove from ${title}: ${line}`,
    addLine: (title: string) => `Add to ${title}`,
  },
});
