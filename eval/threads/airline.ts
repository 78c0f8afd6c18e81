import type { ToolSpec } from "../../protocol/model.ts";
import type { EvalThread } from "../contestant.ts";
import { toTurns, type RecordedTurn, type Saying } from "./parts.ts";
import { readGzip } from "./read-gzip.ts";

/**
 * Recorded runs of an airline's service desk (tau-bench) as threads: one run; runs one after another, as a desk that keeps
 * one thread would have them; or runs merged turn by turn in rotation.
 */
type RecordedMessage = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
};
export type Run = {
  readonly id: string;
  readonly task: number;
  readonly system: string;
  readonly turns: readonly RecordedTurn[];
};

export const readRuns = (path: string): readonly Run[] =>
  (readGzip(path) as readonly { readonly task_id: number; readonly traj: readonly RecordedMessage[] }[]).map(
    ({ task_id, traj }, index) => ({
      id: `air${index}`,
      task: task_id,
      system: traj.find(({ role }) => role === "system")?.content ?? "",
      turns: toRecordedTurns(traj, `air${index}`),
    }),
  );

/** A user message and everything up to the next one. An unanswered last message is left out. */
function toRecordedTurns(traj: readonly RecordedMessage[], run: string): readonly RecordedTurn[] {
  const turns: { question: string; steps: (readonly Saying[])[] }[] = [];
  for (const [at, one] of traj.entries()) {
    if (one.role === "user") turns.push({ question: one.content ?? "", steps: [] });
    if (one.role !== "assistant") continue;
    const said: Saying[] = one.content ? [{ kind: "text", text: one.content }] : [];
    const calls = (one.tool_calls ?? []).map(({ id, function: { name, arguments: input } }, index): Saying => ({
      kind: "tool",
      callId: `${run}_${id}`,
      name,
      input: parseInput(input),
      // Ids come again within a run: a call's result is the one in its place.
      output: traj[at + 1 + index]?.content ?? "",
    }));
    turns.at(-1)?.steps.push([...said, ...calls]);
  }
  return turns.filter(({ steps }) => steps.length > 0);
}

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

/** The runs lack tool schemas. Schemas are derived from the names and used arguments, the same for all contestants. */
export function toTools(runs: readonly Run[]): readonly ToolSpec[] {
  const used = new Map<string, Set<string>>();
  for (const saying of runs.flatMap(({ turns }) => turns.flatMap(({ steps }) => steps.flat()))) {
    if (saying.kind !== "tool") continue;
    const names = used.get(saying.name) ?? new Set();
    for (const name of Object.keys(saying.input as object)) names.add(name);
    used.set(saying.name, names);
  }
  return [...used]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, names]) => ({
      name,
      description: name.replaceAll("_", " "),
      inputSchema: {
        type: "object",
        properties: Object.fromEntries([...names].sort().map((property) => [property, { type: "string" }])),
        required: [...names].sort(),
      },
    }));
}

/** `size` runs after each other, in the order of the file; what does not fill a thread is left out. */
export function chainRuns(runs: readonly Run[], size: number, tools: readonly ToolSpec[]): readonly EvalThread[] {
  return group(runs, size).map((some, index) => {
    const id = `chain${size}-${index}`;
    const turns = toTurns(
      id,
      some.flatMap((run) => run.turns),
    );
    return { id, system: some[0]?.system ?? "", tools, turns, isSynthetic: false };
  });
}

/** `size` runs of different tasks, a turn of each in rotation. */
export function interleaveRuns(runs: readonly Run[], size: number, tools: readonly ToolSpec[]): readonly EvalThread[] {
  return group(runs, size).map((some, index) => {
    const id = `merged${size}-${index}`;
    const longest = Math.max(...some.map(({ turns }) => turns.length));
    const merged = Array.from({ length: longest }, (_, at) => some.flatMap(({ turns }) => turns[at] ?? [])).flat();
    return { id, system: some[0]?.system ?? "", tools, turns: toTurns(id, merged), isSynthetic: false };
  });
}

/** Groups of full size without a task twice. */
function group(runs: readonly Run[], size: number): readonly (readonly Run[])[] {
  const left = [...runs];
  const groups: (readonly Run[])[] = [];
  while (left.length >= size) {
    const some: Run[] = [];
    for (const run of left) if (some.length < size && !some.some(({ task }) => task === run.task)) some.push(run);
    if (some.length < size) break;
    for (const run of some) left.splice(left.indexOf(run), 1);
    groups.push(some);
  }
  return groups;
}
