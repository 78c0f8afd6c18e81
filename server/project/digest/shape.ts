import type { ContextMode } from "../../../protocol/project/project.ts";
import type { Sources } from "../../../protocol/context/untrusted.ts";

/** One block of what the model is told of the work. */
export type Digest = {
  readonly name: DigestName;
  /** What it was read at: told once, it is named by this from then on. null: it could not be read, and is tried again next time. */
  readonly at: string | null;
  readonly full: string;
  /** Of `full`. */
  readonly tokens: number;
  /** What changed since it was last told; empty: nothing. null: it was never told, or something else was. */
  readonly since: string | null;
  /** For a prompt that tells it as JSON. */
  readonly data: DigestJson | null;
  /** For the receipt: a code, and in words what was left out or went wrong. */
  readonly why: "digest" | "load-failed" | "gone";
  readonly note: string;
  /** Of everything in the projects that it is about. */
  readonly untrusted: Sources;
};

export type DigestName = "project" | "workspace";

export type DigestJson = {
  /** Ids and names. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, unknown>>;
  /** The person's own words, told as such. */
  readonly instructions: string;
};

export type DigestScope = {
  readonly projectId: string | null;
  readonly focusId: string | null;
  readonly mode: string;
};

export type DigestRequest = {
  readonly ownerId: string;
  readonly threadId: string;
  readonly place: DigestScope | undefined;
  readonly profile: string;
  /** What is talked about. */
  readonly exchange: string;
  /** By name, what the prompt tells already. */
  readonly told: ReadonlyMap<string, string>;
  /** null: not known. */
  readonly windowTokens: number | null;
  readonly wantsData: boolean;
};

/** What the thread says; else what it belongs to; else all projects, for an assistant of projects. null: nothing is told. */
export function chooseMode(place: DigestScope | undefined, profile: string): ContextMode | null {
  const { projectId = null, focusId = null, mode = "" } = place ?? {};
  if (projectId === null) {
    if (mode === "ontology") return "ontology";
    return mode !== "" || profile === "project" ? "global" : null;
  }
  if (mode === "global" || mode === "project" || mode === "ontology") return mode;
  return focusId === null ? "project" : "focus";
}
