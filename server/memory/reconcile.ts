import type { AgentState } from "../../protocol/context/context.ts";
import type { Part, PartOf } from "../../protocol/parts.ts";
import type { Reason, RunOutcome } from "../../protocol/run.ts";
import { countTokens } from "../lib/tokens.ts";
import { renderAgentState } from "./render-state.ts";

/** A message of the path, with its settled parts. */
export type Turn = { readonly role: "user" | "assistant"; readonly depth: number; readonly parts: readonly Part[] };

export type Conversation = {
  /** The end of the path, in order. */
  readonly turns: readonly Turn[];
  /** How the newest answer ended; null while none has. */
  readonly ended: { readonly outcome: RunOutcome; readonly reason: Reason | null } | null;
  /** Of the last turn: from it the state's life is counted, whenever it was reconciled. */
  readonly at: number;
};

export const stateLimits = { facts: 12, results: 12, pending: 8, tokens: 600, lifeMs: 24 * 3_600_000 } as const;

/**
 * What is in hand, from what stands in the thread. Pure and without a model: the same turns give the same state. Nothing of it
 * comes from what was put into prompts beside the person's words, so memory is not fed back as if it had been said.
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

type Call = { readonly part: PartOf<"tool">; readonly depth: number; readonly sign: string };

const isSaid = (part: Part): boolean => part.aside === undefined;

const textOf = ({ parts }: Turn): string =>
  parts.flatMap((part) => (part.kind === "text" && isSaid(part) ? [part.text] : [])).join("\n");

const listCalls = (turns: readonly Turn[]): readonly Call[] =>
  turns.flatMap(({ depth, parts }) =>
    parts.flatMap((part) =>
      part.kind === "tool" && isSaid(part)
        ? [{ part, depth, sign: `${part.name} ${JSON.stringify(part.input ?? part.inputText ?? null)}` }]
        : [],
    ),
  );

/** In the order in which each was last made. */
const newestByCall = (calls: readonly Call[]): readonly Call[] =>
  calls.filter(({ sign }, at) => !calls.some((other, later) => later > at && other.sign === sign));

const LONGEST_RESULT = 160;
const LONGEST_FACT = 200;
const LONGEST_GOAL = 400;

function describeResult({ digest, output }: PartOf<"tool">): string {
  return shorten(digest ?? (typeof output === "string" ? output : JSON.stringify(output ?? null)), LONGEST_RESULT);
}

type Fact = { readonly text: string; readonly depth: number };

const toToolFact = ({ part, depth }: Call): Fact => ({ text: `${part.name}: ${describeResult(part)}`, depth });

const asks =
  /^(?:please|can|could|would|will|do|does|did|is|are|was|were|what|how|why|where|when|who|which|let|show|tell|find|give|make)\b/i;
const firstPerson =
  /\b(?:i|i'm|i've|my|mine|we|we're|our|ours|ich|mein\w*|wir|unser\w*|je|mon|ma|mes|nous|yo|mi|mis)\b/iu;
const states = /\b(?:is|are|was|were|must|costs?|starts?|ends?)\b/i;
const isOfThings = (said: string): boolean => /\d/.test(said) && states.test(said);

/** What the person stated, about themselves or with figures in it; later ones hold against earlier ones. */
const listStatements = (turn: Turn): readonly Fact[] =>
  turn.role !== "user"
    ? []
    : toSentences(textOf(turn))
        .filter((said) => !isQuestion(said) && !asks.test(said) && said.split(" ").length >= 3)
        .filter((said) => firstPerson.test(said) || isOfThings(said))
        .map((said) => ({ text: `said at ${turn.depth}: ${shorten(said, LONGEST_FACT)}`, depth: turn.depth }));

const nods =
  /^(?:y(?:es|ep|eah)|no(?:pe)?|ok(?:ay)?|sure|thanks?|thank you|please|go (?:on|ahead)|continue|do (?:it|that)|great|good|perfect|right|exactly|fine|ja|nein|danke|oui|non|merci|s[ií]|gracias)\b/i;

/** The newest request that stands: a nod does not replace what it nods to. */
function findGoal(turns: readonly Turn[]): string {
  const said = turns.filter(({ role }) => role === "user").map(textOf);
  const isNod = (text: string): boolean => text.trim().split(/\s+/).length <= 5 && nods.test(text.trim());
  return shorten(said.findLast((text) => text.trim() !== "" && !isNod(text)) ?? said.at(-1) ?? "", LONGEST_GOAL);
}

/** Calls that came to nothing and were not made up for. */
function listFailed(calls: readonly Call[]): readonly string[] {
  const states: Partial<Record<PartOf<"tool">["state"], string>> = {
    error: "failed",
    unknown: "may or may not have happened",
    denied: "was not allowed",
    asking: "waits for the person",
  };
  return newestByCall(calls).flatMap(({ part }) => {
    const state = states[part.state];
    if (state === undefined) return [];
    const why = part.state === "error" && part.errorText ? `: ${shorten(part.errorText, LONGEST_RESULT)}` : "";
    return [`${shorten(part.title ?? part.name, LONGEST_RESULT)} ${state}${why}`];
  });
}

/** What the newest answer asked the person at its end. */
function listOpen(turns: readonly Turn[]): readonly string[] {
  const last = turns.at(-1);
  if (last?.role !== "assistant") return [];
  const said = toSentences(textOf(last)).slice(-3);
  return said.filter(isQuestion).map((question) => `asked the person: ${shorten(question, LONGEST_FACT)}`);
}

function toUnfinished(ended: Conversation["ended"]): readonly string[] {
  switch (ended?.outcome) {
    case "stopped":
      return ["the last answer was stopped by the person before its end"];
    case "limit":
      return ["the last answer reached its limit and can be continued"];
    case "failed":
      return [`the last answer failed${ended.reason ? `: ${shorten(ended.reason.text, LONGEST_RESULT)}` : ""}`];
    default:
      return [];
  }
}

/** The newest of those that say the same. */
const dropRepeats = (texts: readonly string[]): readonly string[] =>
  texts.filter((text, at) => texts.lastIndexOf(text) === at);

/** Oldest first goes what does not fit; the goal stays. */
function fit(state: AgentState): AgentState {
  if (countTokens(renderAgentState(state)) <= stateLimits.tokens) return state;
  const { facts, results, pending } = state;
  if (facts.length === 0 && results.length === 0 && pending.length === 0) {
    return { ...state, goal: shorten(state.goal, Math.floor(state.goal.length / 2)) };
  }
  if (facts.length >= results.length && facts.length > 0) return fit({ ...state, facts: facts.slice(1) });
  return fit(results.length > 0 ? { ...state, results: results.slice(1) } : { ...state, pending: pending.slice(1) });
}

const ends = /(?<=[.!?…]["'”’)]{0,3})(?<!\s)\s+(?=[\p{Lu}\p{N}"“'(])|(?<=[。！？])|\n+/u;

/** By punctuation and lines; rough on purpose, and the same on every machine. */
const toSentences = (text: string): readonly string[] =>
  text
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .split(ends)
    .map((sentence) =>
      sentence
        .replace(/^\s*(?:[-*+•>]|#{1,6}|\d{1,3}[.)])\s+/, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));

function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const space = line.lastIndexOf(" ", most - 1);
  return `${line.slice(0, space > most / 2 ? space : most - 1).toWellFormed()}…`;
}

const isQuestion = (sentence: string): boolean => /[?？][")”’]*$/.test(sentence);
