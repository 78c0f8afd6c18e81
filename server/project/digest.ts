import type { Clock } from "../lib/clock.ts";
import { countTokens } from "../lib/tokens.ts";
import type { Reads } from "../store/contract.ts";
import type { Focus, ProjectSnapshot } from "./digest/snapshot.ts";
import { loadGlobal } from "./digest/load-global.ts";
import { loadProject } from "./digest/load-project.ts";
import { chooseMode, type Digest, type DigestRequest } from "./digest/shape.ts";

export { chooseMode, type Digest, type DigestJson, type DigestName, type DigestRequest } from "./digest/shape.ts";

/**
 * Project digests: the project state given to the model. Takes the thread's scope, the recent exchange and the digests already in
 * the prompt. Returns a block for the project and one for its files, within a token budget, and the changes since the last one.
 * Never writes and never throws: if the project cannot be read, the block has only its ids and says so; the next call tries again.
 */
export type Digests = { readonly load: (request: DigestRequest) => Promise<readonly Digest[]> };

const MAX_CACHED = 64;
/** Token counts are cached by line: most lines repeat from call to call. */
const MAX_LINES = 20_000;
const MAX_CACHED_LINE = 500;

export type DigestTools = {
  readonly read: Reads;
  readonly clock: Clock;
  readonly count: (line: string) => number;
  readonly onError: (error: unknown) => void;
  readonly documentDepth: number;
  readonly snapshots: ReturnType<typeof createCache<ProjectSnapshot>>;
  readonly focuses: ReturnType<typeof createCache<Focus | undefined>>;
};

type Options = {
  readonly read: Reads;
  readonly clock: Clock;
  /** Called with read errors, which `load` does not throw. */
  readonly onError: (error: unknown) => void;
  /** How long project data is cached. */
  readonly livesMs?: number;
  /** Levels of documents in the digest of all projects. */
  readonly documentDepth?: number;
};

export function createDigests({ read, clock, onError, livesMs = 2 * 60_000, documentDepth = 2 }: Options): Digests {
  const tools: DigestTools = {
    read,
    clock,
    count: createLineCounter(),
    onError,
    documentDepth,
    snapshots: createCache<ProjectSnapshot>({ clock, livesMs, most: MAX_CACHED }),
    focuses: createCache<Focus | undefined>({ clock, livesMs, most: MAX_CACHED }),
  };
  return {
    load: async (request) => {
      const mode = chooseMode(request.scope, request.profile);
      if (mode === null) return [];
      const projectId = request.scope?.projectId ?? null;
      return projectId === null || (mode === "global" && !request.isShared)
        ? loadGlobal(tools, request, mode)
        : loadProject(tools, request, { mode: mode === "global" ? "project" : mode, projectId });
    },
  };
}

function createLineCounter(): (line: string) => number {
  const counted = new Map<string, number>();
  return (line) => {
    if (line.length > MAX_CACHED_LINE) return countTokens(line);
    let tokens = counted.get(line);
    if (tokens === undefined) {
      if (counted.size >= MAX_LINES) counted.clear();
      counted.set(line, (tokens = countTokens(line)));
    }
    return tokens;
  };
}

type Entry<T> = { readonly seq: number; readonly at: number; readonly value: T };

/**
 * Caches project data, so that a burst of calls reads it once. Each use passes the project's current seq; a
 * write on any node changes the seq and so invalidates the entry.
 */
function createCache<T>({ clock, livesMs, most }: { clock: Clock; livesMs: number; most: number }) {
  const entries = new Map<string, Entry<T>>();
  return {
    /** `load` gets the previous entry, parts of which may still be valid, and its seq. */
    get: async (key: string, seq: number, load: (cached: Entry<T> | undefined) => Promise<T>): Promise<T> => {
      const now = clock.now();
      const cached = entries.get(key);
      const isFresh = cached !== undefined && now - cached.at < livesMs && cached.at <= now;
      if (isFresh && cached.seq === seq) return cached.value;
      const value = await load(isFresh && cached.seq < seq ? cached : undefined);
      entries.delete(key);
      entries.set(key, { seq, at: now, value });
      for (const oldest of entries.keys()) {
        if (entries.size <= most) break;
        entries.delete(oldest);
      }
      return value;
    },
  };
}
