/** Projects with what is in them, who did what, and their files. */
export type ProjectTables = {
  projects: {
    id: string;
    owner: string;
    name: string;
    description: string;
    instructions: string;
    archived: number;
    version: number;
    /** Of everything that was ever written to it. */
    untrusted: string;
    /** Of the newest event of its stream: whoever has read at this seq has read all. */
    seq: number;
    created_at: number;
    updated_at: number;
  };
  entities: {
    project: string;
    id: string;
    kind: string;
    title: string;
    body: string;
    /** Of title and body, normalised: what a search looks at. */
    terms: string;
    state: string;
    /** 1 in a state in which nothing is left to do. */
    ended: number;
    priority: number;
    starts_at: number | null;
    ends_at: number | null;
    parent: string | null;
    position: number;
    version: number;
    /** 1: it can be brought back. */
    deleted: number;
    created_at: number;
    updated_at: number;
  };
  edges: {
    project: string;
    source: string;
    relation: string;
    target: string;
    /** 1 while one of its ends is deleted: it comes back with it. */
    hidden: number;
    created_at: number;
  };
  acts: {
    project: string;
    id: string;
    /** Of what was asked for: the same id with something else is refused. */
    hash: string;
    seq: number;
    author: "person" | "run";
    thread: string | null;
    run: string | null;
    text: string;
    undone: number;
    /** Ids of acts, with spaces between them. */
    undoes: string | null;
    untrusted: string;
    created_at: number;
  };
  changes: {
    project: string;
    act: string;
    n: number;
    seq: number;
    what: "project" | "entity" | "edge" | "file";
    target: string;
    title: string;
    /** JSON of the fields that differ; null: it was not there, or is not any more. */
    before: string | null;
    after: string | null;
  };
  files: {
    project: string;
    path: string;
    hash: string;
    bytes: number;
    lines: number | null;
    seq: number;
    updated_at: number;
  };
  blobs: { project: string; hash: string; encoding: "text" | "base64"; body: string };
  preview_logs: {
    project: string;
    id: string;
    seq: number;
    kind: "console" | "network";
    level: string;
    text: string;
    place: string | null;
    at: number;
  };
};
