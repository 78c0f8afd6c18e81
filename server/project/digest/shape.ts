import type { ContextMode } from "../../../protocol/project/project.ts";
import type { Sources } from "../../../protocol/context/untrusted.ts";

/** One digest block of a prompt. */
export type Digest = {
  readonly name: DigestName;
  /** Identifies the state that was read, for `DigestRequest.included`. null: it could not be read; the next call tries again. */
  readonly at: string | null;
  readonly full: string;
  /** Tokens of `full`. */
  readonly tokens: number;
  /** Changes since the included digest; empty if there are none. null: no matching digest is included. */
  readonly since: string | null;
  /** The digest as data, for policies that include it as JSON. */
  readonly data: DigestJson | null;
  /** Recorded in the receipt: a code, and a text that names omissions or the failure. */
  readonly why: "digest" | "load-failed" | "gone";
  readonly note: string;
  /** Untrusted sources of the projects in it. */
  readonly untrusted: Sources;
};

export type DigestName = "project" | "workspace";

export type DigestJson = {
  /** Ids and names. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, unknown>>;
  /** The user's instructions for the project. */
  readonly instructions: string;
};

type DigestScope = {
  readonly projectId: string | null;
  readonly focusId: string | null;
  readonly mode: string;
};

export type DigestRequest = {
  readonly ownerId: string;
  readonly threadId: string;
  /** Others read the thread, so only its project may be in the digest. */
  readonly isShared?: boolean;
  readonly scope: DigestScope | undefined;
  readonly profile: string;
  /** Recent messages; rows that match them score higher. */
  readonly exchange: string;
  /** `Digest.at` of the digests that the prompt already has, by name. */
  readonly included: ReadonlyMap<string, string>;
  /** null: unknown. */
  readonly windowTokens: number | null;
  readonly wantsData: boolean;
};

/** The thread's mode; else by its project or focus; else all projects for the `project` profile. null: no digest. */
export function chooseMode(place: DigestScope | undefined, profile: string): ContextMode | null {
  const { projectId = null, focusId = null, mode = "" } = place ?? {};
  if (projectId === null) {
    if (mode === "ontology") return "ontology";
    return mode !== "" || profile === "project" ? "global" : null;
  }
  if (mode === "global" || mode === "project" || mode === "ontology") return mode;
  return focusId === null ? "project" : "focus";
}
