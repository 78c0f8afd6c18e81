import type { ModelRequest } from "../../../protocol/model.ts";
import { readCommands } from "./commands.ts";
import { findWish, wishByName } from "./find-wish.ts";
import { goOn } from "./go-on.ts";
import { isQuestion } from "./intents/polite.ts";
import { readNow } from "./project/when.ts";
import { findPassages, type Passage } from "./passages.ts";
import type { Spoken } from "./outputs/evidence.ts";
import { asQuote, cite, cut } from "./quote.ts";
import { startResearch, type Step } from "./research/next-steps.ts";
import { toTerms } from "./terms.ts";
import { toSteps } from "./to-steps.ts";
import { readTurn, type Turn } from "./turn.ts";
import { unfold } from "./outputs/unfold.ts";

/** Something to say, tools to call, or both. */
export type OfflineAnswer = { readonly text: string; readonly calls: readonly ToolCall[] };
export type ToolCall = Step & { readonly callId: string };

/** What the offline model does with a request: call tools, quote, or say that it does not know. Pure. */
export const composeAnswer = (folded: ModelRequest): OfflineAnswer => {
  const { request, told } = unfold(folded);
  const turn = readTurn(request);
  if (turn === undefined) return { text: introduction, calls: [] };
  const now = readNow(folded.messages.flatMap((message) => (message.role === "user" ? [message.text] : [])));
  const pictures = listPictures(folded);
  const { text: said = "", steps = [] } =
    pictures.length > 0 && turn.question.startsWith(ATTACHED) ? {} : decide(request, turn, { told, now });
  const text = steps.length > 0 || pictures.length === 0 ? said : [tellBlind(pictures), said].join("\n\n").trim();
  // Differs from step to step and from turn to turn.
  const calls = steps.map((step, index) => ({ ...step, callId: `offline-${request.messages.length}-${index}` }));
  return { text, calls };
};

const ATTACHED = "[The user attached a picture: ";

/** Pictures that came with the words that are answered now. */
const listPictures = ({ messages }: ModelRequest): readonly string[] => {
  const since = messages.slice(messages.findLastIndex(({ role }) => role !== "user") + 1);
  return since.flatMap((message) => {
    if (message.role !== "user" || !message.text.startsWith(ATTACHED)) return [];
    // The size follows the name: ", 40 × 30 pixels".
    const end = message.text.lastIndexOf(", ", message.text.lastIndexOf(" × "));
    return end < 0 ? [] : [message.text.slice(ATTACHED.length, end)];
  });
};

const tellBlind = (names: readonly string[]): string => {
  const listed = names.map((name) => `\`${name.replaceAll("`", "'")}\``).join(", ");
  return `I cannot see pictures: as the offline model I do not know what ${listed} shows. Connect a model that sees, and ask it.`;
};

type Decision = { readonly text?: string; readonly steps?: readonly Step[] };

type Told = { readonly told: readonly Spoken[]; readonly now: number | undefined };

const decide = (request: ModelRequest, turn: Turn, told: Told): Decision => {
  if (typeof request.toolChoice === "object") return obey(request, turn, request.toolChoice.tool);
  return turn.made.length > 0 ? goOn(request, turn, told.now) : begin(request, turn, told);
};

/** The person named a tool: it is called, with their other words. */
const obey = ({ system, tools }: ModelRequest, turn: Turn, name: string): Decision => {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return { text: `The tool \`${name}\` is not offered here.` };
  const own = readCommands(turn.question, tools).wordsOf(turn.steps);
  const before = turn.earlier.findLast((message) => message.role === "user");
  const wish = wishByName(
    tool,
    own || (before?.role === "user" && tool.name === "search_web" ? before.text : ""),
    system,
  );
  return wish.kind === "ask" ? { text: wish.text } : { steps: toSteps(wish, tools) };
};

const begin = (request: ModelRequest, turn: Turn, { told, now }: Told): Decision => {
  const { system, tools, toolChoice } = request;
  const words = readCommands(turn.question, tools).rest || turn.question;
  const offered = toolChoice === "none" ? [] : tools;
  const wish = offered.length > 0 ? findWish(words, system, offered, now) : undefined;
  const steps = wish === undefined ? [] : toSteps(wish, offered);
  if (steps.length > 0) return { steps };
  if (wish?.kind === "ask" && offered.some(({ name }) => name === wish.tool)) return { text: wish.text };
  if (isAboutMe(words)) return { text: introduction };

  const isResearcher = /\bplan_research\b/.test(system) && offered.some(({ name }) => name === "plan_research");
  const isResearch = isResearcher && (isQuestion(words) || isTopic(words));
  const passages = findPassages(words, { system, told, earlier: turn.earlier }, isResearch ? nearlyAll : undefined);
  if (isResearch && passages.length === 0) return { steps: startResearch(words, offered) };
  if (!isQuestion(words)) return { text: acknowledge(words) };
  return { text: passages.length === 0 ? unknown : quotePassages(passages) };
};

/** Of a researcher one expects a search, unless the answer has been found before. */
const nearlyAll = 0.75;

/** A few words as one types them into a search box. */
const isTopic = (text: string): boolean =>
  !/[.!…。！]\s*$/u.test(text) && !personal.test(text.trim()) && text.length <= 120 && toTerms(text).size >= 2;

const personal =
  /^(?:(?:i|i['’]m|my|we|our|you|your|thanks?|ok|okay|yes|no|ich|mein|wir|danke|je|j['’]|mon|ma|nous|merci|yo|mi|nosotros|gracias|io|mio|noi|grazie|я|мой|моя|мы|спасибо)(?![\p{L}])|我|谢谢|謝謝|私|僕|ありがとう)/iu;

const quotePassages = (passages: readonly Passage[]): string =>
  [
    "I can only quote. The nearest to your question in this conversation:",
    ...passages.map(({ speaker, text, ref }) => `${speaker}:\n\n${cite(text, ref)}`),
  ].join("\n\n");

const acknowledge = (text: string): string => {
  const first = text.trim().split(/\n/)[0] ?? "";
  return `I have read it:\n\n${asQuote(cut(first))}\n\nI am the offline model and only quote. Ask me about it, and I will find the sentence again.`;
};

const greeting = /^(?:hi|hello|hey|hallo|moin|bonjour|salut|hola|ciao|olá|привет|你好|こんにちは|안녕)[\s!.,。！]*$/iu;
const aboutMe =
  /\b(?:who are you|what are you|what can you do|help|how do(?: i| you)? (?:connect|use|add)|which model|api key)\b/iu;

const isAboutMe = (text: string): boolean => {
  const trimmed = text.trim();
  return greeting.test(trimmed) || (trimmed.length < 80 && aboutMe.test(trimmed));
};

const introduction = [
  "I am Stonechat's built-in **offline model**. I need no key and no network, and I do not think: I quote what stands in this conversation, and I call a tool when you name it (`@name`) or plainly ask for what it does: *add a task to order granite by Friday*, *what is overdue?*, *mark order granite done*, *create a page called Hello*.",
  "To talk to a real model, add a provider's key, or the address of Ollama, vLLM and the like, in the settings under *Models and keys*, and choose it in the model picker. Whoever runs the server can set `OPENROUTER_API_KEY` and the like instead.",
].join("\n\n");

const unknown =
  "I do not know. Nothing in what I was given answers that, and as the offline model I only quote what stands there. With a real model connected you can ask anything; say *help* to see how.";
