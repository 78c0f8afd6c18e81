import type { LogEvent } from "../../protocol/events.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import type { RowOf } from "../store/schema.ts";
import { findNewestRun, isContinuable } from "../thread/snapshot.ts";
import type { Delivery, Planned } from "./deliver.ts";
import type { RunDeps } from "./running.ts";
import { toRunRow, toRunState, type RunState } from "./state.ts";

/** The input is taken, whatever becomes of it. */
export type Continuation = Delivery | { readonly state: null; readonly toBatch: () => Planned };

/**
 * *Continue*: the run that ended early goes on in its own message, with as much room again. Its message is
 * the last of the active path, whichever variant that is. Text that was cut off is joined to.
 */
export async function planContinuation(
  deps: RunDeps,
  thread: RowOf<"threads">,
  input: RowOf<"inputs">,
): Promise<Continuation> {
  const taken = {
    do: "update",
    table: "inputs",
    set: { state: "done" },
    where: { thread: thread.id, id: input.id, state: "queued" },
    expectOne: true,
  } as const;
  const row = await findNewestRun(deps.store.read, thread);
  const left = row && toRunState(row);
  if (!left || !(await isContinuable(deps.store.read, row))) {
    return { state: null, toBatch: () => ({ events: [], writes: [taken] }) };
  }
  const step = left.view.step + 1;
  const state: RunState = {
    ...left,
    view: { ...left.view, state: "running", outcome: null, reason: null, endedAt: null, step },
    extended: (left.extended ?? 0) + 1,
    countedFrom: deps.clock.now(),
    recoveries: 0,
    continues: isCutOff(left.view) && deps.models.find(left.model)?.info.provider !== "offline",
    at: { kind: "ready", step, tries: [], model: left.model, notBefore: 0 },
  };
  const changed: LogEvent = { type: "thread-changed", threadId: thread.id, patch: { status: "streaming" } };
  const stream = threadStream(thread.id);
  return {
    state,
    toBatch: (begun) => ({
      events: [
        { stream, event: { type: "run-started", run: begun.view } },
        { stream, event: changed },
        { stream: userStream(thread.owner), event: changed },
      ],
      writes: [
        taken,
        {
          do: "update",
          table: "runs",
          set: { ...toRunRow(begun), stop: 0, waiting: 0 },
          where: { id: state.view.id, ended: 1 },
          expectOne: true,
        },
        { do: "update", table: "threads", set: { status: "streaming" }, where: { id: thread.id } },
      ],
    }),
  };
}

/** A limit of the run itself ends with a whole answer, made from what was there. */
const isCutOff = ({ outcome, reason }: RunState["view"]): boolean =>
  outcome !== "limit" || (reason?.code.startsWith("ended-") === true && reason.code !== "ended-without-answer");
