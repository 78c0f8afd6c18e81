import type { LogEvent } from "../../protocol/events.ts";
import { threadStream } from "../../protocol/ids.ts";
import type { RowOf } from "../store/schema.ts";
import { findNewestRun, isContinuable } from "../thread/snapshot.ts";
import { threadListStream } from "../thread/shared.ts";
import { toAsker, type Delivery, type BatchContent } from "./deliver.ts";
import { toRunProfile } from "./own-profiles.ts";
import type { RunDeps } from "./run-context.ts";
import { toRunRow, toRunState, type RunState } from "./state.ts";
import { runWaiting } from "../store/contract.ts";

/** `state: null`: the input is consumed without starting a run. */
export type Continuation = Delivery | { readonly state: null; readonly toBatch: () => BatchContent };

/**
 * *Continue*: the run that ended early continues in the same message, with its limits extended. The message is the last one
 * of the active path. Text that was cut off is continued.
 */
export async function planContinuation(
  deps: RunDeps,
  thread: RowOf<"threads">,
  input: RowOf<"inputs">,
): Promise<Continuation> {
  const consumeInput = {
    do: "update",
    table: "inputs",
    set: { state: "done" },
    where: { thread: thread.id, id: input.id, state: "queued" },
    expectOne: true,
  } as const;
  const row = await findNewestRun(deps.store.read, thread);
  const previous = row && toRunState(row);
  if (!previous || !(await isContinuable(deps.store.read, row))) {
    return { state: null, toBatch: () => ({ events: [], writes: [consumeInput] }) };
  }
  const step = previous.view.step + 1;
  const state: RunState = {
    ...ofAsker(previous, thread, input),
    view: { ...previous.view, state: "running", outcome: null, reason: null, endedAt: null, step },
    extended: (previous.extended ?? 0) + 1,
    countedFrom: deps.clock.now(),
    recoveries: 0,
    continues:
      isCutOff(previous.view) &&
      deps.models.forUser(previous.ownerId).find(previous.model)?.info.provider !== "offline",
    at: { kind: "ready", step, tries: [], model: previous.model, notBefore: 0 },
  };
  const changed: LogEvent = { type: "thread-changed", threadId: thread.id, patch: { status: "streaming" } };
  const stream = threadStream(thread.id);
  return {
    state,
    toBatch: (begun) => ({
      events: [
        { stream, event: { type: "run-started", run: begun.view } },
        { stream, event: changed },
        { stream: threadListStream(thread), event: changed },
      ],
      writes: [
        consumeInput,
        {
          do: "update",
          table: "runs",
          set: { ...toRunRow(begun), stop: 0, waiting: runWaiting.no },
          where: { id: state.view.id, ended: 1 },
          expectOne: true,
        },
        {
          do: "update",
          table: "threads",
          set: { status: "streaming" },
          where: { id: thread.id, shared: thread.shared },
          expectOne: true,
        },
      ],
    }),
  };
}

/** The run continues with the rights of the user who continues it. If the thread was shared since, it gets new tools and context. */
function ofAsker(previous: RunState, thread: RowOf<"threads">, input: RowOf<"inputs">): RunState {
  const { shared: wasShared = false, ownerId: _, ...rest } = previous;
  const asker = toAsker(thread, input);
  if (wasShared === (asker.shared ?? false)) return { ...rest, ...asker };
  const { offered: __, toolTokens: ___, turnContext: ____, untrusted: _____, ...fresh } = rest;
  return { ...fresh, ...asker, profile: toRunProfile(thread), ...toScope(thread) };
}

const toScope = ({ project, focus, mode }: RowOf<"threads">): Pick<RunState, "scope"> =>
  project === null && mode === "" ? {} : { scope: { projectId: project, focusId: focus, mode } };

/** False if the run reached a configured limit: then it ended with a complete answer. */
const isCutOff = ({ outcome, reason }: RunState["view"]): boolean =>
  outcome !== "limit" || (reason?.code.startsWith("ended-") === true && reason.code !== "ended-without-answer");
