import { hostname } from "node:os";
import { VERSION } from "../config/version.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";

/** A server process on this database. */
export type NodeState = {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly startedAt: number;
  readonly seenAt: number;
};

/** Rows of `meta`. Copies and backups leave them out. */
const PREFIX = "node:";
const BEAT_MS = 30_000;
export const LOST_AFTER_MS = 3 * BEAT_MS;
/** A node that stopped without closing is listed as lost for this long. */
const FORGET_AFTER_MS = 24 * 60 * 60_000;

type Options = {
  readonly read: Pick<Reads, "meta" | "metaKeys">;
  readonly log: Pick<Log, "commit">;
  /** The same for all nodes. */
  readonly clock: Clock;
  readonly id: string;
  /** Other processes may use the database, so that each has to leave signs of life. */
  readonly isShared: boolean;
  readonly onError: (error: unknown) => void;
};

/** Signs of life of the nodes on one PostgreSQL database: a row per node, written twice a minute. SQLite has one process. */
export type Nodes = ReturnType<typeof createNodes>;

export function createNodes({ read, log, clock, id, isShared, onError }: Options) {
  const startedAt = clock.now();
  const toState = (): NodeState => ({ id, host: hostname(), version: VERSION, startedAt, seenAt: clock.now() });
  let timer: NodeJS.Timeout | undefined;

  const readStored = async (): Promise<readonly NodeState[]> => {
    const keys = await read.metaKeys(PREFIX);
    const values = await Promise.all(keys.map((key) => read.meta(key)));
    return values.flatMap((value) => (value === undefined ? [] : [JSON.parse(value) as NodeState]));
  };

  const beat = async (): Promise<void> => {
    const state = toState();
    const gone = (await readStored()).filter(({ seenAt }) => state.seenAt - seenAt > FORGET_AFTER_MS);
    const writes: readonly Write[] = [
      { do: "put", table: "meta", row: { key: `${PREFIX}${id}`, value: JSON.stringify(state) } },
      ...gone.map((one): Write => ({ do: "delete", table: "meta", where: { key: `${PREFIX}${one.id}` } })),
    ];
    await log.commit({ events: [], writes });
  };

  return {
    id,
    startedAt,
    start: async (): Promise<void> => {
      if (!isShared) return;
      await beat();
      timer = setInterval(() => void beat().catch(onError), BEAT_MS).unref();
    },
    /** This node first, then the others, the latest sign of life first. */
    list: async (): Promise<readonly NodeState[]> => {
      const others = isShared ? (await readStored()).filter((one) => one.id !== id) : [];
      return [toState(), ...others.toSorted((a, b) => b.seenAt - a.seenAt)];
    },
    close: async (): Promise<void> => {
      clearInterval(timer);
      if (!isShared) return;
      // Without the database the row stays, and the node is listed as lost.
      await log
        .commit({ events: [], writes: [{ do: "delete", table: "meta", where: { key: `${PREFIX}${id}` } }] })
        .catch(() => {});
    },
  };
}
