/** Settings, sessions, drafts and shares. */
export type SettingsTables = {
  providers: {
    provider: string;
    owner: string;
    /** The sealed key; null if none is stored. */
    sealed: string | null;
    key_at: number | null;
    /** Origin that the compatible server's key was set for. It is kept when a change of address removes the key. */
    key_origin: string | null;
    base_url: string | null;
    /** Model names entered by the user, as JSON. */
    models: string;
    /** Result of the last test, as JSON. */
    test: string | null;
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
