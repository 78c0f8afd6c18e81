import type { ThreadEvent, MessageHead } from "../../../protocol/events.ts";
import { applyEvent, emptyThreadView, textOf, type ThreadView } from "../../../protocol/fold.ts";
import { isTerminal, type Part } from "../../../protocol/parts.ts";
import type { RunView } from "../../../protocol/run.ts";
import type { StreamEvent } from "../../support/server/event-stream.ts";
import { checkEffects } from "./check-effects.ts";
import type { Act, Findings, History, ThreadHistory } from "./history.ts";
import { toAnswer } from "./script.ts";

/** Finds all errors in a history. Pure, so that each kind of damage can be tested. */
export function checkHistory(history: History): Findings {
  const findings: FindingLists = { lost: [], doubled: [], stuck: [], contradicted: [] };
  for (const thread of history.threads) {
    const story = toStory(thread.log);
    const acts = history.acts.filter((act) => act.threadId === thread.threadId);
    checkActs(acts, thread, story, findings);
    checkReceived(thread, story, findings);
    checkRuns(story, findings);
    checkAnswers(acts, story, findings);
    checkSnapshot(thread, findings);
    checkEffects(story.parts(), history, findings);
  }
  return findings;
}

export type FindingLists = { [K in keyof Findings]: string[] };

type Event = { readonly seq: number; readonly event: ThreadEvent };

/** A thread's log, indexed. */
type Story = {
  readonly bySeq: ReadonlyMap<number, string>;
  readonly added: ReadonlyMap<string, readonly MessageHead[]>;
  readonly started: ReadonlyMap<string, number>;
  readonly ended: ReadonlyMap<string, readonly RunView[]>;
  readonly partsOf: (messageId: string) => readonly Part[];
  readonly parts: () => readonly Part[];
  readonly events: readonly Event[];
};

function toStory(log: readonly StreamEvent[]): Story {
  const events = log.map(({ seq, body }) => ({ seq, event: JSON.parse(body) as ThreadEvent }));
  const heads = events.flatMap(({ event }) => (event.type === "message-added" ? [event.message] : []));
  const started = new Map<string, number>();
  const messages = new Map<string, Map<string, Part>>();
  for (const { event } of events) {
    if (event.type === "run-started") started.set(event.run.id, (started.get(event.run.id) ?? 0) + 1);
    if (event.type !== "part-settled") continue;
    const parts = messages.get(event.messageId) ?? new Map<string, Part>();
    messages.set(event.messageId, parts.set(event.part.id, event.part));
  }
  const partsOf = (messageId: string) => [...(messages.get(messageId)?.values() ?? [])].toSorted((a, b) => a.n - b.n);
  return {
    bySeq: new Map(log.map(({ seq, body }) => [seq, body])),
    added: Map.groupBy(heads, ({ id }) => id),
    started,
    ended: Map.groupBy(
      events.flatMap(({ event }) => (event.type === "run-ended" ? [event.run] : [])),
      ({ id }) => id,
    ),
    partsOf,
    parts: () => [...messages.keys()].flatMap(partsOf),
    events,
  };
}

/** Every acknowledged action is stored exactly once; an action whose response was lost at most once. */
function checkActs(acts: readonly Act[], { inputs, snapshot }: ThreadHistory, story: Story, found: FindingLists): void {
  for (const { id, kind, text, state } of acts) {
    const name = `${kind} ${id}`;
    const times = story.added.get(id)?.length ?? 0;
    if (state === "acknowledged" && !inputs.has(id)) found.lost.push(`${name} was acknowledged and is gone`);
    if (kind !== "message" && kind !== "edit") continue;
    if (times > 1) found.doubled.push(`${name} stands ${times} times in the thread`);
    if (times === 0 && inputs.has(id) && !snapshot.queue.some((input) => input.id === id)) {
      found.lost.push(`${name} is neither in the thread nor in the queue`);
    }
    const [said] = story.partsOf(id);
    if (times > 0 && (said?.kind !== "text" || said.text !== text)) found.contradicted.push(`${name} has other words`);
  }
  for (const input of snapshot.queue) found.stuck.push(`${input.kind} ${input.id} still waits`);
}

/** Received events keep their seq and content. Only transient events may be gone. */
function checkReceived({ received }: ThreadHistory, story: Story, found: FindingLists): void {
  const spoken = new Map<string, string>();
  let last = 0;
  for (const { seq, body } of received) {
    if (seq <= last) found.doubled.push(`event ${seq} was given again after ${last}`);
    last = Math.max(last, seq);
    const event = JSON.parse(body) as ThreadEvent;
    const stored = story.bySeq.get(seq);
    if (stored === undefined && !isPassing(event))
      found.lost.push(`event ${seq} (${event.type}) was shown and is gone`);
    if (stored !== undefined && stored !== body)
      found.contradicted.push(`event ${seq} (${event.type}) was shown otherwise`);
    if (event.type === "text-delta") spoken.set(event.partId, (spoken.get(event.partId) ?? "") + event.text);
  }
  const texts = new Map(story.parts().flatMap((part) => ("text" in part ? [[part.id, part.text]] : [])));
  for (const [partId, text] of spoken) {
    const whole = texts.get(partId);
    if (whole === undefined) found.lost.push(`the words of part ${partId} were shown and are gone`);
    else if (!whole.startsWith(text)) found.contradicted.push(`part ${partId} is "${whole}", but began as "${text}"`);
  }
}

const isPassing = (event: ThreadEvent): boolean =>
  event.type === "text-delta" ||
  event.type === "tool-input-delta" ||
  (event.type === "part-settled" && event.part.kind === "tool" && !isTerminal(event.part.state));

/** Every run starts and ends once, writes nothing after its end, and all its tool calls are settled. */
function checkRuns(story: Story, found: FindingLists): void {
  const over = new Set<string>();
  for (const { seq, event } of story.events) {
    if (event.type === "run-ended") over.add(event.run.messageId);
    const of = "messageId" in event ? event.messageId : undefined;
    if (of !== undefined && over.has(of)) found.contradicted.push(`event ${seq} (${event.type}) writes after the end`);
  }
  for (const [runId, times] of story.started) {
    const ends = story.ended.get(runId) ?? [];
    if (times > 1 || ends.length > 1) found.doubled.push(`run ${runId} began ${times} times and ended ${ends.length}`);
    if (ends.length === 0) found.stuck.push(`run ${runId} has not ended`);
    const [end] = ends;
    if (end && end.outcome !== "done" && end.outcome !== "stopped") {
      found.contradicted.push(`run ${runId} ended as ${end.outcome}: ${end.reason?.text ?? ""}`);
    }
  }
  for (const part of story.parts()) {
    if (part.kind === "tool" && !isTerminal(part.state)) found.stuck.push(`call ${part.id} stays ${part.state}`);
    if ((part.kind === "text" || part.kind === "reasoning") && part.state === "streaming")
      found.stuck.push(`part ${part.id} streams`);
  }
}

/** An answer that was not stopped has exactly the text of its script, regardless of the number of attempts. */
function checkAnswers(acts: readonly Act[], story: Story, found: FindingLists): void {
  const heads = [...story.added.values()].flat();
  for (const { id, kind, text } of acts) {
    const [question] = story.added.get(id) ?? [];
    if (!question || (kind !== "message" && kind !== "edit")) continue;
    const { branchId, depth } = question;
    const answer = heads.find((head) => head.branchId === branchId && head.depth === depth + 1);
    const [end] = story.ended.get(answer?.runId ?? "") ?? [];
    const isSteered = heads.filter(({ runId }) => runId === answer?.runId).length > 1;
    if (!answer || end?.outcome !== "done" || isSteered) continue;
    const [said, meant] = [textOf(story.partsOf(answer.id)), toAnswer(text)];
    if (said === meant) continue;
    found[said.length > meant.length ? "doubled" : "lost"].push(`the answer to ${id} is "${said}", not "${meant}"`);
  }
}

/** The fold of the log equals the server's view. */
function checkSnapshot({ threadId, log, snapshot }: ThreadHistory, found: FindingLists): void {
  const view = log.reduce(
    (next, { seq, body }) => applyEvent(next, seq, JSON.parse(body) as ThreadEvent),
    emptyThreadView,
  );
  if (!isShown(view, snapshot)) found.contradicted.push(`thread ${threadId} is shown otherwise than its log tells`);
}

/** True if a followed view equals a loaded one. A view that is marked stale is not compared. */
export function isShown(view: ThreadView, { messages, queue, run }: ThreadHistory["snapshot"]): boolean {
  if (view.stale) return true;
  const [followed, loaded] = [
    { ...view, messages: view.messages.slice(-messages.length) },
    { messages, queue, run },
  ].map((one) =>
    JSON.stringify({
      messages: one.messages.map(({ id, parts }) => ({ id, parts: parts.map(sorted) })),
      queue: one.queue.map(({ id }) => id),
      run: one.run && { id: one.run.id, state: one.run.state, step: one.run.step },
    }),
  );
  return followed === loaded;
}

const sorted = (part: Part): unknown =>
  Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
