import { threadStream } from "../../../protocol/ids.ts";
import { describePlans, type Calls } from "../../../test/support/store/plans.ts";

/** As long as the list of a search, because plans depend on the length. */
const many = Array.from({ length: 100 }, (_, n) => n + 1);

/** One call of every read used by requests. */
const calls: Calls = {
  events: ({ events }) => events(threadStream("t"), 5, 10),
  heads: ({ heads }) => heads([threadStream("t"), threadStream("u")]),
  lease: ({ lease }) => lease(threadStream("t")),
  abandonedThreads: ({ abandonedThreads }) => abandonedThreads(10),
  meta: ({ meta }) => meta("version"),
  thread: ({ thread }) => thread("t"),
  threadsById: ({ threadsById }) => threadsById(["t", "u"]),
  "threads, first page": ({ threads }) => threads({ owner: "o", archived: false, after: null, limit: 10 }),
  "threads, next page": ({ threads }) =>
    threads({ owner: "o", archived: false, after: { pinned: 0, updatedAt: 5, id: "t" }, limit: 10 }),
  "threads of a project": ({ threads }) =>
    threads({ owner: "o", archived: false, project: "p", after: { pinned: 0, updatedAt: 5, id: "t" }, limit: 10 }),
  threadsOfProject: ({ threadsOfProject }) => threadsOfProject("p"),
  search: ({ search }) => search({ owner: "o", terms: ["a", "b"], limit: 10 }),
  member: ({ member }) => member("p", "o"),
  membersOf: ({ membersOf }) => membersOf(["p", "q"]),
  projectsWith: ({ projectsWith }) => projectsWith("o", false, 10),
  groupPeople: ({ groupPeople }) => groupPeople("g"),
  groupsOf: ({ groupsOf }) => groupsOf("o"),
  groupsOfProject: ({ groupsOfProject }) => groupsOfProject("p"),
  projectsOfGroup: ({ projectsOfGroup }) => projectsOfGroup("g"),
  segments: ({ segments }) => segments({ thread: "t", branch: "b", upTo: 100 }, 50),
  pathEnd: ({ pathEnd }) => pathEnd("t", [{ branch: "b", parent: null, from: 0, to: 100 }], 50),
  partsOf: ({ partsOf }) => partsOf("t", ["m", "n"]),
  "partsOf, a window": ({ partsOf }) =>
    partsOf(
      "t",
      Array.from({ length: 450 }, (_, n) => `m${n + 1}`),
    ),
  message: ({ message }) => message("t", "m"),
  branch: ({ branch }) => branch("t", "b"),
  searchDocs: ({ searchDocs }) => searchDocs("t", ["m", "@1"]),
  forksOf: ({ forksOf }) => forksOf("t", "b"),
  siblings: ({ siblings }) => siblings("t", { parents: ["b", "c"], from: 10, to: 60 }),
  input: ({ input }) => input("t", "i"),
  queued: ({ queued }) => queued("t"),
  liveRun: ({ liveRun }) => liveRun("t"),
  run: ({ run }) => run("r"),
  runsEndedEarly: ({ runsEndedEarly }) => runsEndedEarly(["r1", "r2"]),
  runs: ({ runs }) => runs("t", 10),
  stoppedRuns: ({ stoppedRuns }) => stoppedRuns(["r1", "r2"]),
  calls: ({ calls: callsOf }) => callsOf("t", "r"),
  receipt: ({ receipt }) => receipt("r"),
  artifactLines: ({ artifactLines }) => artifactLines("t", 5, 10),
  memory: ({ memory }) => memory("o"),
  remembered: ({ remembered }) => remembered("o"),
  memoryChanges: ({ memoryChanges }) => memoryChanges("o", 10),
  memoryChangesOf: ({ memoryChangesOf }) => memoryChangesOf("o", "notes"),
  memoryChangesFrom: ({ memoryChangesFrom }) => memoryChangesFrom("o", "t"),
  agentState: ({ agentState }) => agentState("t", "b"),
  costs: ({ costs }) => costs({ owner: "o", from: 4000, to: 4100, by: "model" }),
  spent: ({ spent }) => spent("o", 4000, 4100),
  callsSince: ({ callsSince }) => callsSince("o", 4900),
  budgets: ({ budgets }) => budgets("o"),
  sessions: ({ sessions }) => sessions(["h", "i"]),
  endedSessions: ({ endedSessions }) => endedSessions(5, 10),
  apiKeys: ({ apiKeys }) => apiKeys("o"),
  apiKeysByHash: ({ apiKeysByHash }) => apiKeysByHash(["h", "i"]),
  budgetGate: ({ budgetGate }) => budgetGate("o"),
  job: ({ job }) => job("j"),
  openJobs: ({ openJobs }) => openJobs(["summary", "state"], 10),
  summary: ({ summary }) => summary("s"),
  summaries: ({ summaries }) => summaries("t", [{ branch: "b", parent: null, from: 0, to: 100 }], 10),
  summariesById: ({ summariesById }) => summariesById(["s", "r"]),
  summariesOn: ({ summariesOn }) => summariesOn("t", [{ branch: "b", parent: null, from: 0, to: 100 }]),
  summaryChanges: ({ summaryChanges }) => summaryChanges("t", "s"),
  editedSummaries: ({ editedSummaries }) => editedSummaries("t", ["s", "r"]),
  tokensOf: ({ tokensOf }) => tokensOf("t", ["m1", "m2"]),
  callsOfJob: ({ callsOfJob }) => callsOfJob("t", "j"),
  recallStates: ({ recallStates }) => recallStates("t", ["b", "b1"]),
  recallDocs: ({ recallDocs }) => recallDocs("t", ["b", "b1"]),
  recallDocBlock: ({ recallDocBlock }) => recallDocBlock("t", "b", 3),
  recallPostings: ({ recallPostings }) =>
    recallPostings(
      "t",
      many.map((n) => `w${n}`),
      4000,
    ),
  recallBlock: ({ recallBlock }) => recallBlock({ thread: "t", branch: "b", block: 3 }, ["w1", "w2"]),
  recallMessages: ({ recallMessages }) => recallMessages({ thread: "t", branch: "b", above: 5, upTo: 90 }, 20),
  recallTexts: ({ recallTexts }) => recallTexts("t", "b", many),
  recallParts: ({ recallParts }) =>
    recallParts(
      "t",
      many.map((n) => `m${n}`),
    ),
  recallArtifacts: ({ recallArtifacts }) => recallArtifacts("t", ["m1", "m2"]),
};

/** PostgreSQL plans by table contents: one large thread among small ones. */
const largeThread = [
  `insert into users (id, created_at)
     select 'o', 1`,
  `insert into users (id, created_at)
     select 'u' || n, 1 from generate_series(1, 500) n`,
  `insert into projects (id, owner, name, description, instructions, archived, version, seq, created_at, updated_at)
     select 'p' || n, 'u' || (1 + n % 500), '', '', '', 0, 1, 0, n, n from generate_series(1, 4000) n`,
  `insert into members (object, person, role)
     select 'p' || (1 + n % 4000), 'u' || (1 + n / 4000), 'editor' from generate_series(0, 15999) n`,
  `insert into user_groups (id, name, name_key, version, created_at)
     select 'g' || n, '', n, 1, 1 from generate_series(1, 400) n`,
  `insert into group_people (group_id, person)
     select 'g' || (1 + n % 400), 'u' || (1 + n / 400) from generate_series(0, 15999) n`,
  `insert into project_groups (project, group_id, role)
     select 'p' || (1 + n % 4000), 'g' || (1 + n % 397), 'editor' from generate_series(0, 3999) n`,
  `insert into threads (id, owner, title, title_source, preview, profile, model, status, pinned, archived, message_count, branch, created_at, updated_at)
     select id, 'o', '', 'none', '', '', '', 'idle', 0, 0, 0, 'b', n, n
     from (select case n when 0 then 't' else 'u' || n end as id, n from generate_series(0, 300) n) x`,
  `insert into branches (thread, id, parent, fork_depth, tip, used_at)
     select 't', case n when 0 then 'b' else 'b' || n end, 
     case when n = 0 then null when n % 25 = 0 then 'b' else 'b' || (n - n % 25) end, n, n + 1, n from generate_series(0, 500) n`,
  `insert into messages (thread, id, branch, depth, role, run, created_at)
     select 't', 'm' || n, 'b', n, 'user', null, n from generate_series(1, 20000) n`,
  `insert into messages (thread, id, branch, depth, role, run, created_at)
     select 't', 'f' || n, 'b' || n, n + 1, 'user', null, n from generate_series(1, 500) n`,
  `insert into messages (thread, id, branch, depth, role, run, created_at)
     select 'u' || n, 'm', 'b', 1, 'user', null, n from generate_series(1, 300) n`,
  `insert into parts (thread, message, n, v, kind, tokens, body)
     select thread, id, 0, 1, 'text', 1, '{}' from messages`,
  `insert into streams (id, head, epoch, holder, lease_until)
     select 'thread:' || id, 20000, 0, null, 0 from threads`,
  `insert into events (stream, seq, transient, body, message, n)
     select 'thread:t', n, 0, '{}', 'm' || n, 0 from generate_series(1, 20000) n`,
  `insert into inputs (thread, id, kind, mode, hash, body, state, seq, created_at)
     select 't', 'i' || n, 'message', 'queue', '', '', 'done', n, n from generate_series(1, 5000) n`,
  `insert into runs (id, thread, message, v, body, ended, stop, started_at, ended_at)
     select 'r' || n, 't', 'm', 1, '{}', 1, 0, n, n from generate_series(1, 5000) n`,
  `insert into calls (id, thread, run, purpose, step, attempt, model, provider, outcome, reason, usage, cost_usd, receipt, started_at, ended_at, owner)
     select 'c' || n, 't', 'r' || n, '', 0, 0, '', '', '', null, '{}', null, null, n, n, 'o'
     from generate_series(1, 5000) n`,
  `insert into memory_changes (id, owner, field, before, after, reason, thread, message, undone, created_at)
     select 'c' || n, 'o', 'field ' || n % 8, '', '', '', 'u' || n % 300, null, 0, n from generate_series(1, 5000) n`,
  `insert into agent_states (thread, branch, depth, v, body, expires_at, updated_at)
     select thread, id, 1, 1, '{}', 1, 1 from branches`,
  `insert into memory (owner, field, value, change, updated_at)
     select 'o', 'field ' || n, '', 'c' || n, n from generate_series(0, 7) n`,
  `insert into summaries (id, thread, branch, from_depth, to_depth, from_message, to_message, messages, level, status, cause,
     hash, fields, source_tokens, tokens, cost_usd, model, tainted, merged_into, error, created_at, updated_at)
     select 's' || n, 't', 'b', n * 8, n * 8 + 7, '', '', 8, 0, 'completed', 'auto', 'h' || n, '{}', 1, 1, null, null, 0,
     case when n < 2400 then 's' || (n + 1) end, null, n, n from generate_series(1, 2500) n`,
  `insert into summary_changes (id, thread, summary, before, after, undone, created_at)
     select 'c' || n, 't', 's' || n / 2, '', '', n % 2, n from generate_series(1, 5000) n`,
  `insert into jobs (id, kind, key, thread, owner, state, holder, epoch, lease_until, attempts, not_before, body, error, created_at, updated_at)
     select 'j' || n, 'summary', 'k' || n, 't', 'o', 'done', null, 1, 0, 1, n, '{}', null, n, n from generate_series(1, 5000) n`,
  `insert into recall_states (thread, branch, version, depth, docs)
     select thread, id, 1, 1, 1 from branches`,
  `insert into recall_docs (thread, branch, block, body, sessions)
     select thread, id, n, '', '[]' from branches, generate_series(0, 20) n`,
  `insert into recall_postings (thread, term, branch, block, count, body)
     select 't', 'w' || n, 'b', n % 4, 1, 'AA==' from generate_series(1, 20000) n`,
  `insert into artifacts (id, thread, ref, message, kind, title, url, type, hash, body, meta, created_at)
     select 'a' || n, 't', n, 'm' || n, 'page', '', null, '', '', '', '{}', n from generate_series(1, 3000) n`,
  `insert into search_docs (thread, message, owner, at, text, terms)
     select thread, id, 'o', depth, '', 'a b' from messages`,
];

/** These reads must not sort rows that they do not return. */
const ordered = ["events", "threads, first page", "threads, next page", "threads of a project", "pathEnd"];

describePlans("every read uses an index", {
  calls,
  rows: largeThread,
  ordered,
  // A project has few groups.
  whole: ["threadsOfProject", "member", "membersOf", "groupsOfProject"],
  /** Small partial indexes that are scanned completely by design. */
  small: ["runs_alive", "inputs_waiting", "jobs_due", "runs_of_thread", "accounts_suspended", "found", "places"],
  guessedBadly: ["branches"],
});
