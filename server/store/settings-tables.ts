/** What people set for themselves, what they began to write, and what they share. */
export type SettingsTables = {
  providers: {
    provider: string;
    owner: string;
    /** The key; null: none was set here. */
    sealed: string | null;
    key_at: number | null;
    /** Of the compatible server: the origin its key was given for. It outlives a key that was removed with its address. */
    key_origin: string | null;
    base_url: string | null;
    /** Named by hand, as JSON. */
    models: string;
    /** Of the last test, as JSON. */
    test: string | null;
    updated_at: number;
  };
  sessions: {
    /** The id's hash under the token: neither the cookie nor the token can be made from it. */
    id_hash: string;
    owner: string;
    created_at: number;
    expires_at: number;
    /** To the hour. */
    used_at: number;
  };
  profiles: {
    owner: string;
    id: string;
    name: string;
    /** The built-in one that it is a copy of. */
    source: string;
    version: number;
    body: string;
    created_at: number;
    updated_at: number;
  };
  drafts: {
    owner: string;
    thread: string;
    text: string;
    at: number;
    /** The seq of the event that told of it. An emptied draft stays, so that what was written before comes too late. */
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
