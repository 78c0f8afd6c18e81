import type { Artifact, Evidence, Progress, ToolContext } from "../../../server/tools/tool.ts";
import type { Workshop } from "../../../server/tools/workshop.ts";
import { readConfig } from "../../../server/config/config.ts";
import { systemClock } from "../../../server/lib/clock.ts";
import { systemIds } from "../../../server/lib/ids.ts";

export const workshop: Workshop = { clock: systemClock, ids: systemIds, tools: readConfig({}).tools };

type Recorded = {
  readonly kept: Artifact[];
  readonly sources: Evidence[];
  readonly told: Progress[];
  readonly untrustedRead: string[];
};

/** What a tool is given when it is tried alone; what it keeps and tells is recorded. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext & Recorded {
  const kept: Artifact[] = [];
  const sources: Evidence[] = [];
  const told: Progress[] = [];
  const read: string[] = [];
  const nothing = (): never => {
    throw new Error("this test gave the tool none");
  };
  return {
    userId: "u",
    threadId: "t",
    projectId: null,
    focusId: null,
    runId: "r",
    key: "r:p",
    untrusted: [],
    noteSources: (more) => void read.push(...more),
    signal: new AbortController().signal,
    question: "",
    fetch: nothing,
    read: new Proxy({}, { get: nothing }) as ToolContext["read"],
    keep: (artifact) => ({ id: `artifact-${kept.push(artifact)}`, ref: kept.length, text: async () => artifact.text }),
    source: (source) => void sources.push(source),
    kept,
    untrustedRead: read,
    sources,
    ...given,
    progress: (progress) => void told.push(progress),
    told,
  };
}
