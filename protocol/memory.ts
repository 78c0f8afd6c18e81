import { z } from "zod";

/** What is remembered about a person across their threads: eight fields of text; `extra` holds a JSON object as text. */
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

export const Remembered = z.object({
  value: z.string(),
  /** The change that made it so: a later edit may name it, to be refused when another came first. */
  changeId: z.string(),
  updatedAt: z.number(),
  /** Why, and where it was said; a thread may be gone by now. null for what was changed by hand. */
  reason: z.string(),
  threadId: z.string().nullable(),
  messageId: z.string().nullable(),
});
export type Remembered = z.infer<typeof Remembered>;

/** null: nothing is remembered there. */
export const MemoryView = z.record(MemoryField, Remembered.nullable());
export type MemoryView = Readonly<z.infer<typeof MemoryView>>;

export const MemoryChange = z.object({
  id: z.string(),
  field: MemoryField,
  before: z.string(),
  after: z.string(),
  reason: z.string(),
  /** Where it was said; null for what the person changed by hand. */
  threadId: z.string().nullable(),
  messageId: z.string().nullable(),
  undone: z.boolean(),
  /** The field still holds what this change put there, so that it can be taken back. */
  undoable: z.boolean(),
  /** The change of the same field that came after it; null for the newest. */
  replacedBy: z.string().nullable(),
  createdAt: z.number(),
});
export type MemoryChange = z.infer<typeof MemoryChange>;
