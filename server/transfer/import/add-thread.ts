import { threadStream, userStream } from "../../../protocol/ids.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log, LogEntry } from "../../log/log.ts";
import type { Models } from "../../model/model.ts";
import type { Store, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toSummary } from "../../thread/rows.ts";
import type { ImportTarget, ReadReply } from "../items.ts";
import { hashId, toId } from "../read/foreign.ts";
import { createFiles } from "./files.ts";
import { sourcesOf, toProgress, type Line } from "./progress.ts";
import { planRows } from "./rows.ts";
import {
  IN_UNIT,
  publishThread,
  stagingOwner,
  stageThread,
  type Ask,
  type StepResult,
  type Head,
  type Import,
  type Step,
} from "./units.ts";

const PAGE = 500;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly models: Pick<Models, "forUser">;
  readonly ids: Ids;
  readonly step: Step;
};

/** Stores a thread. One that needs several commits belongs to the staging user until the last of them. */
export function createAddThread({ store, log, models, ids, step }: Options) {
  const { read } = store;
  const files = createFiles({ store, log, ids });

  /** The thread keeps its id if that is free. If the user has it with all its messages, there is nothing to do. */
  const placeThread = async (row: Import, head: Head<"thread">): Promise<ImportTarget | { readonly known: string }> => {
    const place = { owner: row.owner, untrusted: sourcesOf(row) };
    const staging = stagingOwner(row.owner, row.id);
    const copy = hashId(row.owner, head.id, hashId(...[...head.messages].toSorted()));
    for (const id of [head.id, copy, hashId(copy, row.owner)]) {
      const known = await read.thread(id);
      if (!known || known.owner === staging) return { id, isCopy: id !== head.id, ...place };
      if (known.owner === row.owner && (await hasMessages(id, head.messages))) return { known: id };
    }
    throw new Error(`The thread ${head.id} cannot be imported: other threads use all of its possible ids.`);
  };
  const hasMessages = async (thread: string, messages: readonly string[]): Promise<boolean> => {
    for (let from = 0; from < messages.length; from += PAGE) {
      const some = messages.slice(from, from + PAGE);
      if ((await read.knownMessages(thread, some)) < some.length) return false;
    }
    return true;
  };

  /** The project here that the file's project became, or a project of the user with its id. */
  const findProject = async (row: Import, id: string | null): Promise<{ id: string | null; note?: string }> => {
    if (id === null) return { id };
    const found = toProgress(row).projects[toId(id)] ?? id;
    const project = await read.project(found);
    if (project?.owner === row.owner) return { id: found };
    return { id: null, note: "Its project is not in the file, so it is in no project." };
  };

  const addThread = async (row: Import, head: Head<"thread">, ask: Ask): StepResult => {
    const place = await placeThread(row, head);
    const called = head.head.title.trim() === "" ? "Untitled" : head.head.title;
    const { position, format } = head;
    if ("known" in place)
      return step(row, {
        position,
        format,
        count: { known: 1 },
        lines: [{ kind: "known", target: place.known, text: called }],
      });
    const project = await findProject(row, head.head.project);
    const notes = [...head.notes, ...(project.note === undefined ? [] : [project.note])];
    const thread = toThread(row, head, {
      id: place.id,
      project: project.id,
      defaultModel: models.forUser(row.owner).defaultId,
    });
    const stored = files.begin(thread);
    const lines = (): Line[] => [
      { kind: "thread", target: thread.id, text: called },
      ...notes.map((text): Line => ({ kind: "note", text: `“${called}”: ${text}` })),
    ];
    const count = { threads: 1, messages: head.messages.length };
    let current = row;
    for (let next = place as ImportTarget | undefined; ;) {
      const isStaged = current.staged !== "";
      if (head.hasFiles && !isStaged) {
        const staged = await step(current, { staged: thread.id, writes: stageThread(current, thread) });
        if (!staged) return null;
        current = staged;
        continue;
      }
      const reply: ReadReply = await ask(next ? { position: IN_UNIT, place: next } : { position: IN_UNIT });
      next = undefined;
      if (reply.kind === "file") {
        const note = await stored.add(reply);
        if (note !== undefined) notes.push(note);
        continue;
      }
      if (reply.kind !== "rows") throw new Error("The reader of the import was restarted.");
      notes.push(...reply.notes);
      const owner = isStaged || !reply.isLast ? stagingOwner(row.owner, row.id) : row.owner;
      const planned = await planRows({ store }, { rows: reply.rows, thread, docsOwner: owner, stored });
      notes.push(...planned.notes);
      if (reply.isLast) {
        const last: Write[] = isStaged
          ? [...planned.writes, ...publishThread(row, thread)]
          : [{ do: "insert", table: "threads", row: thread }, ...planned.writes];
        const more = { count: { ...count, files: stored.count() }, lines: lines() };
        return step(current, { position, format, writes: last, events: toEvents(row, thread), ...more });
      }
      const begin = isStaged ? [] : stageThread(current, thread);
      const staged = await step(current, { staged: thread.id, writes: [...begin, ...planned.writes] });
      if (!staged) return null;
      current = staged;
    }
  };

  return addThread;
}

type NewThread = { readonly id: string; readonly project: string | null; readonly defaultModel: string };

function toThread(row: Import, { head }: Head<"thread">, { id, project, defaultModel }: NewThread): RowOf<"threads"> {
  return {
    ...head,
    id,
    owner: row.owner,
    model: head.model === "" ? defaultModel : head.model,
    policy: head.policy as RowOf<"threads">["policy"],
    effort: head.effort as RowOf<"threads">["effort"],
    mode: head.mode as RowOf<"threads">["mode"],
    project,
    focus: project === null ? null : head.focus,
    temporary: 0,
    shared: 0,
  };
}

function toEvents(row: Import, thread: RowOf<"threads">): readonly LogEntry[] {
  const created = { type: "thread-created" as const, thread: toSummary(thread) };
  return [
    { stream: threadStream(thread.id), event: created },
    { stream: userStream(row.owner), event: created },
    // No event delivers the messages, so readers of the stream load them.
    {
      stream: threadStream(thread.id),
      event: { type: "branch-activated", branchId: thread.branch, forkDepth: 0, reload: true },
    },
  ];
}
