import type { ContextMode } from "../../../protocol/project/project.ts";
import { readSources } from "../../../protocol/context/untrusted.ts";
import { findProjectAccess } from "../../auth/access.ts";
import { listProjectSources } from "../read/sources.ts";
import type { RowOf } from "../../store/schema.ts";
import type { DigestTools } from "../digest.ts";
import { toBudget, toFocusTextBudget } from "./budget.ts";
import { findMatches } from "./find-matches.ts";
import { parseSeq, loadChanges } from "./load-changes.ts";
import { loadSnapshot, loadFocus, type ProjectSnapshot } from "./snapshot.ts";
import type { Digest, DigestJson, DigestRequest } from "./shape.ts";
import { renderInstructions } from "./render-instructions.ts";
import { renderProject, toProjectJson } from "./render-project.ts";
import { renderWorkspace } from "./render-workspace.ts";
import type { CountLine } from "./outline.ts";
import { quoteTitle } from "./write.ts";

type DigestTarget = { readonly mode: ContextMode; readonly projectId: string };
type RenderedDigest = {
  readonly text: string;
  readonly tokens: number;
  readonly note: string;
  readonly data: DigestJson | null;
};

export async function loadProject(
  tools: DigestTools,
  request: DigestRequest,
  target: DigestTarget,
): Promise<readonly Digest[]> {
  let project: RowOf<"projects"> | undefined;
  try {
    project = await tools.read.project(target.projectId);
    const access = await findProjectAccess(tools.read, request.ownerId, project);
    if (!project || !access?.role)
      return [toFallback(request, tools.count, { ...target, project: undefined, why: "gone" })];
    return await loadDigests(tools, request, target, project);
  } catch (error) {
    tools.onError(error);
    return [toFallback(request, tools.count, { ...target, project, why: "load-failed" })];
  }
}

async function loadDigests(
  tools: DigestTools,
  request: DigestRequest,
  target: DigestTarget,
  project: RowOf<"projects">,
): Promise<readonly Digest[]> {
  const { read, clock, count } = tools;
  const { included, threadId, profile, windowTokens } = request;
  const { id: projectId, seq } = project;
  const focusId = target.mode === "focus" ? (request.scope?.focusId ?? null) : null;
  const now = clock.now();
  const [snapshot, focus] = await Promise.all([
    tools.snapshots.get(projectId, seq, (cached) => loadSnapshot(read, projectId, { scope: "all", now, cached })),
    focusId === null
      ? undefined
      : tools.focuses.get(`${projectId}/${focusId}`, seq, () => loadFocus(read, projectId, focusId)),
  ]);
  const matches = await findMatches(read, projectId, snapshot, request.exchange);
  const whole = renderOnce(snapshot, toKey(request, target, project), (): RenderedDigest => {
    const budget = toBudget(target.mode, windowTokens);
    const instructions = renderInstructions(project, { count, windowTokens }).join("\n");
    const input = {
      ...target,
      project,
      snapshot,
      focus,
      exchange: request.exchange,
      matches,
      threadId,
      budget,
      textBudget: toFocusTextBudget(windowTokens),
      count,
      instructions,
    };
    const { text, note } = renderProject(input);
    const full = instructions === "" ? text : `${text}\n${instructions}`;
    const data = request.wantsData ? toProjectJson(input) : null;
    return { text: full, tokens: count(full), note, data };
  });
  const files = renderOnce(snapshot, `files ${seq} ${windowTokens}`, (): RenderedDigest => {
    const budget = toBudget("workspace", windowTokens);
    const { text, note } = renderWorkspace(snapshot.files, { projectId, seq, budget, count });
    const data = { context: {}, content: { workspace: text.split("\n").slice(1, -1) }, instructions: "" };
    return { text, tokens: count(text), note, data };
  });
  const keys = { project: `project/${target.mode}/${projectId}/${focusId ?? ""}`, workspace: `workspace/${projectId}` };
  const since = await loadChanges(tools, request, project, {
    project: parseSeq(included.get("project"), keys.project, seq),
    workspace: parseSeq(included.get("workspace"), keys.workspace, seq),
  });
  const untrusted = await listProjectSources(read, project, request.isShared === true);
  const hasFiles = snapshot.files.length > 0 || profile === "builder" || included.has("workspace");
  const toDigest = (name: keyof typeof keys, { text, tokens, note, data }: RenderedDigest): Digest => ({
    name,
    at: `${keys[name]}@${seq}`,
    full: text,
    tokens,
    since: since[name],
    data: request.wantsData ? data : null,
    why: "digest",
    note,
    untrusted,
  });
  return [toDigest("project", whole), ...(hasFiles ? [toDigest("workspace", files)] : [])];
}

/** Rendered digests by snapshot and request: every step of an answer asks for the same. */
const rendered = new WeakMap<ProjectSnapshot, Map<string, RenderedDigest>>();
const MAX_RENDERED = 16;

function renderOnce(snapshot: ProjectSnapshot, key: string, write: () => RenderedDigest): RenderedDigest {
  let known = rendered.get(snapshot);
  if (!known) rendered.set(snapshot, (known = new Map()));
  let found = known.get(key);
  if (!found) {
    if (known.size >= MAX_RENDERED) known.clear();
    known.set(key, (found = write()));
  }
  return found;
}

const toKey = (
  { exchange, threadId, windowTokens, wantsData, scope }: DigestRequest,
  { mode }: DigestTarget,
  { seq }: RowOf<"projects">,
) => JSON.stringify([mode, scope?.focusId, seq, threadId, windowTokens, wantsData, exchange]);

type FallbackInput = {
  readonly mode: ContextMode;
  readonly projectId: string;
  /** undefined if it could not be read. */
  readonly project: RowOf<"projects"> | undefined;
  readonly why: "gone" | "load-failed";
};

const words = {
  gone: {
    full: "This thread belongs to a project that no longer exists.",
    note: "the project no longer exists",
  },
  "load-failed": {
    full: "The project could not be read just now. Use tools to look it up. Earlier digests may be out of date.",
    note: "only ids are included: the project could not be read",
  },
} as const;

/** Mode, ids and name, if the project cannot be read. */
function toFallback(
  request: DigestRequest,
  count: CountLine,
  { mode, projectId, project, why }: FallbackInput,
): Digest {
  const { scope, included, wantsData, windowTokens } = request;
  const focusId = scope?.focusId ?? null;
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
    since: included.has("project") ? full.join("\n") : null,
    data: wantsData ? { context, content: { note }, instructions: instructions.join("\n") } : null,
    why,
    note,
    untrusted: project ? readSources(project.untrusted) : [],
  };
}
