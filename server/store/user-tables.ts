/** Tables of a user's memory, attached files, settings, sessions, notifications, API keys, drafts, shares and requests by other APIs. */
export type UserTables = {
  memory: {
    owner: string;
    field: string;
    value: string;
    change: string;
    untrusted: string;
    updated_at: number;
  };
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
    untrusted: string;
    created_at: number;
  };
  attachments: {
    owner: string;
    id: string;
    /** Empty for a thread that does not exist yet. */
    thread: string;
    /** 1 once a message uses it. */
    sent: number;
    hash: string;
    name: string;
    media_type: string;
    kind: "image" | "text";
    size_bytes: number;
    width: number | null;
    height: number | null;
    /** The extracted text; empty for images. */
    text: string;
    created_at: number;
    /** Slot among the unsent files of the thread. It is unique, which enforces the limit. Null once sent. */
    slot: number | null;
    /** Number of pages; null if the file has none. */
    page_count: number | null;
  };
  attachment_blobs: { owner: string; hash: string };
  /** Content in base64 pieces that can be concatenated. Deleted with their blob. */
  attachment_pieces: { owner: string; hash: string; n: number; body: string };
  /** JPEG pictures made from a content, in base64: its pages, or a photo as page 1. Deleted with their blob. */
  attachment_pictures: {
    owner: string;
    hash: string;
    page: number;
    width: number;
    height: number;
    size_bytes: number;
    body: string;
  };
  imports: {
    owner: string;
    id: string;
    name: string;
    size_bytes: number;
    /** `receiving`: its pieces are being stored. */
    state: "receiving" | "running" | "done" | "failed";
    /** As recognized from the content; empty until then. */
    format: string;
    /** Units of the file that are done: threads, projects, notes. */
    position: number;
    /** Number of lines in its report. */
    lines: number;
    /** A thread that is being stored in several commits. Its owner is set with the last one. */
    staged: string;
    /** Counts, and ids that replaced those of the file, as JSON. */
    body: string;
    error: string | null;
    created_at: number;
    updated_at: number;
  };
  /** The file in base64 pieces. Deleted when it has been read. */
  import_pieces: { owner: string; import_id: string; n: number; body: string };
  import_lines: {
    owner: string;
    import_id: string;
    n: number;
    kind: ImportLineKind;
    /** The id of a thread or project; for memory its field. */
    target: string;
    text: string;
  };
  providers: {
    provider: string;
    owner: string;
    /** The sealed key; null if none is stored. */
    sealed: string | null;
    key_at: number | null;
    /** Origin that a server's key was set for. It is kept when a change of address removes the key. */
    key_origin: string | null;
    base_url: string | null;
    /** Model names entered by the user, as JSON. */
    models: string;
    /** Result of the last test, as JSON. */
    test: string | null;
    updated_at: number;
    /** The name that the user gave a server. */
    label: string | null;
    /** Additional headers as JSON, sealed. They belong to the same origin as the key. */
    sealed_headers: string | null;
  };
  model_settings: {
    /** The model's id. */
    model: string;
    owner: string;
    /** 1: new threads start with it. */
    is_default: number;
    favorite: number;
    window_tokens: number | null;
    temperature: number | null;
    top_p: number | null;
    /** 1: it accepts images; null: not set. */
    vision: number | null;
    updated_at: number;
  };
  sessions: {
    /** Hash of the id, keyed with the token or, with accounts, with a constant. Neither the cookie nor the token can be derived from it. */
    id_hash: string;
    owner: string;
    created_at: number;
    expires_at: number;
    /** Rounded to the hour. */
    used_at: number;
    /** The browser's `User-Agent`, shortened. */
    agent: string;
    /** The address from which it signed in. */
    address: string;
    method: SessionMethod;
    /** When the user last signed in or confirmed a change with a password or passkey. */
    proved_at: number;
  };
  push_subscriptions: {
    /** Hash of the endpoint, so a browser has one row, of the user who turned notifications on last. */
    id: string;
    owner: string;
    /** Hash of the session that turned notifications on; the subscription ends with it. Empty: the server has no sessions. */
    session: string;
    /** The endpoint and the keys of the browser, sealed, because they suffice to send notifications. */
    sealed: string;
    /** The browser's `User-Agent`, shortened. */
    agent: string;
    /** 1: notifications contain the title of the thread. */
    titles: number;
    created_at: number;
    sent_at: number | null;
    /** Why the last notification was not accepted; null if it was. */
    problem: string | null;
  };
  api_keys: {
    owner: string;
    id: string;
    /** SHA-256 of the token, which is random, so the hash needs no salt. */
    hash: string;
    name: string;
    /** The first characters of the token. */
    start: string;
    /** Separated by spaces. */
    scopes: string;
    created_at: number;
    expires_at: number | null;
    /** To the minute; null until the first use. */
    used_at: number | null;
  };
  profiles: {
    owner: string;
    id: string;
    name: string;
    /** The built-in profile that it was copied from. */
    source: string;
    version: number;
    body: string;
    created_at: number;
    updated_at: number;
  };
  preferences: {
    owner: string;
    v: number;
    version: number;
    body: string;
    updated_at: number;
  };
  prompts: {
    owner: string;
    id: string;
    /** Empty: for all threads. */
    project: string;
    name: string;
    version: number;
    text: string;
    created_at: number;
    updated_at: number;
  };
  drafts: {
    owner: string;
    thread: string;
    text: string;
    at: number;
    /** Seq of the event that announced it. An emptied draft keeps its row, so that an older text cannot restore it. */
    version: number;
  };
  read_marks: { owner: string; thread: string; seen_at: number };
  api_requests: {
    owner: string;
    /** As the other API names it, such as `resp_...`. */
    id: string;
    thread: string;
    /** The user message that is answered, or the answer that the request continues. Empty for a conversation. */
    message: string;
    /** The answer to this request begins after this step of its message. */
    step: number;
    /** Hash of the conversation that the caller sent, up to this request; empty: it is not looked up. */
    hash: string;
    /** 0: the caller asked not to store the response. */
    stored: number;
    body: string;
    created_at: number;
  };
  shares: {
    owner: string;
    id: string;
    thread: string;
    hash: string;
    title: string;
    messages: number;
    redacted: number;
    /** 1: only signed-in users of this server can open it. */
    people: number;
    body: string;
    created_at: number;
  };
};

/** How a session was signed in. */
export type SessionMethod = "token" | "password" | "setup" | "invitation" | "reset" | "oidc" | "passkey";
/** `memory`: waits for the user's confirmation; `memory-added` and `memory-declined` are decided. */
export type ImportLineKind = "thread" | "known" | "project" | "note" | "memory" | "memory-added" | "memory-declined";

/** Primary keys of the tables of imports. */
export const importKeys = {
  imports: ["owner", "id"],
  import_pieces: ["owner", "import_id", "n"],
  import_lines: ["owner", "import_id", "n"],
} as const;
