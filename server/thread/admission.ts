import type { Sources } from "../../protocol/context/untrusted.ts";
import { ApiError } from "../../protocol/errors.ts";
import { threadStream } from "../../protocol/ids.ts";
import { findThreadAccess } from "../auth/access.ts";
import { authorize } from "../auth/authorize.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log, LogEntry } from "../log/log.ts";
import type { ModelAccess } from "../model/model-access.ts";
import type { Models } from "../model/model.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { hashOf } from "../lib/content-hash.ts";
import { toAuthorColumns, type InputBody } from "./rows.ts";
import { findAuthor, planStillAllowed } from "./shared.ts";
import type { Threads } from "./threads.ts";

export type AdmitOptions = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "get">;
  readonly models: Pick<Models, "forUser">;
  /** Default: every user may use every model. */
  readonly access?: ModelAccess | undefined;
  readonly clock: Clock;
  /**
   * Called with a message when its admission is queued for commit, so that the runner can prepare the answer. Batches that the
   * callback commits come after the admission, which may still be rejected.
   */
  readonly onQueued?: (input: RowOf<"inputs">) => void;
};

export type AcceptedInput = { id: string; seq: number };

/** A user action with the rows and events that are committed together with its input row. */
type UserAction = {
  readonly id: string;
  readonly kind:
    | "message"
    | "edit"
    | "regenerate"
    | "change"
    | "activate"
    | "stop"
    | "decide"
    | "answer"
    | "continue"
    | "retry";
  readonly mode?: "queue" | "steer";
  readonly state: "queued" | "done";
  readonly body: InputBody | object;
  /** Stored with the body. The same text from another program is the same request. */
  readonly untrusted?: Sources;
  readonly events: readonly LogEntry[];
  readonly writes: readonly Write[];
  /** Throws an ApiError for an action that cannot be admitted. Skipped when the same action was admitted before. */
  readonly check?: () => Promise<void>;
};

export type Admission = (principal: Principal, thread: RowOf<"threads">, action: UserAction) => Promise<AcceptedInput>;

/** Commits an action once: a repeated request with the same id and content gets the first result. */
export function createAdmission({ store, log, clock, onQueued }: Omit<AdmitOptions, "threads" | "models">): Admission {
  const { read } = store;

  return async (principal, thread, action) => {
    const hash = hashOf({ kind: action.kind, mode: action.mode, body: action.body });
    const known = await read.input(thread.id, action.id);
    if (known) return repeat(known, hash);
    try {
      await action.check?.();
    } catch (error) {
      // Another request with this id, perhaps on another node, was admitted after the read above.
      const winner = await read.input(thread.id, action.id);
      if (winner) return repeat(winner, hash);
      throw error;
    }
    const head = action.events.length ? 0 : (await read.lease(threadStream(thread.id))).head;
    const row = {
      thread: thread.id,
      id: action.id,
      kind: action.kind,
      mode: action.mode ?? "queue",
      hash,
      body: JSON.stringify(action.untrusted?.length ? { ...action.body, untrusted: action.untrusted } : action.body),
      state: action.state,
      seq: action.events.length ? { seqOf: 0 } : head,
      created_at: clock.now(),
      ...toAuthorColumns(await findAuthor(read, principal, thread)),
    };
    const guard = await planStillAllowed(read, principal, thread);
    const committed = log.commit({
      events: action.events,
      writes: [{ do: "insert", table: "inputs", row }, ...guard, ...action.writes],
      drive: [thread.id],
    });
    if (action.kind === "message") onQueued?.({ ...row, seq: 0 });
    const result = await committed;
    if (result.ok) return { id: action.id, seq: result.seqs[0] ?? head };
    const winner = await read.input(thread.id, action.id);
    if (winner) return repeat(winner, hash);
    const now = await read.thread(thread.id);
    authorize(principal, await findThreadAccess(read, principal.userId, now), "change");
    if (now) throw new ApiError("conflict", "The thread was changed by another request. Reload it and try again.");
    throw new ApiError("not-found", "Not found.");
  };
}

function repeat(known: RowOf<"inputs">, hash: string): AcceptedInput {
  if (known.hash === hash) return { id: known.id, seq: known.seq };
  throw new ApiError("conflict", "This id was already used with different content. Use a new id for a new request.");
}
