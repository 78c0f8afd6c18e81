import type { Batch, BatchResult, PlannedEvent, Store, Write } from "../../server/store/contract.ts";
import type { Tables } from "../../server/store/schema.ts";
import { threadStream } from "../../protocol/ids.ts";

/** Complete rows; a test sets only the fields it is about. */
export const rows = {
  user: (id: string): Tables["users"] => ({ id, created_at: 1 }),
  thread: (row: Pick<Tables["threads"], "id" | "owner"> & Partial<Tables["threads"]>): Tables["threads"] => ({
    title: "A title",
    title_source: "none",
    preview: "",
    profile: "default",
    model: "offline",
    status: "idle",
    pinned: 0,
    archived: 0,
    message_count: 0,
    branch: "main",
    policy: "",
    effort: "",
    project: null,
    focus: null,
    mode: "",
    temporary: 0,
    shared: 0,
    seen_at: 0,
    created_at: 1,
    updated_at: 1,
    ...row,
  }),
  branch: (row: Pick<Tables["branches"], "thread" | "id"> & Partial<Tables["branches"]>): Tables["branches"] => ({
    parent: null,
    fork_depth: 0,
    tip: 0,
    used_at: 1,
    ...row,
  }),
  message: (row: Pick<Tables["messages"], "thread" | "id"> & Partial<Tables["messages"]>): Tables["messages"] => ({
    branch: "main",
    depth: 1,
    role: "user",
    run: null,
    created_at: 1,
    author: null,
    author_name: null,
    ...row,
  }),
  part: (row: Pick<Tables["parts"], "thread" | "message"> & Partial<Tables["parts"]>): Tables["parts"] => ({
    n: 0,
    v: 1,
    kind: "text",
    tokens: 1,
    body: '{"type":"text"}',
    ...row,
  }),
  input: (row: Pick<Tables["inputs"], "thread" | "id"> & Partial<Tables["inputs"]>): Tables["inputs"] => ({
    kind: "message",
    mode: "queue",
    hash: "h",
    body: "{}",
    state: "queued",
    seq: 1,
    created_at: 1,
    author: null,
    author_name: null,
    ...row,
  }),
  run: (row: Pick<Tables["runs"], "thread" | "id"> & Partial<Tables["runs"]>): Tables["runs"] => ({
    message: "m",
    v: 1,
    body: "{}",
    ended: 0,
    waiting: 0,
    stop: 0,
    handed_over: 0,
    asker: null,
    started_at: 1,
    ended_at: null,
    ...row,
  }),
  call: (row: Pick<Tables["calls"], "thread" | "id"> & Partial<Tables["calls"]>): Tables["calls"] => ({
    run: null,
    purpose: "answer",
    step: 0,
    attempt: 0,
    model: "offline",
    provider: "offline",
    outcome: "ok",
    reason: null,
    usage: "{}",
    answered_by: null,
    cost_usd: null,
    reserved_usd: null,
    receipt: null,
    owner: "u",
    job: null,
    own_key: 0,
    started_at: 1,
    ended_at: null,
    ...row,
  }),
  receipt: (row: Pick<Tables["receipts"], "thread" | "id"> & Partial<Tables["receipts"]>): Tables["receipts"] => ({
    v: 1,
    body: "{}",
    created_at: 1,
    ...row,
  }),
  doc: (
    row: Pick<Tables["search_docs"], "thread" | "message" | "owner" | "terms"> & Partial<Tables["search_docs"]>,
  ): Tables["search_docs"] => ({ at: 1, text: row.terms, ...row }),
};

export const event = (stream: PlannedEvent["stream"], body = "{}"): PlannedEvent => ({ stream, body });

export const batch = (some: Partial<Batch>): Batch => ({ events: [], writes: [], ...some });

/** Commits writes that a test requires. */
export async function put(store: Store, ...writes: readonly Write[]): Promise<void> {
  const [result] = await store.commit([batch({ writes })]);
  if (!result?.ok) throw new Error(`the rows of the test were refused: ${result?.why}`);
}

/** A user with one thread and its stream; returns the stream's name. */
export async function putThread(store: Store, owner: string, id: string, more: Partial<Tables["threads"]> = {}) {
  const writes: Write[] = [
    { do: "put", table: "users", row: rows.user(owner) },
    { do: "put", table: "threads", row: rows.thread({ id, owner, ...more }) },
  ];
  const [result] = await store.commit([batch({ events: [event(threadStream(id))], writes })]);
  if (!result?.ok) throw new Error(`the thread was refused: ${result?.why}`);
  return threadStream(id);
}

/** The result of a batch that must succeed. */
export function expectOk(result: BatchResult | undefined): Extract<BatchResult, { ok: true }> {
  if (!result?.ok) throw new Error(`the batch failed: ${result ? result.why : "no result"}`);
  return result;
}
