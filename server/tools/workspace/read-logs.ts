import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { readReports } from "../../workspace/preview.ts";
import { defineTool, type Tool } from "../tool.ts";
import { filesGroup } from "./group.ts";
import { locks } from "./fields.ts";

const Input = z.object({
  search: z.string().max(200).optional().describe("Only lines with all of these words; default: the newest lines"),
});
const Line = z.object({ level: z.string(), text: z.string(), place: z.string().optional(), seconds_ago: z.number() });
const Output = z.object({
  preview: z.string(),
  current: z.boolean(),
  logs: z.array(Line),
  more: z.string().optional(),
});
type Output = z.infer<typeof Output>;

type Options = {
  readonly clock: Clock;
  readonly kind: "console" | "network";
  readonly name: string;
  readonly alias: string;
  readonly description: string;
};

const MAX_LINES = 40;
const MAX_CHARACTERS = 800;
const WAIT_MS = 3000;

/** Logs are written by the previewed page, so they are untrusted. */
export const createLogTool = ({ clock, kind, name, alias, description }: Options): Tool =>
  defineTool({
    name,
    group: filesGroup,
    aliases: [alias],
    description,
    input: Input,
    output: Output,
    repeat: "pure",
    volatile: true,
    effects: ["read"],
    untrusted: () => ["the preview’s logs"],
    limits: { timeoutMs: 10_000, resultTokens: 1500 },
    // Runs after the edits of the same step.
    locks,
    describe: ({ search }) => (search ? `Look for “${search}” in the ${kind} logs` : `Read the ${kind} logs`),
    summarize: (_, output) => toDigest(kind, Output.safeParse(output).data),
    execute: async ({ search = "" }, { read, projectId, signal }) => {
      if (projectId === null) throw new Error("This thread belongs to no project, so there is no preview.");
      const found = await readReports({
        ...{ read, clock, signal, project: projectId, kind, words: search.trim() },
        ...{ limit: MAX_LINES, waitMs: WAIT_MS },
      });
      const now = clock.now();
      const logs = found.logs.map(({ level, text, place, at }) => ({
        level,
        text: text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS).toWellFormed()}...` : text,
        ...(place === null ? {} : { place }),
        seconds_ago: Math.max(0, Math.round((now - at) / 1000)),
      }));
      const more = found.earlier > 0 ? { more: `${found.earlier} earlier lines. Narrow them down with search.` } : {};
      return { output: { preview: found.about, current: found.isCurrent, logs, ...more } };
    },
  });

const toDigest = (kind: string, output: Output | undefined): string => {
  const logs = output?.logs ?? [];
  const faults = logs.filter(({ level }) => level === "error");
  const [last] = faults.slice(-1);
  return `${kind} logs: ${logs.length} lines, ${faults.length} errors${last ? `, the last: ${last.text.slice(0, 100)}` : ""}`;
};
