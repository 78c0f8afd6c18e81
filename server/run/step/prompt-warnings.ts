import type { MessageView } from "../../../protocol/fold.ts";
import type { Receipt } from "../../../protocol/context/receipt.ts";
import type { Reason } from "../../../protocol/run.ts";
import type { RunState } from "../state.ts";
import type { Offer } from "./offer-tools.ts";

type WarningInput = {
  readonly messages: readonly MessageView[];
  readonly receipt: Receipt;
  readonly offer: Offer;
  readonly lacksTools: boolean;
};

/** Notices for the user about parts of the conversation or tools that this prompt leaves out. */
export function listWarnings(
  state: RunState,
  { messages, receipt, offer, lacksTools }: WarningInput,
): readonly Reason[] {
  const aboutTools = isNoticed(messages, NO_TOOLS.code) ? [] : [NO_TOOLS];
  return [
    ...(lacksTools ? aboutTools : warnOfSmallWindow(state, receipt, offer)),
    ...warnOfShortened(messages, state, receipt),
    ...warnOfPictures(messages, receipt),
  ];
}

/** Shown once per thread. */
const NO_TOOLS = {
  code: "no-tools",
  text: "This model does not support tools, so it is called without them.",
  values: [],
};

const isNoticed = (messages: readonly MessageView[], code: string): boolean =>
  messages.some(({ parts }) => parts.some((part) => part.kind === "notice" && part.code === code));

/** Warnings about a small window. Shown once per answer; about tools once per window size. */
function warnOfSmallWindow(
  state: RunState,
  { budget, checks, promptTokens }: Receipt,
  offer: Offer,
): readonly Reason[] {
  const window = budget.window.toLocaleString("en-US");
  const isFirst = state.at.kind === "ready" && state.at.step === 1 && state.at.tries.length === 0;
  if (isFirst && checks.some(({ name, ok }) => name === "within-window" && !ok)) {
    const text =
      `This model's context window of ${window} tokens is too small for this prompt (${promptTokens.toLocaleString("en-US")} ` +
      `tokens) and an answer, so the answer may be cut. Choose a model with a larger window.`;
    return [{ code: "window-too-small", text, values: [budget.window, promptTokens] }];
  }
  // After a `too-long` error the user has already seen a notice, and the window is only an estimate.
  if (offer.leftOut === 0 || (state.tooLong ?? null) !== null) return [];
  if (state.toolTokens !== undefined && state.toolTokens <= (offer.toolTokens ?? 0)) return [];
  const all = offer.names.length + offer.leftOut;
  const text =
    `This model's context window of ${window} tokens is too small for all tools: ${offer.names.length} of ${all} are offered. ` +
    `To use the others, give the model server a larger context window (in Ollama: OLLAMA_CONTEXT_LENGTH), or choose another model.`;
  return [{ code: "fewer-tools", text, values: [budget.window, offer.names.length, all] }];
}

/** Warning that the user's message was shortened. Shown once per answer. */
function warnOfShortened(
  messages: readonly MessageView[],
  { view }: RunState,
  { items, budget, promptTokens }: Receipt,
): readonly Reason[] {
  const own = new Set(messages.flatMap(({ id, role }) => (role === "user" ? [id] : [])));
  const cut = items.find(
    ({ slot, kind, id, room }) => slot === "now" && kind === "message" && room !== undefined && own.has(id),
  );
  const answer = messages.filter(({ id }) => id === view.messageId);
  if (!cut || isNoticed(answer, SHORTENED_MESSAGE)) return [];
  const beside = promptTokens - cut.tokens;
  const left = Math.max(0, budget.window - budget.reserve - beside);
  const numbers = [cut.tokens, cut.shortenedFrom ?? 0, budget.window, left, beside, budget.reserve];
  const [tokens, from, window, leftText, besideText, reserve] = numbers.map((n) => n.toLocaleString("en-US"));
  const text =
    `Your message of ${from} tokens is too long for this model: its context window of ${window} tokens leaves ${leftText} for it ` +
    `after ${besideText} for instructions, tools and context and ${reserve} for the answer. Only its beginning and end are sent, ` +
    `${tokens} tokens in all. Send it in parts, or choose a model with a larger window.`;
  return [{ code: SHORTENED_MESSAGE, text, values: [...numbers] }];
}

const SHORTENED_MESSAGE = "message-shortened";

/** Warning about images that were not sent. Each image is named once per thread. */
function warnOfPictures(messages: readonly MessageView[], { items }: Receipt): readonly Reason[] {
  const notices = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === "notice" && part.code === PICTURES_NOT_SENT ? [part.text] : [])),
  );
  const unsent = items.flatMap(({ id, notSent = [] }) =>
    notSent.flatMap(({ part: n, why }) => {
      const part = messages.find((message) => message.id === id)?.parts.find((one) => one.n === n);
      // The text of a document is sent to every model.
      if (part?.kind === "file" && part.ref !== undefined) return [];
      const name = part?.kind === "file" ? (part.name ?? "a picture") : "a picture";
      return notices.some((text) => text.includes(name)) ? [] : [{ name, why }];
    }),
  );
  return [...Map.groupBy(unsent, ({ why }) => why)].map(([why, list]) => {
    const names = [...new Set(list.map(({ name }) => name))];
    const reason = why === "no-vision" ? "This model is not known to accept images" : "Newer images fill the request";
    const text = `${reason}: ${names.join(", ")} ${names.length === 1 ? "was" : "were"} not sent.`;
    return { code: PICTURES_NOT_SENT, text };
  });
}

const PICTURES_NOT_SENT = "pictures-not-sent";
