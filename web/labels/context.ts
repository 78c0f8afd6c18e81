import type { compactionReasons } from "../../protocol/context/context.ts";
import type { PolicyName } from "../../protocol/context/policy.ts";
import type { Omission, ReceiptItem, Slot } from "../../protocol/context/receipt.ts";
import type { SummaryView } from "../../protocol/context/summary.ts";
import type { Budget, costGroups, purposes } from "../../protocol/cost.ts";
import type { MemoryField } from "../../protocol/memory.ts";

/** Labels for the codes of prompt assembly. An unknown code is shown as it is, with spaces for dashes. */
const toWords = (code: string): string => {
  const words = code.replaceAll(/[-_]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
const look = (words: Readonly<Record<string, string>>, code: string): string => words[code] ?? toWords(code);

export const slotWords: Readonly<Record<Slot, { readonly name: string; readonly about: string }>> = {
  tools: { name: "Tools", about: "What it may call. The same bytes in every call until a cut." },
  system: { name: "Instructions", about: "Constant words: no clock, nothing about you." },
  head: { name: "In brief", about: "Pins, memory and summaries. Rewritten only at a cut." },
  log: { name: "Conversation", about: "Turns since the cut, word for word." },
  now: { name: "This turn", about: "The time, what has changed, what was recalled, and your words." },
};

export const kindWords: Readonly<Record<ReceiptItem["kind"], string>> = {
  tools: "Tools",
  system: "Instructions",
  pin: "Pinned",
  memory: "Memory",
  project: "Project",
  digest: "What is known of the work",
  state: "State of the work",
  ledger: "Values from tools",
  summary: "Summary",
  extract: "Extract",
  message: "Message",
  recall: "Recalled",
  update: "What changed",
  clock: "Time and news",
  note: "Note",
  block: "Told by the policy",
};

const whys: Readonly<Record<string, string>> = {
  always: "always there",
  offered: "offered to the model",
  pinned: "pinned by you",
  remembered: "remembered about you",
  values: "values that tools gave before the cut",
  covers: "stands for messages before the cut",
  lines: "stands for messages whose summary is not made yet",
  frame: "the words around them",
  told: "told with your message",
  frozen: "told with an earlier message, unchanged since",
  "at-hand": "what is being answered",
  "since-the-cut": "since the cut",
  changed: "changed since the cut",
  recalled: "fits what you ask",
  digest: "the project that the thread belongs to",
  "digest-changed": "changed since it was told",
  "load-failed": "could not be read, so only ids were told",
  gone: "the project is not there any more",
  note: "said to the model only once",
  transcript: "this policy tells the thread as one text",
  replay: "this policy tells tool results as one text",
  snapshot: "this policy tells it ahead of the messages",
  summary: "this policy tells it ahead of the messages",
  recent: "among the newest",
};
export const toWhy = (code: string): string => {
  const words = whys[code] ?? toWords(code);
  return words.charAt(0).toLowerCase() + words.slice(1);
};

export const leftOutWords: Readonly<Record<Omission["why"], string>> = {
  "before-the-cut": "Older than the last compaction.",
  "beyond-the-window": "Older than this policy looks back.",
  "over-budget": "There was no room left.",
  "text-only": "This policy carries words only: calls and results stay out.",
  reasoning: "Reasoning of earlier steps that is not sent to this model.",
  "no-vision": "Pictures that were not sent: this model does not see pictures.",
  "too-large": "Pictures that were not sent: newer ones fill the request.",
  "set-aside": "Attempts that were given up. No model sees them again.",
  empty: "Nothing in it that a model could read.",
};

export const coverWords: Readonly<Record<string, string>> = {
  ledger: "the values from tools",
  extract: "extracts",
  pin: "what you pinned",
  memory: "what is remembered",
  history: "one text of the whole",
  "tool-replay": "one text of the tool results",
};

const brokenWords: Readonly<Record<string, string>> = {
  tools: "Other tools were offered than before.",
  system: "The instructions were changed.",
  policy: "The policy was changed.",
  "epoch-changed": "What is told in brief was changed.",
  window: "This policy moves its window, so every call begins differently.",
  pictures: "Other pictures are sent than before.",
  reasoning: "Other reasoning of earlier steps is sent than before: each model is sent only its own.",
  shortened: "Something had to be shortened to fit.",
  budget: "The room for the conversation changed or ran out, so other messages fit than in the call before.",
  branch: "The thread went on from another branch.",
  unexplained: "What stood before was changed, and nothing says why. That is a fault of Stonechat.",
};
export const toBroken = (code: string): string => {
  const reason = /^epoch:(.+)$/.exec(code)?.[1];
  if (reason === undefined) return brokenWords[code] ?? `${toWords(code)}.`;
  return `A cut was made before this call. ${look(compactionWords, reason)}`;
};

const checkWords: Readonly<Record<string, string>> = {
  "within-window": "It fits into the window, with room for the answer",
  pairs: "Every call stands with its result",
  prefix: "What stood before is unchanged, or a cut explains it",
  "reported-tokens": "The model server's token count matches what was sent",
};
export const toCheck = (name: string): string => look(checkWords, name);

export const compactionWords: Readonly<Record<(typeof compactionReasons)[number], string>> = {
  full: "The conversation had grown past its high mark.",
  cold: "The provider had dropped its cache, so a cut cost nothing extra.",
  model: "The model was changed, and with it the cache.",
  "too-long": "The provider said that the request was too long.",
  edited: "What stands before the cut was edited.",
  policy: "The policy was changed.",
  deleted: "Something before the cut was deleted.",
};

export const policyWords: Readonly<Record<PolicyName, { readonly name: string; readonly about: string }>> = {
  stone: {
    name: "Stone",
    about: "Everything: new turns word for word, older ones in brief, and details recalled when you ask for them.",
  },
  transcript: { name: "Transcript", about: "The last 20 messages, words only, 4,000 characters in all." },
  replay: { name: "Replay", about: "The last 25 messages and the 12 newest tool results, each cut to 600 characters." },
  snapshot: { name: "Snapshot", about: "The last 10 messages with the state of the work, a summary and the project." },
  messages: { name: "Messages", about: "The last 50 messages with their tools; older ones are not seen." },
  summary: { name: "Summary", about: "Two summaries, 4 to 10 of the newest messages, and what is remembered of you." },
};

export const summaryWords: Readonly<Record<SummaryView["status"], string>> = {
  generating: "Being written",
  completed: "Complete",
  failed: "Failed",
  partial: "Without a model",
};

export const purposeWords: Readonly<Record<(typeof purposes)[number], string>> = {
  answer: "Answers",
  title: "Titles",
  summary: "Summaries",
  memory: "Memory",
  state: "State of the work",
  search: "Paid search",
};
export const toPurpose = (code: string): string => look(purposeWords, code);

export const groupWords: Readonly<Record<(typeof costGroups)[number], string>> = {
  day: "By day",
  model: "By model",
  thread: "By thread",
  purpose: "By purpose",
};

export const scopeWords: Readonly<Record<Budget["scope"], string>> = {
  day: "A day",
  month: "A month",
  thread: "A thread",
};

export const fieldWords: Readonly<Record<MemoryField, string>> = {
  name: "Name",
  age: "Age",
  preferences: "Preferences",
  location: "Location",
  interests: "Interests",
  tendencies: "Tendencies",
  notes: "Notes",
  extra: "Extra",
};
