import type { ContextMode } from "../../../protocol/project/project.ts";
import { quoteMarks } from "../../lib/marks.ts";
import type { ToldChangeRow } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { DigestTools } from "../digest.ts";
import { toBudget } from "./budget.ts";
import { findFitting } from "./find-fitting.ts";
import { gather, gatherFocus, type Gathered } from "./gather.ts";
import type { Digest, DigestJson, DigestRequest } from "./shape.ts";
import { tellProject, toProjectJson } from "./tell/tell-project.ts";
import { tellFilesSince, tellProjectSince } from "./tell/tell-since.ts";
import { tellWorkspace } from "./tell/tell-workspace.ts";
import { quoteTitle } from "./tell/write.ts";

type Asked = { readonly mode: ContextMode; readonly projectId: string };
type Written = {
  readonly text: string;
  readonly tokens: number;
  readonly note: string;
  readonly data: DigestJson | null;
};

/** More changes than these are counted, not told. */
const MOST_CHANGES = 120;

export async function loadProject(
  tools: DigestTools,
  request: DigestRequest,
  asked: Asked,
): Promise<readonly Digest[]> {
  let project: RowOf<"projects"> | undefined;
  try {
    project = await tools.read.project(asked.projectId);
    if (project?.owner !== request.ownerId) return [toMinimum(tools, request, asked, undefined, "gone")];
    return await readWhole(tools, request, asked, project);
  } catch (error) {
    return [toMinimum(tools, request, asked, project, "load-failed", error)];
  }
}

async function readWhole(
  tools: DigestTools,
  request: DigestRequest,
  asked: Asked,
  project: RowOf<"projects">,
): Promise<readonly Digest[]> {
  const { read, clock, count } = tools;
  const { told, threadId, profile, windowTokens } = request;
  const { id: projectId, seq } = project;
  const focusId = asked.mode === "focus" ? (request.place?.focusId ?? null) : null;
  const now = clock.now();
  const [gathered, focus] = await Promise.all([
    tools.gathered.get(projectId, seq, (held) => gather(read, projectId, { scope: "all", now, held })),
    focusId === null
      ? undefined
      : tools.focused.get(`${projectId}/${focusId}`, seq, () => gatherFocus(read, projectId, focusId)),
  ]);
  const fitting = await findFitting(read, projectId, gathered, request.exchange);
  const whole = writeOnce(gathered, toKey(request, asked, project), (): Written => {
    const budget = toBudget(asked.mode, windowTokens);
    const instructions = tellInstructions(project, tools, request).join("\n");
    const telling = {
      ...asked,
      project,
      gathered,
      focus,
      exchange: request.exchange,
      fitting,
      threadId,
      budget,
      count,
      instructions,
    };
    const { text, note } = tellProject(telling);
    const full = instructions === "" ? text : `${text}\n${instructions}`;
    const data = request.wantsData ? toProjectJson(telling) : null;
    return { text: full, tokens: count(full), note, data };
  });
  const files = writeOnce(gathered, `files ${seq} ${windowTokens}`, (): Written => {
    const budget = toBudget("workspace", windowTokens);
    const { text, note } = tellWorkspace(gathered.files, { projectId, seq, budget, count });
    const data = { context: {}, content: { workspace: text.split("\n").slice(1, -1) }, instructions: "" };
    return { text, tokens: count(text), note, data };
  });
  const keys = { project: `project/${asked.mode}/${projectId}/${focusId ?? ""}`, workspace: `workspace/${projectId}` };
  const since = await findSince(tools, request, project, {
    project: findSeq(told.get("project"), keys.project, seq),
    workspace: findSeq(told.get("workspace"), keys.workspace, seq),
  });
  const hasFiles = gathered.files.length > 0 || profile === "builder" || told.has("workspace");
  const toDigest = (name: keyof typeof keys, { text, tokens, note, data }: Written): Digest => ({
    name,
    at: `${keys[name]}@${seq}`,
    full: text,
    tokens,
    since: since[name],
    data: request.wantsData ? data : null,
    why: "digest",
    note,
  });
  return [toDigest("project", whole), ...(hasFiles ? [toDigest("workspace", files)] : [])];
}

/** The same question of the same rows has the same answer: steps of one answer ask it again and again. */
const written = new WeakMap<Gathered, Map<string, Written>>();
const MOST_WRITTEN = 16;

function writeOnce(gathered: Gathered, key: string, write: () => Written): Written {
  let known = written.get(gathered);
  if (!known) written.set(gathered, (known = new Map()));
  let found = known.get(key);
  if (!found) {
    if (known.size >= MOST_WRITTEN) known.clear();
    known.set(key, (found = write()));
  }
  return found;
}

const toKey = (
  { exchange, threadId, windowTokens, wantsData, place }: DigestRequest,
  { mode }: Asked,
  { seq }: RowOf<"projects">,
) => JSON.stringify([mode, place?.focusId, seq, threadId, windowTokens, wantsData, exchange]);

/** The seq at which the same was told; null: it was not, or it is of another time than ours. */
function findSeq(told: string | undefined, key: string, seq: number): number | null {
  const at = told?.lastIndexOf("@") ?? -1;
  if (told === undefined || told.slice(0, at) !== key) return null;
  const known = Number(told.slice(at + 1));
  return known <= seq ? known : null;
}

type Seqs = { readonly project: number | null; readonly workspace: number | null };
type Sinces = { readonly project: string | null; readonly workspace: string | null };

async function findSince(
  { read, count }: DigestTools,
  request: DigestRequest,
  project: RowOf<"projects">,
  from: Seqs,
): Promise<Sinces> {
  const { id: projectId, seq } = project;
  const known = [from.project, from.workspace].filter((one) => one !== null);
  const oldest = Math.min(...known);
  if (known.length === 0 || oldest === seq)
    return { project: from.project === null ? null : "", workspace: from.workspace === null ? null : "" };
  const rows = await read.digestChanges(projectId, oldest, MOST_CHANGES);
  const total = rows.length < MOST_CHANGES ? rows.length : await read.digestChangeCount(projectId, oldest);
  const budget = toBudget("since", request.windowTokens);
  const tell = (
    seen: number | null,
    write: (after: readonly ToldChangeRow[], left: number, since: Parameters<typeof tellFilesSince>[2]) => string,
  ): string | null => {
    if (seen === null) return null;
    const after = rows.filter((row) => row.seq > seen);
    const left = after.length === rows.length ? total - rows.length : 0;
    return write(after, left, { projectId, from: seen, to: seq, threadId: request.threadId, budget, count });
  };
  const instructed = hasNewInstructions(rows, total) ? tellInstructions(project, { count }, request, true) : [];
  const changed = tell(from.project, (after, left, since) => tellProjectSince(after, after.length + left, since));
  return {
    project: changed === null ? null : [...(changed === "" ? [] : [changed]), ...instructed].join("\n"),
    workspace: tell(from.workspace, tellFilesSince),
  };
}

function hasNewInstructions(rows: readonly ToldChangeRow[], total: number): boolean {
  return (
    total > rows.length ||
    rows.some(
      ({ what, had, after }) => what === "project" && had === 1 && (after === null || after.includes('"instructions"')),
    )
  );
}

/** The person's own words for all threads of the project: not material, and whole as far as there is room, line by line. */
function tellInstructions(
  { id, instructions }: RowOf<"projects">,
  { count }: Pick<DigestTools, "count">,
  { windowTokens }: DigestRequest,
  isChanged = false,
): readonly string[] {
  if (instructions.trim() === "") return isChanged ? ["The person has no instructions for this project any more."] : [];
  let left = toBudget("instructions", windowTokens);
  const lines = quoteMarks(instructions.trim()).split("\n");
  const kept = lines.filter((line) => (left -= count(line) + 1) >= 0);
  const out = lines.length - kept.length;
  return [
    `<project-instructions project="${id}">`,
    `The person's own instructions for this project${isChanged ? ", as they are now" : ""}; follow them.`,
    ...kept,
    ...(out > 0 ? [`(${out} more lines did not fit)`] : []),
    "</project-instructions>",
  ];
}

/** Mode, ids and names, when there is no more to be had. */
function toMinimum(
  { count }: DigestTools,
  request: DigestRequest,
  { mode, projectId }: Asked,
  project: RowOf<"projects"> | undefined,
  why: "gone" | "load-failed",
  error?: unknown,
): Digest {
  const { place, told, wantsData } = request;
  const focusId = place?.focusId ?? null;
  const full = [
    `<project-digest mode="${mode}" project="${projectId}">`,
    why === "gone"
      ? "This thread belongs to a project that is not there any more."
      : "The project could not be read just now, so nothing else is told of it; use tools to look. What was told before may be out of date.",
    ...(project ? [`name: ${quoteTitle(project.name)}`] : []),
    ...(focusId === null ? [] : [`focus: ${focusId}`]),
    "</project-digest>",
  ].join("\n");
  const context = {
    mode,
    project: { id: projectId, ...(project ? { name: project.name } : {}) },
    ...(focusId === null ? {} : { focus: { id: focusId } }),
  };
  return {
    name: "project",
    at: null,
    full,
    tokens: count(full),
    since: told.has("project") ? full : null,
    data: wantsData
      ? {
          context,
          content: { note: why === "gone" ? "the project is gone" : "the project could not be read just now" },
          instructions: project ? tellInstructions(project, { count }, request).join("\n") : "",
        }
      : null,
    why,
    note:
      why === "gone"
        ? "the project is gone"
        : `only ids are told: ${error instanceof Error ? error.message : "the load failed"}`,
  };
}
