import type { Artifact, Progress, SourceEvidence, ToolContext, ToolDeps } from "../../../server/tools/tool.ts";
import { readConfig } from "../../../server/config/config.ts";
import { systemClock } from "../../../server/lib/clock.ts";
import { systemIds } from "../../../server/lib/ids.ts";

export const toolDeps: ToolDeps = { clock: systemClock, ids: systemIds, tools: readConfig({}).tools };

type RecordedCalls = {
  readonly kept: Artifact[];
  readonly sources: SourceEvidence[];
  readonly told: Progress[];
  readonly untrustedRead: string[];
};

/** A tool's context for tests without a run; stored texts and progress are recorded. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext & RecordedCalls {
  const kept: Artifact[] = [];
  const sources: SourceEvidence[] = [];
  const told: Progress[] = [];
  const read: string[] = [];
  const nothing = (): never => {
    throw new Error("not provided by this test");
  };
  return {
    userId: "u",
    isShared: false,
    threadId: "t",
    projectId: null,
    focusId: null,
    runId: "r",
    onlyProvider: null,
    key: "r:p",
    untrusted: [],
    noteSources: (more) => void read.push(...more),
    signal: new AbortController().signal,
    timeZone: null,
    pageCharacters: 12_000,
    question: "",
    fetch: nothing,
    read: new Proxy({}, { get: nothing }) as ToolContext["read"],
    saveArtifact: (artifact) => ({
      id: `artifact-${kept.push(artifact)}`,
      ref: kept.length,
      text: async () => artifact.text,
    }),
    addSource: (source) => void sources.push(source),
    kept,
    untrustedRead: read,
    sources,
    ...given,
    progress: (progress) => void told.push(progress),
    told,
  };
}
