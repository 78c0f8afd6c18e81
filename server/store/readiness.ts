import { systemClock } from "../lib/clock.ts";
import { randomKey } from "../lib/random.ts";
import { StorageFull, Unavailable, type DamagedPageError } from "./failure.ts";

/** Whether the database takes writes, from the writes that are made anyway and a probe when there were none. */
type Readiness = {
  /** Notes whether a write succeeded. */
  readonly watch: <T>(write: Promise<T>) => Promise<T>;
  readonly reportDamage: (error: DamagedPageError) => void;
  readonly isDamaged: () => boolean;
  /** Rejects with the reason when the database is damaged or takes no writes. */
  readonly check: () => Promise<void>;
};

/** A write that succeeded this recently needs no probe. */
const FRESH_MS = 5_000;
/** How long a failed disk read counts: it may not happen again. Damage counts until the file is replaced. */
const READ_FAILURE_MS = 60_000;
/** After "disk full" a small write could still fit into space that is already allocated. */
const LARGE_PROBE_BYTES = 200_000;
const SMALL_PROBE_BYTES = 8;

type Options = {
  /** Writes this text in place of the one before it, durably. */
  readonly probe: (text: string) => Promise<unknown>;
  readonly monotonic?: () => number;
};

export function createReadiness({ probe, monotonic = systemClock.monotonic }: Options): Readiness {
  let writeFailure: Error | undefined;
  let lastWriteAt = -Infinity;
  let damage: { readonly error: DamagedPageError; readonly at: number } | undefined;
  let probing: Promise<unknown> | undefined;

  const watch = async <T>(write: Promise<T>): Promise<T> => {
    try {
      const result = await write;
      lastWriteAt = monotonic();
      return result;
    } catch (error) {
      if (error instanceof Unavailable || error instanceof StorageFull) writeFailure = error;
      throw error;
    }
  };

  const probeWrite = async (): Promise<void> => {
    if (writeFailure) await probe(randomKey(LARGE_PROBE_BYTES));
    await watch(probe(randomKey(SMALL_PROBE_BYTES)));
    // Not cleared by other writes: a commit whose conditions do not hold succeeds without touching the disk.
    writeFailure = undefined;
  };

  return {
    watch,
    reportDamage: (error) => {
      if (damage?.error.isPermanent && !error.isPermanent) return;
      damage = { error, at: monotonic() };
    },
    isDamaged: () => damage?.error.isPermanent === true,
    check: async () => {
      if (damage && (damage.error.isPermanent || monotonic() - damage.at < READ_FAILURE_MS)) throw damage.error;
      if (!writeFailure && monotonic() - lastWriteAt < FRESH_MS) return;
      await (probing ??= probeWrite().finally(() => (probing = undefined)));
    },
  };
}
