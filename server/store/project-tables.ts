/** Projects with their entities, edges, change history and files. */
export type ProjectTables = {
  projects: {
    id: string;
    owner: string;
    name: string;
    description: string;
    instructions: string;
    archived: number;
    version: number;
    /** Sources of everything that was ever written to the project. */
    untrusted: string;
    /** Seq of the newest event of its stream. A reader at this seq is up to date. */
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
    /** Normalized terms of title and body, for search. */
    terms: string;
    state: string;
    /** 1 if its state is final. */
    ended: number;
    priority: number;
    starts_at: number | null;
    ends_at: number | null;
    parent: string | null;
    position: number;
    version: number;
    /** 1 if deleted. It can be restored. */
    deleted: number;
    created_at: number;
    updated_at: number;
  };
  edges: {
    project: string;
    source: string;
    relation: string;
    target: string;
    /** 1 while one of its ends is deleted. Restoring that entity restores the edge. */
    hidden: number;
    created_at: number;
  };
  acts: {
    project: string;
    id: string;
    /** Hash of the request, to detect the same id with different content. */
    hash: string;
    seq: number;
    author: "person" | "run";
    thread: string | null;
    run: string | null;
    text: string;
    undone: number;
    /** Ids of acts, separated by spaces. */
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
    /** JSON of the changed fields; null if the item did not exist. */
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
