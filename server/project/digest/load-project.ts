import type { ContextMode } from "../../../protocol/project/project.ts";
import { readSources } from "../../../protocol/context/untrusted.ts";
import type { RowOf } from "../../store/schema.ts";
import type { DigestTools } from "../digest.ts";
import { toBudget, toFocusTextBudget } from "./budget.ts";
import { findFitting } from "./find-fitting.ts";
import { findSeq, findSince } from "./find-since.ts";
import { gather, gatherFocus, type Gathered } from "./gather.ts";
import type { Digest, DigestJson, DigestRequest } from "./shape.ts";
import { renderInstructions } from "./render-instructions.ts";
import { renderProject, toProjectJson } from "./render-project.ts";
import { renderWorkspace } from "./render-workspace.ts";
import type { CountLine } from "./outline.ts";
import { quoteTitle } from "./write.ts";

type Asked = { readonly mode: ContextMode; readonly projectId: string };
type Written = {
  readonly text: string;
  readonly tokens: number;
  readonly note: string;
  readonly data: DigestJson | null;
};

export async function loadProject(
  tools: DigestTools,
  request: DigestRequest,
  asked: Asked,
): Promise<readonly Digest[]> {
  let project: RowOf<"projects"> | undefined;
  try {
    project = await tools.read.project(asked.projectId);
    if (project?.owner !== request.ownerId)
      return [toMinimum(request, tools.count, { ...asked, project: undefined, why: "gone" })];
    return await readWhole(tools, request, asked, project);
  } catch (error) {
    tools.onError(error);
    return [toMinimum(request, tools.count, { ...asked, project, why: "load-failed" })];
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
    const instructions = renderInstructions(project, { count, windowTokens }).join("\n");
    const telling = {
      ...asked,
      project,
      gathered,
      focus,
      exchange: request.exchange,
      fitting,
      threadId,
      budget,
      textBudget: toFocusTextBudget(windowTokens),
      count,
      instructions,
    };
    const { text, note } = renderProject(telling);
    const full = instructions === "" ? text : `${text}\n${instructions}`;
    const data = request.wantsData ? toProjectJson(telling) : null;
    return { text: full, tokens: count(full), note, data };
  });
  const files = writeOnce(gathered, `files ${seq} ${windowTokens}`, (): Written => {
    const budget = toBudget("workspace", windowTokens);
    const { text, note } = renderWorkspace(gathered.files, { projectId, seq, budget, count });
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
    untrusted: readSources(project.untrusted),
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

type Known = {
  readonly mode: ContextMode;
  readonly projectId: string;
  /** As far as that could be read. */
  readonly project: RowOf<"projects"> | undefined;
  readonly why: "gone" | "load-failed";
};

const words = {
  gone: {
    full: "This thread belongs to a project that is not there any more.",
    note: "the project is gone",
  },
  "load-failed": {
    full: "The project could not be read just now, so nothing else is told of it; use tools to look. What was told before may be out of date.",
    note: "only ids are told: the project could not be read",
  },
} as const;

/** Mode, ids and names, when there is no more to be had. */
function toMinimum(request: DigestRequest, count: CountLine, { mode, projectId, project, why }: Known): Digest {
  const { place, told, wantsData, windowTokens } = request;
  const focusId = place?.focusId ?? null;
  const { full: sentence, note } = words[why];
  const instructions = project ? renderInstructions(project, { count, windowTokens }) : [];
  const full = [
    `<project-digest mode="${mode}" project="${projectId}">`,
    sentence,
    ...(project ? [`name: ${quoteTitle(project.name)}`] : []),
    ...(focusId === null ? [] : [`focus: ${focusId}`]),
    "</project-digest>",
  ];
  const context = {
    mode,
    project: { id: projectId, ...(project ? { name: project.name } : {}) },
    ...(focusId === null ? {} : { focus: { id: focusId } }),
  };
  const text = [...full, ...instructions].join("\n");
  return {
    name: "project",
    at: null,
    full: text,
    tokens: count(text),
    since: told.has("project") ? full.join("\n") : null,
    data: wantsData ? { context, content: { note }, instructions: instructions.join("\n") } : null,
    why,
    note,
    untrusted: project ? readSources(project.untrusted) : [],
  };
}
