import { z } from "zod";

/** Memory about the user across threads: eight text fields; `extra` holds a JSON object as text. */
export const memoryFields = [
  "name",
  "age",
  "preferences",
  "location",
  "interests",
  "tendencies",
  "notes",
  "extra",
] as const;
export const MemoryField = z.enum(memoryFields);
export type MemoryField = z.infer<typeof MemoryField>;

export const memoryLimits = { fieldCharacters: 2000, totalCharacters: 8000 } as const;

export const MemoryValue = z.object({
  value: z.string(),
  /** Id of the change that set this value. An edit can name it, and is refused if the field has changed since. */
  changeId: z.string(),
  updatedAt: z.number(),
  /** Reason and origin of the value. The thread may have been deleted; its id is null for a manual change. */
  reason: z.string(),
  threadId: z.string().nullable(),
  messageId: z.string().nullable(),
});
export type MemoryValue = z.infer<typeof MemoryValue>;

/** null: the field is empty. */
export const MemoryView = z.record(MemoryField, MemoryValue.nullable());
export type MemoryView = Readonly<z.infer<typeof MemoryView>>;

export const MemoryChange = z.object({
  id: z.string(),
  field: MemoryField,
  before: z.string(),
  after: z.string(),
  reason: z.string(),
  /** Where the user said it; null for a manual change. */
  threadId: z.string().nullable(),
  messageId: z.string().nullable(),
  undone: z.boolean(),
  /** The field still has the value that this change set, so the change can be undone. */
  undoable: z.boolean(),
  /** The next change of the same field; null for the newest. */
  replacedBy: z.string().nullable(),
  createdAt: z.number(),
});
export type MemoryChange = z.infer<typeof MemoryChange>;
