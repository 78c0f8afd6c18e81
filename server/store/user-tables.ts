/** Tables of a user's memory, attached files, settings, sessions, drafts and shares. */
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
    /** For files with pages. */
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
    updated_at: number;
  };
  sessions: {
    /** Hash of the id, keyed with the token. Neither the cookie nor the token can be derived from it. */
    id_hash: string;
    owner: string;
    created_at: number;
    expires_at: number;
    /** Rounded to the hour. */
    used_at: number;
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
  shares: {
    owner: string;
    id: string;
    thread: string;
    hash: string;
    title: string;
    messages: number;
    redacted: number;
    body: string;
    created_at: number;
  };
};
