import type { Clock } from "../lib/clock.ts";
import { countTokens } from "../lib/tokens.ts";
import type { Reads } from "../store/contract.ts";
import { createCache } from "./digest/cache.ts";
import type { Focus, Gathered } from "./digest/gather.ts";
import { loadGlobal } from "./digest/load-global.ts";
import { loadProject } from "./digest/load-project.ts";
import { chooseMode, type Digest, type DigestRequest } from "./digest/shape.ts";

export { chooseMode, type Digest, type DigestJson, type DigestName, type DigestRequest } from "./digest/shape.ts";

/**
 * WHAT THE MODEL IS TOLD OF THE WORK. In: where a thread belongs, what is talked about, and what its prompt tells already. Out: a
 * block for the project and one for its files, within a budget, with what changed since. It never writes, and never fails: what
 * cannot be read is told by its ids, said so, and tried again by the next call.
 */
export type Digests = { readonly load: (request: DigestRequest) => Promise<readonly Digest[]> };

const LIVES_MS = 2 * 60_000;
const MOST_HELD = 64;
/** Lines are much the same from one call to the next. */
const MOST_LINES = 20_000;
const LONGEST_LINE = 500;

export type DigestTools = {
  readonly read: Reads;
  readonly clock: Clock;
  readonly count: (line: string) => number;
  readonly onError: (error: unknown) => void;
  readonly gathered: ReturnType<typeof createCache<Gathered>>;
  readonly focused: ReturnType<typeof createCache<Focus | undefined>>;
};

type Options = {
  readonly read: Reads;
  readonly clock: Clock;
  /** What could not be read is told to the log, too. */
  readonly onError: (error: unknown) => void;
};

export function createDigests({ read, clock, onError }: Options): Digests {
  const tools: DigestTools = {
    read,
    clock,
    count: createLineCounter(),
    onError,
    gathered: createCache<Gathered>({ clock, livesMs: LIVES_MS, most: MOST_HELD }),
    focused: createCache<Focus | undefined>({ clock, livesMs: LIVES_MS, most: MOST_HELD }),
  };
  return {
    load: async (request) => {
      const mode = chooseMode(request.place, request.profile);
      if (mode === null) return [];
      const projectId = request.place?.projectId ?? null;
      return projectId === null || mode === "global"
        ? loadGlobal(tools, request, mode)
        : loadProject(tools, request, { mode, projectId });
    },
  };
}

function createLineCounter(): (line: string) => number {
  const counted = new Map<string, number>();
  return (line) => {
    if (line.length > LONGEST_LINE) return countTokens(line);
    let tokens = counted.get(line);
    if (tokens === undefined) {
      if (counted.size >= MOST_LINES) counted.clear();
      counted.set(line, (tokens = countTokens(line)));
    }
    return tokens;
  };
}
