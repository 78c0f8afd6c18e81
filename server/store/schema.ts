import type { PolicyName } from "../../protocol/context/policy.ts";
import type { Effort } from "../../protocol/model.ts";
import type { ContextMode } from "../../protocol/project/project.ts";
import type { AttachmentTables } from "./attachment-tables.ts";
import type { RunWaiting } from "./codes.ts";
import type { MemoryTables } from "./memory-tables.ts";
import type { ProjectTables } from "./project-tables.ts";
import type { SettingsTables } from "./settings-tables.ts";

/**
 * Every table in one line.
 *   meta         one value per key: schema version, whether the last stop was clean
 *   streams      one row per stream: the last seq given, and the lease with its epoch
 *   events       the log: (stream, seq); transient rows go when their step settles; content lives in parts
 *   users        people; without sign-in there is one, `local`
 *   members      unused by the server; tests insert into it
 *   threads      a thread's summary and the head of its active branch
 *   branches     segments of paths: a branch holds the depths after its fork
 *   messages     one per (branch, depth); the text stands in parts
 *   parts        what messages are made of, settled or awaiting a result; (thread, message, n)
 *   inputs       every human act, by the client's id: makes a repeated request harmless, and is the inbox
 *   runs         one answer: its total state in `body`, so recovery is a read
 *   calls        every model call and paid search: purpose, outcome, usage, cost, receipt; stays when its thread goes
 *   receipts     what each call was given and what stayed out
 *   journal      SQLite only: deltas in the order of time, see sqlite/journal.ts
 *   artifacts    texts that tools kept: pages, results; (thread, ref) is their name in prompts
 *   grants       what a person allowed for a thread
 *   decisions    what a person said to the calls of a run that asked
 *   memory       what is remembered about a person, by field; memory_changes is how it came about
 *   hidden_values  secrets taken out of results, sealed, for their owner's eyes
 *   mcp_pins     the tools of foreign servers as they were when first used
 *   epochs       compactions of a thread: the cut, the head that stands for what is before it, and what the next is made of
 *   summaries    structured summaries of ranges, by the hash of their source; summary_changes are edits by hand
 *   pins         what must not be forgotten in a thread
 *   agent_states what the assistant holds of the work in hand, reconciled after each turn
 *   texts        system texts and tool schemas that receipts name, by hash
 *   jobs         work in the background, under a lease
 *   budgets      limits in dollars that people set for themselves; budget_gates orders the reservations of each user
 *   recall_states  how far a branch is indexed for recall; recall_docs its passages, recall_postings where terms stand
 *   projects     work that threads belong to; entities are what is in it, of any kind, edges what they have to do with each other
 *   acts         what was done in a project at once, by whom; changes is what each did to what, before and after
 *   files        a project's files as they are; blobs holds their contents by hash, and every content there was
 *   preview_logs what the preview of a workspace reported
 *   providers    keys and addresses of providers that were set here, sealed; profiles are people's own
 *   sessions     sign-ins of browsers, by the hash of their id
 *   drafts       what was begun and not sent: per thread, and one under '' for the thread that is not there yet
 *   shares       read-only snapshots of threads under links, whose tokens stand here as hashes
 *   attachments  files that people attach, with the text read from them; attachment_blobs names their contents by hash, in attachment_pieces
 *   search_docs  text and normalised terms of titles, messages and artifacts; the index over it is each database's own
 * A column `untrusted` lists the untrusted sources that the row's text may derive from, as JSON; see protocol/context/untrusted.ts.
 * Times are milliseconds since 1970, flags are 0 or 1, bodies are JSON in our own versioned shapes.
 */
export type Tables = AttachmentTables & MemoryTables & ProjectTables & SettingsTables & SpineTables;

type SpineTables = {
  meta: { key: string; value: string };
  streams: { id: string; head: number; epoch: number; holder: string | null; lease_until: number };
  events: {
    stream: string;
    seq: number;
    transient: number;
    body: string;
    /** With `n`, a settled part: read from `parts`. Without, in a user's stream, the thread or the stream of the project that is spoken of. */
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
    /** Read with `toThreadOptions`, as are `effort` and `mode`: empty means the default. */
    policy: PolicyName | "";
    effort: Effort | "";
    project: string | null;
    /** An entity of the project. */
    focus: string | null;
    mode: ContextMode | "";
    temporary: number;
    /** Up to which `updated_at` its owner has seen it. */
    seen_at: number;
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
    waiting: RunWaiting;
    /** 1 when its process released it in order, on shutdown or because the database was unavailable. */
    handed_over: number;
    started_at: number;
    ended_at: number | null;
  };
  calls: {
    id: string;
    /** Empty: of a thread that was deleted. What it cost stays. */
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
    /** While the call is open, what it is expected to cost. */
    cost_usd: number | null;
    /** While the call is open, the most it may cost as far as budgets go; null: nothing is reserved for it. */
    reserved_usd: number | null;
    receipt: string | null;
    started_at: number;
    ended_at: number | null;
    owner: string;
    /** Of work in the background. */
    job: string | null;
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
    untrusted: string;
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
  hidden_values: { thread: string; placeholder: string; sealed: string; created_at: number };
  mcp_pins: { owner: string; server: string; tool: string; hash: string; body: string; created_at: number };
  epochs: {
    id: string;
    thread: string;
    branch: string;
    /** Messages up to here are told by the head. */
    depth: number;
    message: string;
    reason: string;
    model: string;
    tokens_before: number;
    tokens_after: number;
    head: string;
    body: string;
    undone: number;
    created_at: number;
  };
  summaries: {
    id: string;
    thread: string;
    branch: string;
    from_depth: number;
    to_depth: number;
    from_message: string;
    to_message: string;
    messages: number;
    level: number;
    status: "generating" | "completed" | "failed" | "partial";
    cause: "auto" | "manual";
    /** Of its source: the same range is never summarised twice. */
    hash: string;
    fields: string | null;
    source_tokens: number;
    tokens: number;
    cost_usd: number | null;
    model: string | null;
    tainted: number;
    untrusted: string;
    merged_into: string | null;
    error: string | null;
    created_at: number;
    updated_at: number;
  };
  summary_changes: {
    id: string;
    thread: string;
    summary: string;
    before: string;
    after: string;
    undone: number;
    created_at: number;
  };
  pins: {
    id: string;
    thread: string;
    message: string | null;
    text: string;
    untrusted: string;
    created_at: number;
  };
  agent_states: {
    thread: string;
    branch: string;
    depth: number;
    v: number;
    body: string;
    untrusted: string;
    expires_at: number;
    updated_at: number;
  };
  texts: { hash: string; body: string };
  recall_states: {
    thread: string;
    branch: string;
    /** Rises with every write to the branch's index: only who has read the newest may write. */
    version: number;
    /** Messages up to here are indexed, as this many passages. */
    depth: number;
    docs: number;
  };
  /** Bodies of both are bytes in base64. */
  recall_docs: { thread: string; branch: string; block: number; body: string; sessions: string };
  recall_postings: { thread: string; term: string; branch: string; block: number; count: number; body: string };
  jobs: {
    id: string;
    kind: string;
    /** One open job per kind and key. */
    key: string;
    thread: string | null;
    owner: string;
    state: "waiting" | "running" | "done" | "failed";
    holder: string | null;
    /** Rises with each claim: only the newest claimant may write the outcome. */
    epoch: number;
    lease_until: number;
    attempts: number;
    not_before: number;
    body: string;
    error: string | null;
    created_at: number;
    updated_at: number;
  };
  budgets: { owner: string; scope: string; limit_usd: number; updated_at: number };
  budget_gates: { owner: string; version: number };
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
  epochs: ["id"],
  summaries: ["id"],
  summary_changes: ["id"],
  pins: ["id"],
  agent_states: ["thread", "branch"],
  texts: ["hash"],
  recall_states: ["thread", "branch"],
  recall_docs: ["thread", "branch", "block"],
  recall_postings: ["thread", "term", "branch", "block"],
  jobs: ["id"],
  budgets: ["owner", "scope"],
  budget_gates: ["owner"],
  projects: ["id"],
  entities: ["project", "id"],
  edges: ["project", "source", "relation", "target"],
  acts: ["project", "id"],
  changes: ["project", "act", "n"],
  files: ["project", "path"],
  blobs: ["project", "hash"],
  preview_logs: ["project", "id"],
  providers: ["provider"],
  sessions: ["id_hash"],
  profiles: ["owner", "id"],
  drafts: ["owner", "thread"],
  shares: ["owner", "id"],
  attachments: ["owner", "id"],
  attachment_blobs: ["owner", "hash"],
  attachment_pieces: ["owner", "hash", "n"],
} as const satisfies { [T in Table]: readonly (keyof Tables[T])[] };

/** The tables that hold a thread's own rows: deleting it empties all of them. */
export const threadTables = [
  "branches",
  "messages",
  "parts",
  "inputs",
  "runs",
  "receipts",
  "search_docs",
  "artifacts",
  "grants",
  "decisions",
  "hidden_values",
  "epochs",
  "summaries",
  "summary_changes",
  "pins",
  "agent_states",
  "recall_states",
  "recall_docs",
  "recall_postings",
  "jobs",
  "drafts",
  "shares",
] as const;

export type ThreadTable = (typeof threadTables)[number];

/** The tables that hold a project's own rows: deleting it empties all of them. */
export const projectTables = [
  "entities",
  "edges",
  "changes",
  "acts",
  "files",
  "blobs",
  "preview_logs",
] as const satisfies readonly Table[];
