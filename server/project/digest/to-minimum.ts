import type { ContextMode } from "../../../protocol/project/project.ts";
import { readSources } from "../../../protocol/context/untrusted.ts";
import type { RowOf } from "../../store/schema.ts";
import type { CountLine } from "./outline.ts";
import type { Digest, DigestRequest } from "./shape.ts";
import { renderInstructions } from "./render-instructions.ts";
import { quoteTitle } from "./write.ts";

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
export function toMinimum(request: DigestRequest, count: CountLine, { mode, projectId, project, why }: Known): Digest {
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
