/** Memory about a user, by field, and every change that led to it. */
export type MemoryTables = {
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
};
