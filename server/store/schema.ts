import type { PolicyName } from "../../protocol/context/policy.ts";
import type { Effort } from "../../protocol/model.ts";
import type { ContextMode } from "../../protocol/project/project.ts";
import type { RunWaiting } from "./codes.ts";
import { accountKeys, type AccountTables } from "./account-tables.ts";
import type { ProjectTables } from "./project-tables.ts";
import { importKeys, type UserTables } from "./user-tables.ts";

/**
 * All tables, one line each.
 *   meta         one value per key: schema version, whether the last stop was clean, and data such as MCP servers of users (copy/rows.ts)
 *   streams      one row per stream: its last seq, and the lease with its epoch
 *   events       the log: (stream, seq); transient rows are deleted when their step settles; content is in parts
 *   users        without accounts there is one, `local`
 *   accounts     names, emails, roles and password hashes of users; links are one-time links, audit records changes,
 *                identities are users of an OpenID Connect provider, used_states completed sign-ins
 *   passkeys     WebAuthn credentials; authenticators are secrets of one-time passwords (sealed), recovery_codes replace such a password
 *   members      editors and viewers of projects: `object` is the project, `person` the user. Its owner is in `projects`
 *   threads      a thread's summary and the head of its active branch
 *   user_groups  groups of users that admins manage: group_people are their users, project_groups their roles in projects
 *   branches     segments of paths: a branch holds the depths after its fork
 *   messages     one per (branch, depth); the text is in parts
 *   parts        the content of messages, settled or awaiting a result; (thread, message, n)
 *   inputs       every user action, by the client's id: makes requests idempotent, and is the message queue
 *   runs         one per answer: its complete state is in `body`
 *   calls        every model call and paid search: purpose, outcome, usage, cost, receipt; kept when its thread is deleted
 *   receipts     the contents of each model call, and what was omitted
 *   journal      SQLite only: deltas in order of time, see sqlite/journal.ts
 *   artifacts    texts stored by tools: pages, results; prompts refer to them by (thread, ref)
 *   grants       permissions the user gave for a thread; decisions are the user's decisions on tool calls that needed approval, and answers to questions
 *   memory       memory about a user, by field; memory_changes is its history
 *   hidden_values  secrets redacted from results, sealed; only their owner can see them. mcp_pins: MCP tools as they were at first use
 *   epochs       compactions of a thread: the last compacted depth, the summary text, and data for the next one
 *   summaries    structured summaries of message ranges, by the hash of their source; summary_changes are manual edits, pins texts that stay in prompts
 *   agent_states the assistant's notes on the current task, updated after each turn under the policy that uses them
 *   texts        system texts and tool schemas that receipts refer to, by hash
 *   jobs         background work, under a lease
 *   budgets      spending limits set by users, in dollars; budget_gates serializes the reservations of each user
 *   limits       what admins allow a role or a user to spend, store and use
 *   recall_states  how far a branch is indexed for recall; recall_docs has its passages, recall_postings the positions of terms, both in base64
 *   projects     groups of threads; entities are the items in them, of any kind, and edges their relations
 *   acts         atomic changes to a project with their author; changes lists each changed item before and after
 *   files        current files of a project; blobs has all current and former contents by hash, preview_logs messages of their preview
 *   providers    keys (sealed) and addresses of providers; own_keys are keys of users, profiles the users' own profiles
 *   preferences  settings of a user for all threads; prompts are saved prompts, model_settings the settings of each model
 *   sessions     browser sign-ins, by the hash of their id; api_keys are keys for other programs, by the hash of their token
 *   push_subscriptions  browsers that get notifications, each with its sealed endpoint and keys
 *   read_marks   up to when each user has read a shared thread
 *   drafts       unsent text: one per thread, and one under '' for a thread that does not exist yet
 *   shares       read-only snapshots of threads under links; only hashes of their tokens are stored
 *   api_requests requests by other APIs: their ids, the place of their answer, and the hash of their conversation
 *   attachments  attached files with their text; attachment_blobs lists their contents by hash, attachment_pieces has the bytes, attachment_pictures pictures made from them
 *   imports      imports of files with their progress; import_pieces has the bytes of a file, import_lines the report
 *   search_docs  text and normalized terms of titles, messages and artifacts; each database has its own index over it
 * A column `untrusted` lists the untrusted sources that the row's text may derive from, as JSON; see protocol/context/untrusted.ts.
 * Times are milliseconds since 1970, flags are 0 or 1, bodies are JSON in our own versioned shapes.
 */
export type Tables = CoreTables & ProjectTables & UserTables & AccountTables;

type CoreTables = {
  meta: { key: string; value: string };
  streams: { id: string; head: number; epoch: number; holder: string | null; lease_until: number };
  events: {
    stream: string;
    seq: number;
    transient: number;
    body: string;
    /** With `n`: a settled part, read from `parts`. Without, in the stream of a user or project: the thread or project stream that the event is about. */
    message: string | null;
    n: number | null;
  };
  threads: {
    id: string;
    owner: string;
    title: string;
    /** `message`: the first words. `model`: written by a model. Only a title of the user stays as it is. */
    title_source: "none" | "message" | "model" | "person";
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
    /** 1: the members of its project have access. 0: only its owner. */
    shared: number;
    /** The owner has read the thread up to this `updated_at`. Not used while it is shared. */
    seen_at: number;
    created_at: number;
    updated_at: number;
  };
  branches: {
    thread: string;
    id: string;
    parent: string | null;
    fork_depth: number;
    /** Depth of its last message, or `fork_depth` if it is empty. */
    tip: number;
    /** When it was last active. Switching to a variant selects the most recently used branch below it. */
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
    /** Who wrote a user message in a shared thread, with their name at that time; null: the thread's owner. */
    author: string | null;
    author_name: string | null;
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
    /** In a shared thread. */
    author: string | null;
    author_name: string | null;
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
    /** 1 if its process released it properly, on shutdown or because the database was unavailable. */
    handed_over: number;
    /** The user with whose rights it acts; null: the thread's owner. */
    asker: string | null;
    started_at: number;
    ended_at: number | null;
  };
  calls: {
    id: string;
    /** Empty if the thread was deleted. */
    thread: string;
    run: string | null;
    purpose: string;
    step: number;
    attempt: number;
    model: string;
    /** The model that the provider reported, if it differs from the requested one. */
    answered_by: string | null;
    provider: string;
    outcome: string;
    reason: string | null;
    usage: string;
    /** While the call is open: its expected cost. */
    cost_usd: number | null;
    /** While the call is open: the amount reserved from budgets; null if nothing is reserved. */
    reserved_usd: number | null;
    receipt: string | null;
    started_at: number;
    ended_at: number | null;
    owner: string;
    job: string | null;
    /** 1: made with the owner's own key, so it costs the operator nothing. */
    own_key: number;
  };
  receipts: { id: string; thread: string; v: number; body: string; created_at: number };
  search_docs: { thread: string; message: string; owner: string; at: number; text: string; terms: string };
  artifacts: {
    id: string;
    thread: string;
    /** Its number in the thread, by which the model refers to it. */
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
    decision: "once" | "thread" | "deny" | "answer" | "skip";
    /** Reason of a denial, or the answers as JSON. */
    word: string;
    created_at: number;
  };
  hidden_values: { thread: string; placeholder: string; sealed: string; created_at: number };
  mcp_pins: { owner: string; server: string; tool: string; hash: string; body: string; created_at: number };
  epochs: {
    id: string;
    thread: string;
    branch: string;
    /** Messages up to this depth are covered by `head`. */
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
    /** Hash of its source, so that the same range is not summarized twice. */
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
    /** Incremented with every write to the branch's index, for optimistic locking. */
    version: number;
    /** Messages up to this depth are indexed, as `docs` passages. */
    depth: number;
    docs: number;
  };
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
    /** Incremented with each claim. Only the newest claimant may write the outcome. */
    epoch: number;
    lease_until: number;
    attempts: number;
    not_before: number;
    body: string;
    error: string | null;
    created_at: number;
    updated_at: number;
  };
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
  model_settings: ["model"],
  sessions: ["id_hash"],
  ...accountKeys,
  api_keys: ["owner", "id"],
  push_subscriptions: ["id"],
  profiles: ["owner", "id"],
  preferences: ["owner"],
  prompts: ["owner", "id"],
  drafts: ["owner", "thread"],
  read_marks: ["owner", "thread"],
  shares: ["owner", "id"],
  api_requests: ["owner", "id"],
  attachments: ["owner", "id"],
  attachment_blobs: ["owner", "hash"],
  attachment_pieces: ["owner", "hash", "n"],
  attachment_pictures: ["owner", "hash", "page"],
  ...importKeys,
} as const satisfies { [T in Table]: readonly (keyof Tables[T])[] };

/** Tables whose rows belong to a thread and are deleted with it. */
export const threadTables = [
  ...(["branches", "messages", "parts", "inputs", "runs", "receipts", "search_docs", "artifacts"] as const),
  ...(["grants", "decisions", "hidden_values", "epochs", "summaries", "summary_changes", "pins"] as const),
  ...(["agent_states", "recall_states", "recall_docs", "recall_postings"] as const),
  ...(["jobs", "drafts", "read_marks", "shares", "api_requests"] as const),
] as const;

export type ThreadTable = (typeof threadTables)[number];

/** Tables whose rows belong to a project and are deleted with it. */
export const projectTables = [
  "entities",
  "edges",
  "changes",
  "acts",
  "files",
  "blobs",
  "preview_logs",
  "prompts",
  "project_groups",
] as const satisfies readonly Table[];
