import { setTimeout as pause } from "node:timers/promises";
import { ResponseError, type Client } from "../../../protocol/client.ts";
import { textOf, type ThreadView } from "../../../protocol/fold.ts";
import { followThread, type Follower } from "../../support/server/event-stream.ts";
import type { Act } from "./history.ts";
import { createScript, pick } from "./script.ts";

/** Clients that keep sending messages while the server fails: several threads, each always with unanswered messages. */
export type Traffic = {
  readonly acts: readonly Act[];
  readonly threads: readonly TalkedThread[];
  /** Counts of error responses. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Answers that were parked and retried. */
  readonly parked: () => number;
  /** Stops sending. Resolves when every open request has a response or was given up. */
  readonly stop: () => Promise<void>;
};

export type TalkedThread = { readonly threadId: string; readonly follower: Follower };

type Options = {
  readonly url: string;
  readonly client: Client;
  readonly random: () => number;
  readonly threads: number;
  /** Resolves when a server is running. */
  readonly up: () => Promise<void>;
  readonly onEvent: (threadId: string) => void;
};

/** A thread is replaced by a new one after this many actions, so that late cycles cost no more than early ones. */
const ACTS_PER_THREAD = 40;
/** Maximum unanswered messages per thread: one runs, the others are queued. */
const UNANSWERED = 3;
const FOREVER_MS = 2 ** 31 - 1;
const STOP_LIMIT_MS = 180_000;

export function createTraffic({ url, client, random, threads: count, up, onEvent }: Options): Traffic {
  const acts: Act[] = [];
  const threads: TalkedThread[] = [];
  const refusals = new Map<string, number>();
  let stopping = false;
  let next = 0;
  let parked = 0;

  /** True if the server accepted it. Repeats the request with the same id until there is a response; a few requests are given up. */
  const insist = async (ask: () => Promise<unknown>, givesUp: boolean): Promise<boolean | "unknown"> => {
    for (;;) {
      await up();
      try {
        await ask();
        return true;
      } catch (error) {
        if (error instanceof ResponseError) {
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

  /** Random kills may interrupt one step three times. Then the user chooses Retry. */
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

  const chat = async (): Promise<void> => {
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

  const chats = Array.from({ length: count }, chat);
  return {
    acts,
    threads,
    refusals,
    parked: () => parked,
    stop: async () => {
      stopping = true;
      // If the server loses acknowledged data, as in the control, the expected event may never arrive.
      await Promise.race([Promise.all(chats), pause(STOP_LIMIT_MS, null, { ref: false })]);
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
