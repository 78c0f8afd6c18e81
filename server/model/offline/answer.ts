import type { ModelRequest, PromptResult } from "../../../protocol/model.ts";
import { chooseTools, type ToolChoice } from "./choose-tools.ts";
import { findPassages, type Passage } from "./passages.ts";

export type Answer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "calls"; readonly calls: readonly ToolChoice[] };

const quoteCharacters = 600;

/** What the offline model does with a request: call a tool, quote, or say that it does not know. Pure. */
export const composeAnswer = (request: ModelRequest): Answer => {
  const at = request.messages.findLastIndex((message) => message.role === "user");
  const last = request.messages[at];
  const results = request.messages.slice(at + 1).flatMap((message) => (message.role === "tool" ? message.results : []));
  if (results.length > 0) return say(quoteResults(results));
  if (last?.role !== "user") return say(introduction);

  const calls = request.toolChoice === "none" ? [] : chooseTools(last.text, request.tools, at);
  if (calls.length > 0) return { kind: "calls", calls };
  if (isAboutMe(last.text)) return say(introduction);
  if (!isQuestion(last.text)) return say(acknowledge(last.text));
  const passages = findPassages(last.text, request.system, request.messages.slice(0, at));
  return say(passages.length === 0 ? unknown : quotePassages(passages));
};

const say = (text: string): Answer => ({ kind: "text", text });

const quoteResults = (results: readonly PromptResult[]): string =>
  results
    .map((result) =>
      result.failed
        ? `The tool \`${result.name}\` failed: ${cut(result.text)}`
        : `The tool \`${result.name}\` answered:\n\n${asQuote(cut(result.text))}`,
    )
    .join("\n\n");

const quotePassages = (passages: readonly Passage[]): string =>
  [
    "I can only quote. The nearest to your question in this conversation:",
    ...passages.map((passage) => `${passage.speaker}:\n\n${asQuote(cut(passage.text))}`),
  ].join("\n\n");

const asQuote = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

const cut = (text: string): string => {
  const trimmed = text.trim();
  return trimmed.length <= quoteCharacters ? trimmed : `${trimmed.slice(0, quoteCharacters).toWellFormed()}…`;
};

const acknowledge = (text: string): string => {
  const first = text.trim().split(/\n/)[0] ?? "";
  return `I have read it:\n\n${asQuote(cut(first))}\n\nI am the offline model and only quote. Ask me about it, and I will find the sentence again.`;
};

const questionStart =
  /^(?:who|whom|whose|what|when|where|why|which|how|do|does|did|is|are|was|were|can|could|will|would|should|have|has|tell me|show me|find|wer|was|wann|wo|warum|welche|wie|qui|que|quoi|quand|où|pourquoi|comment|quel|quelle|quién|qué|cuándo|dónde|cómo|cuál|chi|che|quando|dove|come|кто|что|когда|где|почему|как|какой)(?![\p{L}\p{N}])/iu;

const isQuestion = (text: string): boolean => {
  const trimmed = text.trim();
  return (
    /[?？؟]/u.test(trimmed) ||
    questionStart.test(trimmed) ||
    /(?:吗|呢|什么|哪|谁|ですか|ますか|까요|습니까)/u.test(trimmed)
  );
};

const greeting = /^(?:hi|hello|hey|hallo|moin|bonjour|salut|hola|ciao|olá|привет|你好|こんにちは|안녕)[\s!.,。！]*$/iu;
const aboutMe =
  /\b(?:who are you|what are you|what can you do|help|how do(?: i| you)? (?:connect|use|add)|which model|api key)\b/iu;

const isAboutMe = (text: string): boolean => {
  const trimmed = text.trim();
  return greeting.test(trimmed) || (trimmed.length < 80 && aboutMe.test(trimmed));
};

const introduction = [
  "I am Stonechat's built-in **offline model**. I need no key and no network, and I do not think: I quote what stands in this conversation, and I call a tool when you name it (`@name`) or plainly ask for what it does.",
  "To talk to a real model, set `OPENROUTER_API_KEY` (or `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GOOGLE_GENERATIVE_AI_API_KEY`), or `STONECHAT_COMPATIBLE_URL` for Ollama, vLLM and the like, and start Stonechat again. Then choose it in the model picker.",
].join("\n\n");

const unknown =
  "I do not know. Nothing in what I was given answers that, and as the offline model I only quote what stands there. With a real model connected you can ask anything; say *help* to see how.";
