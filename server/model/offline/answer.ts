import type { ModelRequest, PromptMessage, ToolSpec } from "../../../protocol/model.ts";
import { findBuilderCalls } from "./builder.ts";
import { fillTool, readCommands } from "./commands.ts";
import {
  findReading,
  findResearch,
  findSum,
  findTime,
  findWeather,
  isQuestion,
  toReadingSubject,
  toRequest,
  type ParsedRequest,
} from "./intents.ts";
import { findMemory, renderMemoryResult } from "./memory.ts";
import { asQuote, cite, cut, findPassages, toSentences, toTerms, type Source } from "./passages.ts";
import { continueProjectRequest, findProjectRequest, projectRenderers, startProjectRequest } from "./project.ts";
import { isOnlyImage, readTurn, textOfAssistant, type Turn } from "./request.ts";
import {
  continueResearch,
  isResearchCall,
  listFailures,
  renderFindings,
  startResearch,
  toPageInput,
} from "./research.ts";
import {
  listInputUrls,
  readJson,
  toFields,
  toList,
  toReadable,
  toSources,
  type FinishedCall,
  type Input,
  type PlannedCall,
} from "./tool-results.ts";

type ToolCall = PlannedCall & { readonly callId: string };
type Decision = { readonly text?: string; readonly calls?: readonly PlannedCall[] };

/** The offline model's reply to a request: tool calls, quotations, or that it does not know. Pure. */
export const composeAnswer = (
  request: ModelRequest,
): { readonly text: string; readonly calls: readonly ToolCall[] } => {
  const turn = readTurn(request);
  if (turn === undefined) return { text: INTRODUCTION, calls: [] };
  const { text: said = "", calls = [] } = isOnlyImage(turn) ? {} : decide(request, turn);
  const text = calls.length > 0 || turn.images.length === 0 ? said : `${renderBlind(turn.images)}\n\n${said}`.trim();
  // Unique within a turn and across turns.
  return {
    text,
    calls: calls.map((call, index) => ({ ...call, callId: `offline-${request.messages.length}-${index}` })),
  };
};

const renderBlind = (names: readonly string[]): string => {
  const listed = names.map((name) => `\`${name.replaceAll("`", "'")}\``).join(", ");
  return `I cannot see pictures, so the demo model does not know what ${listed} shows. Connect a model with vision and ask again.`;
};

const decide = (request: ModelRequest, turn: Turn): Decision => {
  if (typeof request.toolChoice === "object") return callNamedTool(request, turn, request.toolChoice.tool);
  return turn.calls.length > 0 ? continueAnswer(request, turn) : startAnswer(request, turn);
};

const callNamedTool = ({ tools }: ModelRequest, turn: Turn, name: string): Decision => {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return { text: `The tool \`${name}\` is not offered here.` };
  const words = readCommands(turn.question, tools).wordsOf(turn.steps);
  const before = turn.earlier.findLast((message) => message.role === "user");
  const intent = fillTool(
    tool,
    words || (name === "search_web" && before?.role === "user" ? before.text : ""),
    turn.memory,
  );
  return intent.kind === "ask" ? { text: intent.text } : { calls: toCalls(intent, tools) };
};

const startAnswer = ({ system, tools: all, toolChoice }: ModelRequest, turn: Turn): Decision => {
  const words = readCommands(turn.question, all).rest || turn.question;
  const tools = toolChoice === "none" ? [] : all;
  const intent = tools.length > 0 ? findIntent(words, turn, tools) : undefined;
  const calls = intent === undefined ? [] : toCalls(intent, tools);
  if (calls.length > 0) return { calls };
  if (intent?.kind === "ask" && tools.some(({ name }) => name === intent.tool)) return { text: intent.text };
  if (isAboutModel(words)) return { text: INTRODUCTION };

  const isResearcher = /\bplan_research\b/.test(system) && tools.some(({ name }) => name === "plan_research");
  const isResearch = isResearcher && (isQuestion(words) || isTopic(words));
  // A researcher searches unless the conversation contains nearly the whole answer.
  const passages = findPassages(words, listSources(system, turn), isResearch ? 0.75 : undefined);
  if (isResearch && passages.length === 0) return { calls: startResearch(words, tools) };
  if (isWriting(words) && (passages.length === 0 || !isQuestion(words))) return { text: CANNOT_WRITE };
  if (!isQuestion(words)) return { text: acknowledge(words) };
  if (passages.length === 0) return { text: UNKNOWN };
  const quotes = passages.map(({ label, text, ref }) => `${label}:\n\n${cite(text, ref)}`);
  return { text: ["I can only quote. Nearest to your question in this conversation:", ...quotes].join("\n\n") };
};

/** Longer text is a statement, not a request. */
const MAX_REQUEST_CHARACTERS = 1000;

export const findIntent = (
  text: string,
  { memory, now }: Pick<Turn, "memory" | "now">,
  tools: readonly ToolSpec[],
): ParsedRequest | undefined => {
  if (text.length > MAX_REQUEST_CHARACTERS) return undefined;
  const intent =
    findReading(text) ??
    findWork(text, tools, now) ??
    findMemory(text, memory) ??
    findSum(text) ??
    findWeather(text, memory) ??
    findTime(text);
  if (intent !== undefined) return intent;
  const subject = findResearch(text);
  return subject === undefined ? undefined : { kind: "research", subject };
};

/** In a workspace a page is built, elsewhere it is a document of the project. */
const findWork = (text: string, tools: readonly ToolSpec[], now: number | undefined): ParsedRequest | undefined => {
  const request = findProjectRequest(text, now);
  const project = request === undefined ? [] : [startProjectRequest(request)];
  const builder = findBuilderCalls(text);
  const isBuilder = tools.some(({ name }) => name === "write_file");
  const [first, ...more] = (isBuilder ? [builder, project] : [project, builder]).find(({ length }) => length > 0) ?? [];
  return first === undefined ? undefined : { kind: "call", calls: [first, ...more], isExplicit: true };
};

/** The calls for an intent with the offered tools. A tool that is not offered is searched for in the catalog. */
const toCalls = (intent: ParsedRequest, tools: readonly ToolSpec[]): readonly PlannedCall[] => {
  if (intent.kind === "ask") return [];
  const calls = intent.kind === "research" ? startResearch(intent.subject, tools) : splitPages(intent.calls, tools);
  const name = calls[0]?.name ?? "search_web";
  if (tools.some((tool) => tool.name === name)) return calls;
  const canSearch = ["find_tools", "use_tool"].every((needed) => tools.some((tool) => tool.name === needed));
  const isWanted = intent.kind === "research" || intent.isExplicit;
  return canSearch && isWanted ? [{ name: "find_tools", input: { query: name.replace(/_/g, " ") } }] : [];
};

const splitPages = (calls: readonly PlannedCall[], tools: readonly ToolSpec[]): readonly PlannedCall[] =>
  calls.flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.name);
    if (tool?.name !== "scrape_webpage") return [call];
    return listInputUrls(call.input).map((url) => ({ name: tool.name, input: toPageInput(tool, url) }));
  });

/** After tool results: the next calls, or else the results as text. No call is repeated, no text said twice. */
const continueAnswer = (request: ModelRequest, turn: Turn): Decision => {
  const { commands, rest: all } = readCommands(turn.question, request.tools);
  const rest = all.slice(0, MAX_REQUEST_CHARACTERS);
  const hasSearched = turn.calls.some(isSearch);
  const subject = findResearch(rest) ?? (hasSearched ? rest : toReadingSubject(rest));
  const isNew = (line: string): boolean => !turn.said.includes(line);
  const failures = listFailures(turn.calls).filter(isNew);

  const next = turn.callsLeft > 0 ? findNextCalls(request, turn, rest) : [];
  const research =
    next.length === 0 && turn.callsLeft > 0 && hasSearched && !commands.includes("basic")
      ? continueResearch(turn, subject, request.tools)
      : [];
  const calls = [...next, ...research].filter((call) => !isDone(call, turn.calls)).slice(0, turn.callsLeft);
  if (calls.length > 0) return { text: failures.join("\n\n"), calls };

  const others = turn.calls.filter((call, index) => !isResearchCall(call) && !isLookup(call, index, turn.calls));
  const lines = [
    ...others.map((call) => renderResult(call, rest)).filter(isNew),
    ...failures,
    ...(turn.calls.some(isResearchCall) ? renderFindings(turn, subject) : []),
  ];
  return { text: lines.join("\n\n") || "The tools answered nothing else." };
};

const findNextCalls = ({ tools }: ModelRequest, turn: Turn, text: string): readonly PlannedCall[] => {
  const use = ({ name, input }: PlannedCall): PlannedCall => ({ name: "use_tool", input: { name, input } });
  const request = findProjectRequest(text, turn.now);
  const next = request === undefined ? [] : continueProjectRequest(request, turn.calls);
  if (next.length > 0) return next.map((call) => (tools.some(({ name }) => name === call.name) ? call : use(call)));
  const last = turn.calls.at(-1);
  const intent = findIntent(text, turn, tools);
  if (last?.name !== "find_tools" || last.failed || intent === undefined || intent.kind === "ask") return [];
  const specs = readFoundTools(last.text).map(({ name, input }) => ({
    name: String(name),
    description: "",
    inputSchema: toFields(input) ?? {},
  }));
  const calls = intent.kind === "research" ? startResearch(intent.subject, specs) : splitPages(intent.calls, specs);
  return specs.some(({ name }) => name === calls[0]?.name) ? calls.map(use) : [];
};

/** A long result of `find_tools` is shortened in the prompt: then only the names can be read. */
const readFoundTools = (text: string): readonly Input[] => {
  const parsed = toFields(readJson(text));
  if (parsed) return toList(parsed["tools"]).map((tool) => toFields(tool) ?? {});
  return [...text.matchAll(/"name":"(\w{1,100})"/g)].map(([, name]) => ({ name }));
};

const isSearch = ({ name }: FinishedCall): boolean => name === "plan_research" || name === "search_web";

const isDone = ({ name, input }: PlannedCall, calls: readonly FinishedCall[]): boolean =>
  calls.some((call) => call.name === name && JSON.stringify(call.input) === JSON.stringify(input));

/** Lookups are rendered only when nothing followed them. */
const isLookup = ({ name }: FinishedCall, index: number, calls: readonly FinishedCall[]): boolean =>
  (name === "find_tools" || name === "list_entities") && index < calls.length - 1;

/** The result of a tool call as text: a known tool in words, any other quoted. */
const renderResult = (call: FinishedCall, question: string): string => {
  if (call.failed) return renderFailure(call);
  const output = toFields(readJson(call.text));
  const rendered = output && renderers[call.name]?.(output, question);
  return rendered ?? quoteTool(call.name, toReadable(call.text));
};

/** The error text of a denied call, as `run/` writes it. */
const denial = /^The user denied this call(?:: ([^]+)|\.)$/;

const renderFailure = ({ name, text }: FinishedCall): string => {
  const denied = denial.exec(text);
  if (denied === null) return `The tool \`${name}\` failed: ${cut(text)}`;
  return `You did not allow \`${name}\`${denied[1] === undefined ? "" : ` (“${cut(denied[1])}”)`}, so it was not run.`;
};

const quoteTool = (name: string, text: string): string => `The tool \`${name}\` answered:\n\n${asQuote(cut(text))}`;

const renderers: Readonly<Record<string, (output: Input, question: string) => string | undefined>> = {
  ...projectRenderers,
  calculate: ({ read, result, exact }) =>
    typeof read === "string" && typeof result === "string"
      ? quoteTool("calculate", `${read} ${exact === false ? "≈" : "="} ${result}`)
      : undefined,
  weather: ({ text, ref }) =>
    typeof text === "string"
      ? quoteTool("weather", `${cut(text)}${typeof ref === "number" ? ` [${ref}]` : ""}`)
      : undefined,
  working_memory: renderMemoryResult,
  find_tools: ({ tools }) => (toList(tools).length === 0 ? "No tool here can do this." : undefined),
};

const listSources = (system: string, { recalled, earlier, memory }: Turn): readonly Source[] => [
  { label: "My instructions say", sentences: toSentences(system) },
  { label: "My notes about you say", sentences: [...memory].map(([field, value]) => `${field}: ${value}`) },
  ...recalled,
  ...earlier.flatMap((message: PromptMessage): readonly Source[] => {
    if (message.role === "user") return [{ label: "You said", sentences: toSentences(message.text) }];
    if (message.role === "tool") return message.results.flatMap(toSources);
    // Its own answers mostly quote other sources.
    return [{ label: "I said", sentences: toSentences(textOfAssistant(message)), trust: 0.8 }];
  }),
];

/** A few words, as typed into a search box. */
const isTopic = (text: string): boolean =>
  !/[.!…]\s*$/u.test(text) &&
  !/^\s*(?:i|i['’]m|my|we|our|you|your|thanks?|ok|okay|yes|no)(?![\p{L}])/iu.test(text) &&
  text.length <= 120 &&
  toTerms(text).size >= 2;

const acknowledge = (text: string): string => {
  const first = text.trim().split("\n")[0] ?? "";
  return `I have read it:\n\n${asQuote(cut(first))}\n\nI am the built-in demo model and can only quote. Ask me about it, and I will find the sentence again. ${CONNECT}`;
};

/** A request that needs a language model. */
const isWriting = (text: string): boolean => writing.test(toRequest(text));
const writing =
  /^(?:write|rewrite|compose|draft|generate|create|make|invent|imagine|tell|give|translate|explain|describe|summari[sz]e|improve|correct|proofread|continue|brainstorm|suggest|recommend|compare|code|program|draw|design|plan|pretend|act|help)\s/iu;

const CONNECT = "[Connect a model](/settings/models) to get real answers.";
const CANNOT_WRITE = `I cannot do that: I am Stonechat's small built-in demo, without a language model. I can only quote this conversation and run tools. ${CONNECT}`;

const greeting = /^(?:hi|hello|hey|hallo|bonjour|salut|hola|ciao|olá|привет|你好|こんにちは|안녕)[\s!.,。！]*$/iu;
const aboutModel =
  /\b(?:who are you|what are you|what can you do|help|how do(?: i| you)? (?:connect|use|add)|which model|api key)\b/iu;

const isAboutModel = (text: string): boolean =>
  greeting.test(text.trim()) || (text.trim().length < 80 && aboutModel.test(text));

const INTRODUCTION = [
  "I am Stonechat's built-in **demo model**, a demonstration without a language model. I need no key and no network. I quote sentences of this conversation, and I call a tool when you name it (`@name`) or plainly ask for what it does: *add a task to order granite by Friday*, *what is overdue?*, *mark order granite done*, *create a page called Hello*.",
  "To use a real model, add a provider's key, or the URL of Ollama, vLLM or another compatible server, in the settings: [Connect a model](/settings/models). Then choose it in the model picker. The operator of the server can also set `OPENROUTER_API_KEY` or another provider's variable.",
].join("\n\n");

const UNKNOWN =
  "I do not know. Nothing in this conversation answers that, and the built-in demo model only quotes. " +
  `${CONNECT} Say *help* to see what works without one.`;
