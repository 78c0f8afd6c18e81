import { define } from "./language.ts";
/** Messages of a thread and their actions. */
export const message = define("message", {
  user: "You",
  assistant: "Stonechat",
  copy: "Copy message",
  regenerate: "Regenerate",
  receipts: "What the model saw",
  showAll: (characters: string) => `Show all ${characters} characters`,
  edit: { action: "Edit message", field: "Message text", send: "Send" },
  variants: {
    label: "Variants",
    previous: "Previous variant",
    next: "Next variant",
    current: (index: number, count: number) => `Variant ${index} of ${count}`,
  },
  menu: {
    /** Completes "More for …". */
    target: "this message",
    quoteSelection: "Quote selection",
    quote: "Quote message",
    branch: "Branch from here",
    pinSelection: "Pin selection to context",
    pin: "Pin to context",
    costUnknown: "Cost unknown",
  },
  regenerateWith: {
    action: "Answer with another model",
    short: "Another model",
    list: "Choose a model",
  },
  run: {
    ended: "Answer ended early",
    parkedLabel: "Parked answer",
    parked: "This answer is parked.",
    working: "Working",
    continue: "Continue",
    settings: "Models and keys",
    usage: "Usage and budgets",
    outcomes: {
      failed: "The answer failed.",
      stopped: "Stopped.",
      limit: "The answer reached a limit.",
    },
  },
  /** Shown after the server's reason. */
  advice: {
    unauthorized: "Check the API key in the settings, or use another model.",
    noCredit: "Add credit to the provider's account, or use another model.",
    notFound: "Choose one of the available models.",
    unavailable: "Connect its provider in the settings, or use another model.",
    tooLong: "Try a model with a larger context window.",
    refused: "Rephrase your message, or use another model.",
    badRequest: "Try another model.",
    budget: "Raise the budget to continue.",
    noTools: "Choose a model that supports tools.",
  },
});
