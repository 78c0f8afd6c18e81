import { describePlans, type Calls } from "../../../test/support/store/plans.ts";

const within = { projects: ["p1", "p2"], from: 0, to: 9_000_000, limit: 10 };
const narrow = { kind: "fetched", project: "p1", profile: "stone", from: 1, to: 9000, archived: false } as const;

/** One call of every read of settings, except those that read all branches of a thread or all links of a project. */
const calls: Calls = {
  provider: ({ provider }) => provider("openai"),
  ownKeysOf: ({ ownKeysOf }) => ownKeysOf("o5"),
  profilesOf: ({ profilesOf }) => profilesOf("o5"),
  profile: ({ profile }) => profile("o5", "p5"),
  drafts: ({ drafts }) => drafts("o5"),
  draft: ({ draft }) => draft("o5", "t5"),
  "shares of a user": ({ shares }) => shares("o5", null),
  "shares of a thread": ({ shares }) => shares("o5", "t5"),
  share: ({ share }) => share("o5", "s5"),
  shareByHash: ({ shareByHash }) => shareByHash("h5"),
  account: ({ account }) => account("o5"),
  accountByEmail: ({ accountByEmail }) => accountByEmail("o5@example.com"),
  accountsById: ({ accountsById }) => accountsById(["o5", "o6"]),
  isSuspended: ({ isSuspended }) => isSuspended("o5"),
  hasSuspended: ({ hasSuspended }) => hasSuspended(),
  isOfSuspended: ({ isOfSuspended }) => isOfSuspended("t5"),
  liveRunsOf: ({ liveRunsOf }) => liveRunsOf("o5"),
  limits: ({ limits }) => limits("member", "user:o5"),
  storedBytesOf: ({ storedBytesOf }) => storedBytesOf("o5"),
  spentSince: ({ spentSince }) => spentSince(["o5", "o6"], 19_000),
  sessionsOf: ({ sessionsOf }) => sessionsOf("o5"),
  linkByHash: ({ linkByHash }) => linkByHash("h5"),
  passkey: ({ passkey }) => passkey("c5"),
  passkeysOf: ({ passkeysOf }) => passkeysOf("o5"),
  authenticator: ({ authenticator }) => authenticator("o5"),
  recoveryCodesOf: ({ recoveryCodesOf }) => recoveryCodesOf("o5"),
  auditEntries: ({ auditEntries }) => auditEntries("a5", 10),
  countOwned: ({ countOwned }) => countOwned("threads", "o5"),
  metaKeys: ({ metaKeys }) => metaKeys("mcp-"),
  threadsAfter: ({ threadsAfter }) => threadsAfter("o5", "t5", 10),
  projectsAfter: ({ projectsAfter }) => projectsAfter("o5", "p5", 10),
  messagesAfter: ({ messagesAfter }) => messagesAfter("t5", "m5", 10),
  artifactsAfter: ({ artifactsAfter }) => artifactsAfter("t5", 5, 10),
  fileTextsAfter: ({ fileTextsAfter }) => fileTextsAfter("p5", "f5", 10),
  "search, narrowed": ({ search }) => search({ owner: "o5", terms: ["rare"], limit: 10, ...narrow }),
  findEntities: ({ findEntities }) => findEntities(["rare"], within),
  fileTexts: ({ fileTexts }) => fileTexts(within, 0),
};

/** Many users with many threads each, so that a full scan is visible in the plan. */
const rows = [
  "insert into users (id, created_at) select 'o' || n, 1 from generate_series(1, 300) n",
  `insert into accounts (id, name, email, role, state, password, networks, created_at, changed_at)
     select 'o' || n, 'n' || n, 'o' || n || '@example.com', 'member', 'active', '', '[]', n, n from generate_series(1, 300) n`,
  "insert into limits (subject, updated_at) select 'user:o' || n, n from generate_series(1, 300) n",
  "insert into attachment_blobs (owner, hash) select 'o' || (n % 300 + 1), 'h' || n from generate_series(1, 5000) n",
  `insert into attachments (owner, id, thread, sent, hash, name, media_type, kind, size_bytes, created_at, text)
     select 'o' || (n % 300 + 1), 'a' || n, 't' || n, 1, 'h' || n, '', '', 'text', n, n, '' from generate_series(1, 5000) n`,
  `insert into imports (owner, id, name, size_bytes, state, format, position, lines, staged, body, created_at, updated_at)
     select 'o' || (n % 300 + 1), 'i' || n, '', n, 'done', '', 0, 0, '', '{}', n, n from generate_series(1, 5000) n`,
  `insert into calls (id, thread, run, purpose, step, attempt, model, provider, outcome, usage, started_at, owner)
     select 'c' || n, 't', 'r', '', 0, 0, '', '', '', '{}', n, 'o' || (n % 300 + 1) from generate_series(1, 20000) n`,
  `insert into passkeys (credential, id, account, handle, public_key, counter, transports, name, created_at)
     select 'c' || n, 'p' || n, 'o' || (n % 300 + 1), '', '', 0, '[]', '', n from generate_series(1, 6000) n`,
  "insert into authenticators (account, secret, last_step, created_at) select 'o' || n, '', 1, 1 from generate_series(1, 300) n",
  `insert into recovery_codes (account, hash, used)
     select 'o' || (n % 300 + 1), 'h' || n, 0 from generate_series(1, 3000) n`,
  `insert into sessions (id_hash, owner, created_at, expires_at, used_at)
     select 'h' || n, 'o' || (n % 300 + 1), n, n, n from generate_series(1, 20000) n`,
  `insert into links (id, kind, hash, role, created_at, expires_at)
     select 'l' || n, 'invite', 'h' || n, 'member', n, n from generate_series(1, 5000) n`,
  `insert into audit (id, at, action, address, detail) select 'a' || n, n, '', '', '{}' from generate_series(1, 20000) n`,
  `insert into threads (id, owner, title, title_source, preview, profile, model, status, pinned, archived, message_count, branch, created_at, updated_at)
     select 't' || n, 'o' || (n % 300 + 1), '', 'none', '', 'stone', '', 'idle', 0, 0, 0, 'b', n, n from generate_series(1, 20000) n`,
  `insert into branches (thread, id, parent, fork_depth, tip, used_at)
     select 't' || n, 'b', null, 0, 1, n from generate_series(1, 20000) n`,
  `insert into messages (thread, id, branch, depth, role, run, created_at)
     select 't' || n, 'm' || n, 'b', 1, 'user', null, n from generate_series(1, 20000) n`,
  `insert into artifacts (id, thread, ref, message, kind, title, url, type, hash, body, meta, created_at)
     select 'a' || n, 't' || n, 1, 'm' || n, 'page', '', null, '', '', '', '{}', n from generate_series(1, 20000) n`,
  `insert into search_docs (thread, message, owner, at, text, terms)
     select 't' || n, 'm' || n, 'o' || (n % 300 + 1), n, '', 'word' || n % 50 from generate_series(1, 20000) n`,
  `insert into drafts (owner, thread, at, version, text)
     select 'o' || (n % 300 + 1), 't' || n, n, n, 'x' from generate_series(1, 20000) n`,
  `insert into shares (owner, id, thread, hash, title, messages, redacted, created_at, body)
     select 'o' || (n % 300 + 1), 's' || n, 't' || n, 'h' || n, '', 1, 0, n, '{}' from generate_series(1, 20000) n`,
  `insert into profiles (owner, id, name, source, version, created_at, updated_at, body)
     select 'o' || (n % 300 + 1), 'p' || n, '', 'stone', 1, n, n, '{}' from generate_series(1, 20000) n`,
  "insert into providers (provider, owner, models, updated_at) select 'x' || n, 'o1', '[]', 1 from generate_series(1, 2000) n",
  "insert into meta (key, value) select 'key' || n, '' from generate_series(1, 5000) n",
  `insert into projects (id, owner, name, description, instructions, archived, version, seq, created_at, updated_at)
     select 'p' || n, 'o' || (n % 300 + 1), '', '', '', 0, 1, 1, n, n from generate_series(1, 5000) n`,
  `insert into entities (project, id, kind, title, state, ended, priority, position, version, deleted, created_at, updated_at, body, terms)
     select 'p' || n, 'e' || n, 'task', '', '', 0, 0, n, 1, 0, n, n, '', 'word' || n % 50 from generate_series(1, 5000) n`,
  `insert into files (project, path, hash, bytes, lines, seq, updated_at)
     select 'p' || n, 'f' || n, 'h', 1, 1, 1, n from generate_series(1, 5000) n`,
  "insert into blobs (project, hash, encoding, body) select 'p' || n, 'h', 'text', '' from generate_series(1, 5000) n",
];

describePlans("every read of settings uses an index", {
  calls,
  rows,
  ordered: ["threadsAfter", "projectsAfter", "messagesAfter", "artifactsAfter", "fileTextsAfter"],
  whole: ["findEntities", "fileTexts", "fileTextsAfter", "storedBytesOf"],
  /** The text index is read by term; a thread has few drafts and shares; few runs are alive, and few accounts suspended. `contents`: the files of one user. */
  small: [
    "entities_search",
    "shares_of_thread",
    "drafts_of_thread",
    "runs_alive",
    "accounts_suspended",
    "found",
    "contents",
  ],
});
