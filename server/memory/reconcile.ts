import type { AgentState } from "../../protocol/context/context.ts";
import type { Part, PartOf } from "../../protocol/parts.ts";
import type { Reason, RunOutcome } from "../../protocol/run.ts";
import { DAY_MS } from "../lib/clock.ts";
import { splitSentences } from "../lib/split-sentences.ts";
import { countTokens } from "../lib/tokens.ts";
import { renderAgentState } from "./render-state.ts";

/** A message of the path, with its settled parts. */
export type ConversationTurn = {
  readonly role: "user" | "assistant";
  readonly depth: number;
  readonly parts: readonly Part[];
};

export type Conversation = {
  /** The end of the path, in order. */
  readonly turns: readonly ConversationTurn[];
  /** How the newest answer ended. Null while it runs. */
  readonly ended: { readonly outcome: RunOutcome; readonly reason: Reason | null } | null;
  /** Time of the last turn. The state expires relative to it, not to when it was computed. */
  readonly at: number;
};

export const stateLimits = { facts: 12, results: 12, pending: 8, tokens: 600, lifeMs: DAY_MS } as const;

/**
 * Computes the work state from the messages. Pure and without a model: the same turns give the same state. Context updates are
 * ignored, so memory is not fed back as if the user had said it.
 */
export function reconcile({ turns, ended, at }: Conversation): AgentState {
  const calls = listCalls(turns);
  const done = calls.filter(({ part }) => part.state === "ok");
  const results = newestByCall(done).slice(-stateLimits.results);
  const shown = new Set(results);
  const older = newestByCall(done).filter((call) => !shown.has(call));
  const facts = [...older.map(toToolFact), ...turns.flatMap(listStatements)].toSorted((a, b) => a.depth - b.depth);
  return fit({
    goal: findGoal(turns),
    facts: dropRepeats(facts.map(({ text }) => text)).slice(-stateLimits.facts),
    pending: dropRepeats([...listFailed(calls), ...listOpen(turns), ...toUnfinished(ended)]).slice(
      -stateLimits.pending,
    ),
    results: results.map(({ part, depth }) => ({ tool: part.name, said: describeResult(part), depth })),
    depth: turns.at(-1)?.depth ?? 0,
    updatedAt: at,
    expiresAt: at + stateLimits.lifeMs,
  });
}

type ToolCall = { readonly part: PartOf<"tool">; readonly depth: number; readonly sign: string };

const isSaid = (part: Part): boolean => part.aside === undefined;

const textOf = ({ parts }: ConversationTurn): string =>
  parts.flatMap((part) => (part.kind === "text" && isSaid(part) ? [part.text] : [])).join("\n");

const listCalls = (turns: readonly ConversationTurn[]): readonly ToolCall[] =>
  turns.flatMap(({ depth, parts }) =>
    parts.flatMap((part) =>
      part.kind === "tool" && isSaid(part)
        ? [{ part, depth, sign: `${part.name} ${JSON.stringify(part.input ?? part.inputText ?? null)}` }]
        : [],
    ),
  );

/** The newest call of each kind and input, in order. */
const newestByCall = (calls: readonly ToolCall[]): readonly ToolCall[] =>
  calls.filter(({ sign }, at) => !calls.some((other, later) => later > at && other.sign === sign));

const LONGEST_RESULT = 160;
const LONGEST_FACT = 200;
const LONGEST_GOAL = 400;

function describeResult({ digest, output }: PartOf<"tool">): string {
  return shorten(digest ?? (typeof output === "string" ? output : JSON.stringify(output ?? null)), LONGEST_RESULT);
}

type Fact = { readonly text: string; readonly depth: number };

const toToolFact = ({ part, depth }: ToolCall): Fact => ({ text: `${part.name}: ${describeResult(part)}`, depth });

const asks =
  /^(?:please|can|could|would|will|do|does|did|is|are|was|were|what|how|why|where|when|who|which|let|show|tell|find|give|make)\b/i;
const firstPerson =
  /\b(?:i|i'm|i've|my|mine|we|we're|our|ours|ich|mein\w*|wir|unser\w*|je|mon|ma|mes|nous|yo|mi|mis)\b/iu;
const states = /\b(?:is|are|was|were|must|costs?|starts?|ends?)\b/i;
const isOfThings = (said: string): boolean => /\d/.test(said) && states.test(said);

/** The user's statements about themselves or with numbers in them. Later ones override earlier ones. */
const listStatements = (turn: ConversationTurn): readonly Fact[] =>
  turn.role !== "user"
    ? []
    : toSentences(textOf(turn))
        .filter((said) => !isQuestion(said) && !asks.test(said) && said.split(" ").length >= 3)
        .filter((said) => firstPerson.test(said) || isOfThings(said))
        .map((said) => ({ text: `said at ${turn.depth}: ${shorten(said, LONGEST_FACT)}`, depth: turn.depth }));

const confirmations =
  /^(?:y(?:es|ep|eah)|no(?:pe)?|ok(?:ay)?|sure|thanks?|thank you|please|go (?:on|ahead)|continue|do (?:it|that)|great|good|perfect|right|exactly|fine|ja|nein|danke|oui|non|merci|s[ií]|gracias)\b/i;

/** The newest request. A short confirmation such as "yes, do it" does not replace it. */
function findGoal(turns: readonly ConversationTurn[]): string {
  const said = turns.filter(({ role }) => role === "user").map(textOf);
  const isConfirmation = (text: string): boolean =>
    text.trim().split(/\s+/).length <= 5 && confirmations.test(text.trim());
  return shorten(
    said.findLast((text) => text.trim() !== "" && !isConfirmation(text)) ?? said.at(-1) ?? "",
    LONGEST_GOAL,
  );
}

/** Unsuccessful calls that were not repeated successfully. */
function listFailed(calls: readonly ToolCall[]): readonly string[] {
  const states: Partial<Record<PartOf<"tool">["state"], string>> = {
    error: "failed",
    unknown: "may or may not have happened",
    denied: "was not allowed",
    asking: "waits for the user's approval",
  };
  return newestByCall(calls).flatMap(({ part }) => {
    const state = states[part.state];
    if (state === undefined) return [];
    const why = part.state === "error" && part.errorText ? `: ${shorten(part.errorText, LONGEST_RESULT)}` : "";
    return [`${shorten(part.title ?? part.name, LONGEST_RESULT)} ${state}${why}`];
  });
}

/** Questions to the user at the end of the newest answer. */
function listOpen(turns: readonly ConversationTurn[]): readonly string[] {
  const last = turns.at(-1);
  if (last?.role !== "assistant") return [];
  const said = toSentences(textOf(last)).slice(-3);
  return said.filter(isQuestion).map((question) => `asked the user: ${shorten(question, LONGEST_FACT)}`);
}

function toUnfinished(ended: Conversation["ended"]): readonly string[] {
  switch (ended?.outcome) {
    case "stopped":
      return ["the user stopped the last answer before its end"];
    case "limit":
      return ["the last answer reached its limit and can be continued"];
    case "failed":
      return [`the last answer failed${ended.reason ? `: ${shorten(ended.reason.text, LONGEST_RESULT)}` : ""}`];
    default:
      return [];
  }
}

/** Keeps the newest of equal texts. */
const dropRepeats = (texts: readonly string[]): readonly string[] =>
  texts.filter((text, at) => texts.lastIndexOf(text) === at);

/** Drops the oldest entries until the state fits. The goal stays. */
function fit(state: AgentState): AgentState {
  if (countTokens(renderAgentState(state)) <= stateLimits.tokens) return state;
  const { facts, results, pending } = state;
  if (facts.length === 0 && results.length === 0 && pending.length === 0) {
    return { ...state, goal: shorten(state.goal, Math.floor(state.goal.length / 2)) };
  }
  if (facts.length >= results.length && facts.length > 0) return fit({ ...state, facts: facts.slice(1) });
  return fit(results.length > 0 ? { ...state, results: results.slice(1) } : { ...state, pending: pending.slice(1) });
}

/** Without code blocks. */
const toSentences = (text: string): readonly string[] =>
  splitSentences(text.replace(/```[\s\S]*?(?:```|$)/g, "\n")).map((sentence) => sentence.text.replace(/\s+/g, " "));

function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const space = line.lastIndexOf(" ", most - 1);
  return `${line.slice(0, space > most / 2 ? space : most - 1).toWellFormed()}…`;
}

const isQuestion = (sentence: string): boolean => /[?？][")”’]*$/.test(sentence);
