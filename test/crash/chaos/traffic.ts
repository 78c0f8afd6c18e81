import { setTimeout as pause } from "node:timers/promises";
import { ApiError, type Client } from "../../../protocol/client.ts";
import { textOf, type ThreadView } from "../../../protocol/fold.ts";
import { followThread, type Follower } from "../../support/server/event-stream.ts";
import type { Act } from "./history.ts";
import { createScript, pick } from "./script.ts";

/** People who go on talking whatever happens to the server: several threads, each always with something to answer. */
export type Traffic = {
  readonly acts: readonly Act[];
  readonly threads: readonly TalkedThread[];
  /** Answers by which the server refused an act, with their counts. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Answers that were parked, and retried. */
  readonly parked: () => number;
  /** Sends nothing more; resolves when every act under way has been answered or given up. */
  readonly stop: () => Promise<void>;
};

export type TalkedThread = { readonly threadId: string; readonly follower: Follower };

type Options = {
  readonly url: string;
  readonly client: Client;
  readonly random: () => number;
  readonly threads: number;
  /** Resolves when there is a server to talk to. */
  readonly up: () => Promise<void>;
  readonly onEvent: (threadId: string) => void;
};

/** A thread is left for a fresh one after this many acts, so that late cycles cost no more than early ones. */
const ACTS_PER_THREAD = 40;
/** So many may be unanswered in a thread at once: one runs, the others wait. */
const UNANSWERED = 3;
const FOREVER_MS = 2 ** 31 - 1;
const STOP_LIMIT_MS = 60_000;

export function createTraffic({ url, client, random, threads: count, up, onEvent }: Options): Traffic {
  const acts: Act[] = [];
  const threads: TalkedThread[] = [];
  const refusals = new Map<string, number>();
  let stopping = false;
  let next = 0;
  let parked = 0;

  /** True when the server took it. Asked again under the same id until it answers, but for a few who give up. */
  const insist = async (ask: () => Promise<unknown>, givesUp: boolean): Promise<boolean | "unknown"> => {
    for (;;) {
      await up();
      try {
        await ask();
        return true;
      } catch (error) {
        if (error instanceof ApiError) {
          refusals.set(error.code, (refusals.get(error.code) ?? 0) + 1);
          if (error.code !== "unavailable") return false;
        }
        if (givesUp) return "unknown";
      }
    }
  };

  const openThread = async (): Promise<TalkedThread> => {
    const threadId = `thread-${(next += 1)}`;
    await insist(() => client.createThread({ body: { id: threadId, model: "scripted/script" } }), false);
    const follower = followThread({
      url,
      threadId,
      onEvent: ({ body }) => {
        if (body.includes('"state":"parked"')) retryParked(threadId);
        onEvent(threadId);
      },
    });
    const thread = { threadId, follower };
    threads.push(thread);
    return thread;
  };

  /** Random kills may hit one step three times: a user presses Retry. */
  const retryParked = (threadId: string): void => {
    parked += 1;
    const id = `retry-${(next += 1)}`;
    void insist(() => client.retryRun({ params: { threadId }, body: { id } }), false);
  };

  const act = async ({ threadId, follower }: TalkedThread): Promise<void> => {
    const id = `act-${(next += 1)}`;
    const plan = choose(follower.view(), id);
    const { kind, text, ask } = plan(client, { threadId, id });
    const took = await insist(ask, random() < 0.2);
    if (took !== false) acts.push({ threadId, id, kind, text, state: took === true ? "acknowledged" : "unknown" });
  };

  const choose = (view: ThreadView, id: string): Plan => {
    const dice = random();
    const script = createScript(random, id);
    const question = view.messages.findLast(({ role }) => role === "user");
    const answer = view.messages.findLast(({ role }) => role === "assistant");
    if (dice < 0.04 && question) return edit(question.id, script.text);
    if (dice < 0.08 && answer && question && !/call /.test(textOf(question.parts))) return regenerate(answer.id);
    if (dice < 0.12) return stop;
    return send(script.text, pick(random, ["queue", "queue", "queue", "queue", "steer"]));
  };

  const talk = async (): Promise<void> => {
    while (!stopping) {
      const thread = await openThread();
      for (let acted = 0; acted < ACTS_PER_THREAD && !stopping; acted += 1) {
        await act(thread);
        await thread.follower.until((view) => stopping || countOpen(view) < UNANSWERED, FOREVER_MS);
      }
      await thread.follower.until((view) => stopping || countOpen(view) === 0, FOREVER_MS);
      if (!stopping) thread.follower.close();
    }
  };

  const talkers = Array.from({ length: count }, talk);
  return {
    acts,
    threads,
    refusals,
    parked: () => parked,
    stop: async () => {
      stopping = true;
      // A server that loses what it acknowledged, as the control does, may leave one waiting for an event that never comes.
      await Promise.race([Promise.all(talkers), pause(STOP_LIMIT_MS, null, { ref: false })]);
    },
  };
}

export const countOpen = ({ run, queue }: Pick<ThreadView, "run" | "queue">): number =>
  queue.length + (run?.state === "running" || run?.state === "parked" ? 1 : 0);

type Place = { readonly threadId: string; readonly id: string };
type Plan = (
  client: Client,
  place: Place,
) => { readonly kind: Act["kind"]; readonly text: string; readonly ask: () => Promise<unknown> };

const send =
  (text: string, mode: "queue" | "steer"): Plan =>
  (client, { threadId, id }) => ({
    kind: "message",
    text,
    ask: () => client.sendMessage({ params: { threadId }, body: { id, text, mode } }),
  });

const edit =
  (messageId: string, text: string): Plan =>
  (client, { threadId, id }) => ({
    kind: "edit",
    text,
    ask: () => client.editMessage({ params: { threadId, messageId }, body: { id, text } }),
  });

const regenerate =
  (messageId: string): Plan =>
  (client, { threadId, id }) => ({
    kind: "regenerate",
    text: "",
    ask: () => client.regenerateMessage({ params: { threadId, messageId }, body: { id } }),
  });

const stop: Plan = (client, { threadId, id }) => ({
  kind: "stop",
  text: "",
  ask: () => client.stopRun({ params: { threadId }, body: { id } }),
});
