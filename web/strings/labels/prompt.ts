import { define } from "../language.ts";
import type { MemoryField } from "../../../protocol/memory.ts";
import type { compactionReasons } from "../../../protocol/context/context.ts";
import type { PolicyName } from "../../../protocol/context/policy.ts";
import type { Omission, ReceiptItem, Slot } from "../../../protocol/context/receipt.ts";

type NameAndDescription = { readonly name: string; readonly about: string };
type ByCode = Readonly<Record<string, string>>;

const slots: Readonly<Record<Slot, NameAndDescription>> = {
  tools: { name: "Tools", about: "Tools that the model can call. Unchanged until the next compaction." },
  system: { name: "Instructions", about: "Fixed text: no date, nothing about you." },
  head: { name: "Memory and summaries", about: "Kept texts, memory and summaries. Rewritten only by a compaction." },
  log: { name: "Conversation", about: "Messages since the last compaction, word for word." },
  now: { name: "This turn", about: "The time, recent changes, recalled passages and your message." },
};

const kinds: Readonly<Record<ReceiptItem["kind"], string>> = {
  tools: "Tools",
  system: "Instructions",
  pin: "Kept text",
  memory: "Memory",
  project: "Project",
  digest: "Project digest",
  state: "Work state",
  ledger: "Values from tools",
  summary: "Summary",
  extract: "Extract",
  message: "Message",
  recall: "Recalled",
  update: "Changes",
  clock: "Time and updates",
  note: "Note",
  block: "Added by the policy",
};

/** Why an item is part of the prompt. */
const reasons: ByCode = {
  always: "always included",
  offered: "offered to the model",
  pinned: "kept by you",
  remembered: "remembered about you",
  values: "tool values from before the compaction",
  covers: "replaces messages before the compaction",
  lines: "replaces messages that have no summary yet",
  frame: "text around the items",
  told: "added to your message",
  frozen: "added to an earlier message, unchanged since",
  "at-hand": "the message being answered",
  "since-the-cut": "since the last compaction",
  changed: "changed since the last compaction",
  recalled: "matches your message",
  digest: "the thread's project",
  "digest-changed": "changed since it was last sent",
  "load-failed": "could not be loaded, so only ids were sent",
  gone: "the project no longer exists",
  note: "sent to the model only once",
  transcript: "this policy sends the thread as one text",
  replay: "this policy sends tool results as one text",
  snapshot: "this policy sends it before the messages",
  summary: "this policy sends it before the messages",
  recent: "among the most recent",
};

const omissions: Readonly<Record<Omission["why"], string>> = {
  "before-the-cut": "Older than the last compaction.",
  "beyond-the-window": "Older than this policy's window.",
  "over-budget": "There was no space left.",
  "text-only": "This policy sends text only, without tool calls and results.",
  reasoning: "Reasoning from earlier steps that is not sent to this model.",
  "no-vision": "Images that were not sent: this model does not accept images.",
  "too-large": "Images that were not sent: newer images fill the request.",
  "set-aside": "Superseded attempts. They are not sent to any model again.",
  empty: "Empty: nothing that a model could read.",
};

/** Text that replaces left-out messages. */
const covers: ByCode = {
  ledger: "the values from tools",
  extract: "extracts",
  pin: "kept texts",
  memory: "memory",
  history: "the conversation as one text",
  "tool-replay": "the tool results as one text",
};

const compactions: Readonly<Record<(typeof compactionReasons)[number], string>> = {
  full: "The conversation had grown past its limit.",
  cold: "The provider's cache had expired, so the compaction cost nothing extra.",
  model: "The model was changed, so its cache was lost anyway.",
  "too-long": "The provider rejected the request as too long.",
  edited: "Something before the compaction was edited.",
  policy: "The policy was changed.",
  deleted: "Something before the compaction was deleted.",
};

const policies: Readonly<Record<PolicyName, NameAndDescription>> = {
  stone: {
    name: "Stone",
    about: "Everything: recent messages word for word, older ones summarized, and details recalled when you need them.",
  },
  transcript: { name: "Transcript", about: "The last 20 messages, text only, 4,000 characters in total." },
  replay: { name: "Replay", about: "The last 25 messages and the 12 newest tool results, each cut to 600 characters." },
  snapshot: { name: "Snapshot", about: "The last 10 messages with the work state, a summary and the project." },
  messages: { name: "Messages", about: "The last 50 messages with their tool calls; older ones are not sent." },
  summary: { name: "Summary", about: "Two summaries, the 4 to 10 newest messages, and memory." },
};

/** Why the provider's cache could not be used. */
const cacheMisses: ByCode = {
  tools: "The offered tools changed.",
  system: "The instructions changed.",
  policy: "The policy changed.",
  "epoch-changed": "The compaction summary changed.",
  window: "This policy drops the oldest messages, so each prompt begins differently.",
  pictures: "The images changed.",
  reasoning: "Different reasoning from earlier steps is sent: each model gets only its own.",
  shortened: "A message or tool result was shortened to fit.",
  budget: "The space for the conversation changed or ran out, so different messages fit than in the call before.",
  branch: "The thread continued on another branch.",
  unexplained: "Earlier content changed for no known reason. This is a bug in Stonechat.",
};

const checks: ByCode = {
  "within-window": "The request fits into the context window, with space for the answer",
  pairs: "Every tool call has its result",
  prefix: "Earlier content is unchanged, or a compaction explains the change",
  "reported-tokens": "The provider's token count matches the request",
};

/** Labels for the codes of prompt assembly. */
export const promptLabels = define("promptLabels", {
  slots,
  kinds,
  reasons,
  omissions,
  covers,
  compactions,
  policies,
  cacheMisses,
  compacted: (reason: string) => `The conversation was compacted before this call. ${reason}`,
  checks,
});

export const memoryFields: Readonly<Record<MemoryField, string>> = define("memoryFields", {
  name: "Name",
  age: "Age",
  preferences: "Preferences",
  location: "Location",
  interests: "Interests",
  tendencies: "Tendencies",
  notes: "Notes",
  extra: "Extra",
});
