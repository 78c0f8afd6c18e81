/**
 * Every table in one line.
 *   meta         one value per key: schema version, whether the last stop was clean
 *   streams      one row per stream: the last seq given, and the lease with its epoch
 *   events       the log: (stream, seq); transient rows go when their step settles; content lives in parts
 *   users        people; without sign-in there is one, `local`
 *   members      who else may touch an object, and as what
 *   threads      a thread's summary and the head of its active branch
 *   branches     segments of paths: a branch holds the depths after its fork
 *   messages     one per (branch, depth); the text stands in parts
 *   parts        what messages are made of, settled or awaiting a result; (thread, message, n)
 *   inputs       every human act, by the client's id: makes a repeated request harmless, and is the inbox
 *   runs         one answer: its total state in `body`, so recovery is a read
 *   calls        every model call: purpose, outcome, usage, cost, receipt
 *   receipts     what each call was given and what stayed out
 *   journal      SQLite only: deltas in the order of time, see sqlite/journal.ts
 *   artifacts    texts that tools kept: pages, results; (thread, ref) is their name in prompts
 *   grants       what a person allowed for a thread
 *   decisions    what a person said to the calls of a run that asked
 *   memory       what is remembered about a person, by field; memory_changes is how it came about
 *   hidden_values  secrets taken out of results, sealed, for their owner's eyes
 *   mcp_pins     the tools of foreign servers as they were when first used
 *   search_docs  text and normalised terms of titles and messages; the index over it is each database's own
 * Times are milliseconds since 1970, flags are 0 or 1, bodies are JSON in our own versioned shapes.
 */
export type Tables = {
  meta: { key: string; value: string };
  streams: { id: string; head: number; epoch: number; holder: string | null; lease_until: number };
  events: {
    stream: string;
    seq: number;
    transient: number;
    body: string;
    /** With `n`, a settled part: read from `parts`. Without, in a user's stream, the thread that is spoken of. */
    message: string | null;
    n: number | null;
  };
  users: { id: string; created_at: number };
  members: { object: string; person: string; role: string };
  threads: {
    id: string;
    owner: string;
    title: string;
    title_source: "none" | "message" | "person";
    preview: string;
    profile: string;
    model: string;
    status: "idle" | "streaming" | "waiting" | "error";
    pinned: number;
    archived: number;
    message_count: number;
    branch: string;
    created_at: number;
    updated_at: number;
  };
  branches: {
    thread: string;
    id: string;
    parent: string | null;
    fork_depth: number;
    /** Depth of its last message; `fork_depth` while it is empty. */
    tip: number;
    /** When it was last the active one: switching to a variant picks the newest below it. */
    used_at: number;
  };
  messages: {
    thread: string;
    id: string;
    branch: string;
    depth: number;
    role: "user" | "assistant";
    run: string | null;
    created_at: number;
  };
  parts: { thread: string; message: string; n: number; v: number; kind: string; tokens: number; body: string };
  inputs: {
    thread: string;
    id: string;
    kind: string;
    mode: "queue" | "steer";
    hash: string;
    body: string;
    state: "queued" | "delivered" | "withdrawn" | "done";
    seq: number;
    created_at: number;
  };
  runs: {
    id: string;
    thread: string;
    message: string;
    v: number;
    body: string;
    ended: number;
    stop: number;
    /** 1 while it waits for the person: nobody need hold it. */
    waiting: number;
    started_at: number;
    ended_at: number | null;
  };
  calls: {
    id: string;
    thread: string;
    run: string | null;
    purpose: string;
    step: number;
    attempt: number;
    model: string;
    /** As the provider says, where it differs from the one asked. */
    answered_by: string | null;
    provider: string;
    outcome: string;
    reason: string | null;
    usage: string;
    cost_usd: number | null;
    receipt: string | null;
    started_at: number;
    ended_at: number | null;
  };
  receipts: { id: string; thread: string; v: number; body: string; created_at: number };
  search_docs: { thread: string; message: string; owner: string; at: number; text: string; terms: string };
  artifacts: {
    id: string;
    thread: string;
    /** Its number in the thread: what the model calls it by. */
    ref: number;
    message: string;
    kind: string;
    title: string;
    url: string | null;
    type: string;
    hash: string;
    body: string;
    meta: string;
    created_at: number;
  };
  grants: { thread: string; key: string; created_at: number };
  decisions: {
    run: string;
    part: string;
    thread: string;
    decision: "once" | "thread" | "deny";
    word: string;
    created_at: number;
  };
  memory: { owner: string; field: string; value: string; change: string; updated_at: number };
  memory_changes: {
    id: string;
    owner: string;
    field: string;
    before: string;
    after: string;
    reason: string;
    thread: string | null;
    message: string | null;
    undone: number;
    created_at: number;
  };
  hidden_values: { thread: string; placeholder: string; sealed: string; created_at: number };
  mcp_pins: { owner: string; server: string; tool: string; hash: string; body: string; created_at: number };
};

export type Table = keyof Tables;
export type RowOf<T extends Table> = Readonly<Tables[T]>;

/** Primary keys, for `put`. */
export const keys = {
  meta: ["key"],
  streams: ["id"],
  events: ["stream", "seq"],
  users: ["id"],
  members: ["object", "person"],
  threads: ["id"],
  branches: ["thread", "id"],
  messages: ["thread", "id"],
  parts: ["thread", "message", "n"],
  inputs: ["thread", "id"],
  runs: ["id"],
  calls: ["id"],
  receipts: ["id"],
  search_docs: ["thread", "message"],
  artifacts: ["id"],
  grants: ["thread", "key"],
  decisions: ["run", "part"],
  memory: ["owner", "field"],
  memory_changes: ["id"],
  hidden_values: ["thread", "placeholder"],
  mcp_pins: ["owner", "server", "tool"],
} as const satisfies { [T in Table]: readonly (keyof Tables[T])[] };

/** The tables that hold a thread's own rows: deleting it empties all of them. */
export const threadTables = [
  "branches",
  "messages",
  "parts",
  "inputs",
  "runs",
  "calls",
  "receipts",
  "search_docs",
  "artifacts",
  "grants",
  "decisions",
  "hidden_values",
] as const;

export type ThreadTable = (typeof threadTables)[number];
