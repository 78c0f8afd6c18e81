import type { ModelRequest } from "../../../protocol/model.ts";
import { readCommands } from "./commands.ts";
import { findWish, longestRequest } from "./find-wish.ts";
import { toReadingSubject } from "./intents/find-reading.ts";
import { findResearch } from "./intents/find-research.ts";
import { isGathering, listFailures } from "./research/gather.ts";
import { continueResearch, type Step } from "./research/next-steps.ts";
import { tellFindings } from "./research/tell-findings.ts";
import { findAsked } from "./project/asked.ts";
import { continueProject } from "./project/steps.ts";
import { tellResult } from "./tell-results.ts";
import { callFound, toOffered } from "./to-steps.ts";
import type { Made, Turn } from "./turn.ts";

/** Tools have answered: the next calls with what failed so far, or all of it told. Nothing is called or told twice. */
export const goOn = (
  request: ModelRequest,
  turn: Turn,
  now?: number,
): { readonly text: string; readonly steps: readonly Step[] } => {
  const { commands, rest: all } = readCommands(turn.question, request.tools);
  const rest = all.slice(0, longestRequest);
  const isGathered = turn.made.some(isGathering);
  const subject = findResearch(rest) ?? (turn.made.some(isFound) ? rest : toReadingSubject(rest));
  const untold = (lines: readonly string[]): readonly string[] => lines.filter((line) => !turn.said.includes(line));
  const failures = untold(isGathered ? listFailures(turn.made) : []);

  const next =
    turn.callsLeft > 0 ? findNext(request, turn, { subject, rest, isQuick: commands.includes("basic"), now }) : [];
  const steps = next.filter((step) => !isMade(step, turn.made)).slice(0, turn.callsLeft);
  if (steps.length > 0) return { text: failures.join("\n\n"), steps };

  const others = turn.made.filter((made, index) => !isGathering(made) && !isLookedUp(made, index, turn.made));
  const told = [
    ...untold(others.map((made) => tellResult(made, rest))),
    ...failures,
    ...(isGathered ? tellFindings(turn, subject) : []),
  ];
  return { text: told.join("\n\n") || "That is all that the tools answered.", steps: [] };
};

type Asked = {
  readonly subject: string;
  readonly rest: string;
  readonly isQuick: boolean;
  readonly now: number | undefined;
};

const findNext = (
  { system, tools }: ModelRequest,
  turn: Turn,
  { subject, rest, isQuick, now }: Asked,
): readonly Step[] => {
  const work = findAsked(rest, now);
  const next = work === undefined ? [] : continueProject(work, turn.made);
  if (next.length > 0) return next.map((step) => toOffered(step, tools));
  const wish = findWish(rest, system, tools, now);
  const used = wish === undefined ? [] : callFound(wish, turn.made);
  if (used.length > 0) return used;
  return turn.made.some(isFound) && !isQuick ? continueResearch(turn, subject, tools) : [];
};

const isFound = ({ name }: Made): boolean => name === "plan_research" || name === "search_web";

const isMade = ({ name, input }: Step, made: readonly Made[]): boolean =>
  made.some((other) => other.name === name && JSON.stringify(other.input) === JSON.stringify(input));

/** Looking for a tool, or for what is to be changed, is told only when nothing came of it. */
const isLookedUp = ({ name }: Made, index: number, made: readonly Made[]): boolean =>
  (name === "find_tools" || name === "list_entities") && index < made.length - 1;
