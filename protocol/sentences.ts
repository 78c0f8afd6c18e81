/**
 * The fixed sentences of the server about failures, limits, approvals and tests of keys, in English. A text is a list of whole sentences by
 * name with their values, so that the page can show it in its language. Names are stored: a renamed one shows in English only.
 */
export const englishSentences = {
  "too-long": (provider: string) =>
    `The conversation is too long for this model of ${provider}. Choose a model with a larger window, or start a new thread.`,
  "no-tools": (provider: string) => `This model of ${provider} does not support tools.`,
  loading: (provider: string) => `${provider} is loading the model. Try again in a moment.`,
  refused: (provider: string) => `${provider} refused to answer this. Say it differently, or choose another model.`,
  "bad-request": (provider: string) => `${provider} did not accept the request. Choose another model, or try again.`,
  unauthorized: (provider: string) =>
    `${provider} did not accept the key. Check the key in the settings of this instance.`,
  "no-credit": (provider: string) =>
    `The account at ${provider} has no credit left. Top it up there, or choose a free model.`,
  "not-found": (provider: string) =>
    `${provider} does not know this model, or the address is wrong. Choose another model.`,
  "rate-limited": (provider: string) =>
    `${provider} is limiting requests right now. Wait a little, or choose another model.`,
  overloaded: (provider: string) =>
    `${provider} is overloaded right now. Try again in a moment, or choose another model.`,
  "server-error": (provider: string) => `Something broke at ${provider}. Try again, or choose another model.`,
  "timed-out": (provider: string) => `${provider} took too long. Try again, or choose another model.`,
  "not-listening": (provider: string) =>
    `${provider} cannot be reached: nothing is listening at its address. Check that it runs and that the address is right.`,
  "unknown-host": (provider: string) =>
    `${provider} cannot be reached: its host name was not found. Check the network and the address.`,
  "no-route": (provider: string) =>
    `${provider} cannot be reached: there is no network route to it. Check the network.`,
  untrusted: (provider: string) =>
    `${provider} cannot be reached: its certificate is not trusted, or it does not support TLS. Check the address.`,
  "connect-timeout": (provider: string) =>
    `${provider} cannot be reached: it did not answer in time. Check the network, or try again.`,
  garbled: (provider: string) =>
    `${provider} sent something that is not an answer. Try again, or choose another model.`,
  "empty-response": (provider: string) => `${provider} sent an empty response. Try again, or choose another model.`,
  "connection-cut": (provider: string) =>
    `The connection to ${provider} broke before the answer was complete. Try again.`,
  "answer-cut": (provider: string) => `The answer of ${provider} broke off before it was complete. Try again.`,
  stalled: (provider: string, seconds: string) =>
    `${provider} sent nothing for ${seconds} s. It may be overloaded: try again, or choose another model.`,
  "slow-start": (provider: string, seconds: string) =>
    `${provider} did not begin its answer within ${seconds} s. Ask for less at once, or choose a faster model.`,
  "still-loading": (provider: string, seconds: string) =>
    `${provider} is still loading the model after ${seconds} s. Wait until it is ready and try again, or choose another model.`,
  "huge-piece": (provider: string, characters: string) =>
    `${provider} sent ${characters} characters in one piece, which no model writes. Try again.`,
  "huge-arguments": (characters: string) =>
    `The model wrote more than ${characters} characters of arguments for a tool. They were not used. Try again, or ask for less at once.`,
  resting: (name: string, seconds: string) =>
    `${name} failed several times in a row and is not called for ${seconds} s.`,
  "answer-stopped": "The answer was stopped before it was complete.",
  "answer-incomplete": "The model's answer ended before it was complete.",
  "filter-withheld": "The provider's content filter withheld the answer.",
  "model-declined": "The model declined to answer this. Rephrase the message.",
  "no-room": "The model reached its output limit before it wrote any text. Choose a model with a larger limit.",
  "ended-before-start": (words: string) =>
    `The model server ended the answer before it began (“${words}”). Try again, or choose another model.`,
  "empty-answer": "The model returned an empty answer. Try again, or choose another model.",
  "model-missing": (model: string) => `The model ${model} is not available on this server. Choose another model below.`,
  "model-unknown": "There is no model with this name. Choose another one.",
  "model-unavailable": (model: string) => `${model} is not available.`,
  "model-needs-key": (provider: string, variable: string) =>
    `${provider} needs a key. Add it in the settings, or set ${variable} and restart Stonechat.`,
  "model-needs-address": (provider: string) => `${provider} needs its address. Add it in the settings.`,
  "model-gone": (model: string) => `${model} is no longer in the provider's list of models.`,
  "demo-too-long": (tokens: string) =>
    `This conversation is longer than the demo model's window of ${tokens} tokens. Choose a model with a larger window.`,
  "wait-seconds": (seconds: string) => `It asks to wait ${seconds} s.`,
  "wait-minutes": (minutes: string) => `It asks to wait ${minutes} minutes.`,
  "wait-hours": (hours: string) => `It asks to wait ${hours} hours.`,
  quote: (words: string) => `It said: “${words}”`,

  "next-without-tools": "Trying again without tools.",
  "next-shortened": "The prompt is long: it is shortened and sent again.",
  "next-same": "Trying again.",
  "next-same-in": (seconds: string) => `Trying again in ${seconds} s.`,
  "next-model": (model: string) => `Trying ${model} instead.`,
  "rest-advice": "Choose another model, or try again then.",
  tried: (times: string, models: string) => `Tried ${times} times (${models}).`,

  "waiting-loading": (provider: string) => `The model server ${provider} is loading the model…`,
  "waiting-slow": (provider: string) =>
    `Waiting for the model server ${provider}. It may be loading the model or reading a long prompt…`,

  "limit-steps": (steps: string) => `This answer reached its limit of ${steps} steps. Its results so far are kept.`,
  "limit-calls": (calls: string) =>
    `This answer reached its limit of ${calls} tool calls. Its results so far are kept.`,
  "limit-tokens": (tokens: string) => `This answer reached its limit of ${tokens} tokens. Its results so far are kept.`,
  "limit-money": (dollars: string) => `This answer reached its limit of $${dollars}. Its results so far are kept.`,
  "limit-time": (seconds: string) =>
    `This answer reached its limit of ${seconds} seconds. Its results so far are kept.`,
  "ended-length": "The answer was cut off at the model's output limit.",
  "ended-reasoning": "The model used its whole output limit for reasoning and gave no answer.",
  "ended-only-reasoned": "The model stopped after its reasoning, without an answer.",
  "ended-empty": "The model gave an empty answer.",
  "ended-interrupted": (words: string) => `The model server ended the answer early (“${words}”).`,
  "ended-time": (time: string) => `The answer took longer than the time limit of ${time} and was cut off.`,
  "ended-other": (words: string) =>
    `The model server ended the answer with the unknown reason “${words}”. The answer may be incomplete.`,
  "filter-cut": "The provider's content filter cut this answer short.",
  declined: "The model declined to answer this.",
  unstated: "The model server did not say why the answer ended. It may be incomplete.",
  "continue-rest": "Choose Continue to get the rest.",
  "continue-again": "Choose Continue to ask again.",
  "continue-effort": "Choose Continue to ask again, or lower the effort.",

  "budget-day": (budget: string, spent: string) =>
    `Your budget of ${budget} for today does not allow this call: ${spent} is spent.`,
  "budget-month": (budget: string, spent: string) =>
    `Your budget of ${budget} for this month does not allow this call: ${spent} is spent.`,
  "budget-thread": (budget: string, spent: string) =>
    `Your budget of ${budget} for this thread does not allow this call: ${spent} is spent.`,
  "budget-cost": (cost: string) => `This call is expected to cost ${cost}.`,
  "budget-cost-unknown": "The cost of this call is unknown.",
  "budget-reserved": (cost: string) => `Up to ${cost} of what is spent is reserved for running calls.`,
  "budget-uncounted-call": "1 call of unknown price is not included.",
  "budget-uncounted": (calls: string) => `${calls} calls of unknown price are not included.`,
  "budget-fixed": "The operator of this server set this budget.",
  "budget-admin": "An admin of this server set this budget.",
  "model-not-allowed": (model: string) =>
    `An admin of this server does not allow ${model} for your account. Choose another model.`,
  "budget-fixed-day": "Choose a free or cheaper model, or continue tomorrow (UTC).",
  "budget-fixed-month": "Choose a free or cheaper model, or continue next month.",
  "budget-own-day": "Raise the budget, choose a free or cheaper model, or continue tomorrow (UTC).",
  "budget-own-month": "Raise the budget, choose a free or cheaper model, or continue next month.",
  "budget-own-thread": "Raise the budget, choose a free or cheaper model, or continue in another thread.",
  "messages-saved": "Your messages are saved.",

  "server-stopped": "The server stopped in the middle of this answer.",
  "started-again": "It was started again.",
  "goes-on": "The answer continues from the text that was stored.",
  "lost-tokens": (tokens: string) => `The interrupted attempt used about ${tokens} tokens.`,
  "lost-cost": (tokens: string, dollars: string) =>
    `The interrupted attempt used about ${tokens} tokens (about $${dollars}).`,
  "parked-running": (tools: string) => `The server stopped three times while running ${tools}.`,
  "parked-preparing": "The server stopped three times while preparing tool calls.",
  "parked-ending": "The server stopped three times while ending this answer.",
  "parked-answering": (model: string) => `The server stopped three times while ${model} was answering.`,
  "parked-request": (model: string) => `The server stopped three times while preparing the request to ${model}.`,
  "parked-choice":
    "This answer is parked so that it cannot stop the server again. Retry runs the step once more; Discard ends the answer and keeps what it has so far.",

  "test-one-model": (provider: string) => `${provider} works and offers 1 model.`,
  "test-models": (provider: string, models: string) => `${provider} works and offers ${models} models.`,
  "test-lists-nothing": (provider: string) =>
    `The server at this address is not ${provider}: its response lists no models.`,
  "test-no-list": (provider: string) =>
    `The server at this address is not ${provider}: its response is no list of models.`,
  "test-late": (provider: string, seconds: string) =>
    `${provider} did not answer within ${seconds} seconds. Check the network.`,
  "test-needs-key": (provider: string) => `${provider} needs a key. Add one.`,
  "test-rejects-key": (provider: string) => `${provider} rejects this key. Check that it is complete and still valid.`,
  "test-no-credit": (provider: string) => `${provider} accepts the key, but the account has no credit left.`,
  "test-limited": (provider: string) => `${provider} is limiting requests right now. Try again in a minute.`,
  "test-status": (provider: string, status: string) => `${provider} failed with status ${status}. Try again later.`,
  "test-address": (status: string) =>
    `There is no list of models at this address (status ${status}). Check that it is complete, with its /v1.`,
  "test-unreachable": (provider: string) => `${provider} cannot be reached. Check the network and the address.`,
  "test-blocked": (provider: string) =>
    `This server may not open the address of ${provider}: it is not on the public internet, or its port belongs to another protocol. The operator must allow addresses in your own network with STONECHAT_ALLOW_PRIVATE.`,
  "test-invalid": (provider: string) =>
    `The address of ${provider} is not a valid http or https URL without a user name and password.`,
  "test-unusable": (provider: string, words: string) => `${provider} cannot be used: “${words}” Check the address.`,
  "test-key-missing": "No key is set. Add one first.",
  "test-address-missing": "No address is set. Add one first.",

  "asks-spend": "It spends money.",
  "asks-delete": "It deletes something.",
  "asks-once": "It cannot be undone from here.",
  "asks-remember": "It wants to store something that you did not write yourself.",
  "asks-forget": "It removes something from memory that you did not ask to forget.",
  "asks-send": "It sends data to another server.",
  "asks-composed": (address: string) => `The model composed this address: ${address}`,
  "asks-links": (most: string, address: string) =>
    `It follows more than ${most} links of web pages in one answer: ${address}`,
  "asks-long-query": "The query is long enough to carry data.",
  "asks-many-queries": (most: string) => `It makes more than ${most} queries in one answer.`,
  "asks-secret-query": "The query holds something that looks like a secret.",
  "asks-sources": (sources: string) => `This run has read untrusted content from ${sources}.`,
  "asks-folder": (folder: string) => `It deletes the folder ${folder} with all its files.`,
  "asks-files": "It deletes files of the workspace.",
  "asks-bulk": (count: string) => `It writes ${count} entities at once.`,
  "asks-other-project": (project: string) => `It writes to another project than this thread's own: ${project}.`,
  "asks-own-project": "It renames, archives or restores the project.",
  "asks-undoable": "You can undo it.",
  "asks-items": (items: string) => `Delete ${items}?`,
  "waits-for-client": "The program that sent this message runs this tool and sends its result.",

  // Items of a list in a sentence.
  "item-named": (kind: string, title: string) => `the ${kind} “${title}”`,
  "item-more": (count: string) => `${count} more`,
};

export type SentenceName = keyof typeof englishSentences;

/** An item of a list: fixed words with their values. */
type Item = { readonly name: string; readonly values: readonly (string | number)[] };
type Value = string | number | readonly (string | Item)[];

/** A sentence by its name, with its values in order. A value that is a list is written as "a, b and c". */
export type Sentence = { readonly name: string; readonly values: readonly Value[] };

/** A text for the user. Without `sentences` it is in English only. */
export type Text = { readonly text: string; readonly sentences?: readonly Sentence[] | undefined };

type Values<T, V = Value> = T extends (...values: infer P) => string ? { [I in keyof P]: V } : [];

export const sentence = <N extends SentenceName>(
  name: N,
  ...values: Values<(typeof englishSentences)[N]>
): Sentence => ({ name, values });

export const item = <N extends SentenceName>(
  name: N,
  ...values: Values<(typeof englishSentences)[N], string | number>
): Item => ({ name, values });

/** An English text of these sentences. */
export const say = (...sentences: readonly Sentence[]) => ({ text: sentences.map(toEnglish).join(" "), sentences });

/** The text with more sentences at its end. */
export const sayMore = ({ text, sentences }: Text, ...more: readonly Sentence[]): Text => ({
  text: [text, ...more.map(toEnglish)].join(" "),
  ...(sentences ? { sentences: [...sentences, ...more] } : {}),
});

type Texts = Readonly<Record<string, string | ((...values: string[]) => string)>>;

export const joinTexts = (first: Text, second: Text): Text => ({
  text: `${first.text} ${second.text}`,
  ...(first.sentences && second.sentences ? { sentences: [...first.sentences, ...second.sentences] } : {}),
});

/** undefined if these texts have no such sentence, because a newer server wrote it. */
export function renderSentence(
  { name, values }: Sentence,
  texts: Texts,
  toNumber: (value: number) => string,
  toList: (items: readonly string[]) => string = joinEnglish,
): string | undefined {
  const found = Object.hasOwn(texts, name) ? texts[name] : undefined;
  if (typeof found !== "function") return found;
  const toText = (value: Value | Item): string => {
    if (typeof value === "string") return value;
    if (typeof value === "number") return toNumber(value);
    return "name" in value ? (renderSentence(value, texts, toNumber) ?? "") : toList(value.map(toText));
  };
  return found(...values.map(toText));
}

export function joinEnglish(items: readonly string[]): string {
  return items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${items.at(-1)}` : items.join("");
}

const toEnglish = (one: Sentence): string =>
  renderSentence(one, englishSentences, (value) => value.toLocaleString("en-US")) ?? "";
