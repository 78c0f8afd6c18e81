import { define } from "./language.ts";
/** A thread's prompt context: policy, pins and compactions. */
export const context = define("context", {
  summaryButton: (hasSummary: boolean): string =>
    hasSummary ? "Summary of this thread" : "Summary of this thread: none yet",
  title: "Context of this thread",
  compactionTitle: "Compaction",
  content: (title: string) => `${title}: content`,
  overview: {
    whole: "The model sees the whole thread.",
    recent: (count: number) =>
      count === 1
        ? "The model sees the last message in full; earlier ones are summarized."
        : `The model sees the last ${count} messages in full; earlier ones are summarized.`,
    policy: (name: string, about: string) => `The policy “${name}” selects what the model sees. ${about}`,
  },
  timeline: {
    title: "Timeline",
    about: "The size of each prompt. Open a call to see everything the model was given.",
  },
  divider: {
    label: "Conversation compacted",
    active: "Earlier messages are summarized",
    undone: "Compaction undone",
    open: "Open",
    openLabel: "Open compaction",
  },
  compactions: {
    title: "Compactions",
    about: "In a long conversation, older messages are summarized. They stay in the thread and can be recalled.",
    empty: "None yet. All messages are sent word for word.",
    range: (depth: string) => `Messages 1 to ${depth}`,
    details: (date: string, before: string, after: string) => `${date} · ${before} to ${after} tokens`,
    undone: "undone",
    more: (count: string) => `and ${count} older`,
  },
  compaction: {
    missing: "This compaction no longer exists.",
    text: (depth: string, before: string, after: string, percentSaved: number) =>
      `Messages 1 to ${depth} are summarized from here: ${before} tokens became ${after}${percentSaved > 0 ? ` (${percentSaved}% less)` : ""}.`,
    undo: "Undo compaction",
    undone: "Undone. These messages are sent word for word again, as far as they fit.",
    show: "Go to message",
    summaries: "Summaries",
    summariesAbout: "Your corrections apply from the next message.",
    exactText: "Text sent to the model",
  },
  workState: {
    title: "Work state",
    about: (depth: string, date: string) => `As of message ${depth}, ${date}. Sent only by the Snapshot policy.`,
    goal: "Goal",
    facts: "Facts",
    open: "Open",
    results: "Tool results",
    result: (tool: string, text: string) => `${tool}: ${text}`,
  },
  pins: {
    title: "Kept in context",
    label: "Kept texts",
    about: "Included word for word in every prompt of this thread.",
    empty: "No texts yet. Add one here, or choose “Keep in context” in the menu of a message.",
    add: "Add",
    fromMessage: "from a message",
    remove: (text: string) => `Remove “${text}”`,
  },
  pin: {
    title: "Keep in context",
    field: "Text to keep",
    tooLong: (surplus: string, limit: string) => `${surplus} characters too many. The limit is ${limit}.`,
    submit: "Keep",
  },
  policy: {
    title: "Policy",
    about: "How prompts are assembled. A change applies from your next message; the thread itself does not change.",
    changed: "Applies from your next message.",
    reset: "Use the profile's policy",
  },
  recalled: {
    label: "Recalled passages",
    user: "You",
    assistant: "Stonechat",
    show: (depth: string) => `Go to message ${depth}`,
  },
});
