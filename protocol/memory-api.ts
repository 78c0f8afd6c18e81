import { z } from "zod";
import { ClientId } from "./ids.ts";
import { MemoryChange, MemoryField, memoryLimits, MemoryView } from "./memory.ts";

const none = z.object({});
const Text = z
  .string()
  .max(memoryLimits.fieldCharacters)
  .refine((text) => text.isWellFormed() && !text.includes("\u0000"), "the text is not valid Unicode or holds a NUL");

export const memoryApi = {
  getMemory: {
    summary: "What is remembered about you, where it came from, and the newest changes to it",
    params: none,
    query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
    body: null,
    status: 200,
    response: z.object({ memory: MemoryView, changes: z.array(MemoryChange) }),
  },
  setMemory: {
    summary: "Change a field of what is remembered about you; an empty value removes it",
    params: none,
    query: none,
    body: z
      .object({
        id: ClientId,
        field: MemoryField,
        value: Text,
        /** The field's `changeId` as you saw it: refused when it has changed since. */
        was: ClientId.optional(),
      })
      .strict(),
    status: 200,
    response: z.object({ memory: MemoryView }),
  },
  undoMemory: {
    summary: "Take a change of what is remembered back, while its field still holds what it put there",
    params: none,
    query: none,
    body: z.object({ id: ClientId, changeId: ClientId }).strict(),
    status: 200,
    response: z.object({ memory: MemoryView }),
  },
  forgetMemory: {
    summary:
      "Forget everything, one field, or what came from one thread, with its history. This cannot be undone; what was said in threads stays there",
    params: none,
    query: none,
    body: z.object({ id: ClientId, field: MemoryField.optional(), threadId: ClientId.optional() }).strict(),
    status: 200,
    response: z.object({
      memory: MemoryView,
      /** For the person: what is gone, and that it is for good. */
      text: z.string(),
    }),
  },
  exportMemory: {
    summary: "All that is remembered about you, with sources and the whole history, to keep",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ exportedAt: z.number(), memory: MemoryView, changes: z.array(MemoryChange) }),
  },
  memoryOfThread: {
    summary: "What is remembered from a thread: what forgetting it would take away",
    params: z.object({ threadId: ClientId }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ changes: z.array(MemoryChange), fields: z.array(MemoryField) }),
  },
} as const;
