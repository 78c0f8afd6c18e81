import { z } from "zod";
import { ClientId } from "./ids.ts";
import { MemoryChange, MemoryField, memoryLimits, MemoryView } from "./memory.ts";
import { Text } from "./text.ts";

const none = z.object({});
const FieldText = Text.max(memoryLimits.fieldCharacters);

export const memoryApi = {
  getMemory: {
    summary: "Your memory fields, their origin, and the newest changes",
    params: none,
    query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
    body: null,
    status: 200,
    response: z.object({ memory: MemoryView, changes: z.array(MemoryChange) }),
  },
  setMemory: {
    summary: "Change a memory field; an empty value clears it",
    params: none,
    query: none,
    body: z
      .object({
        id: ClientId,
        field: MemoryField,
        value: FieldText,
        /** The field's `changeId` that you last read; refused if the field has changed since. */
        was: ClientId.optional(),
      })
      .strict(),
    status: 200,
    response: z.object({ memory: MemoryView }),
  },
  undoMemory: {
    summary: "Undo a memory change, if the field still has the value it set",
    params: none,
    query: none,
    body: z.object({ id: ClientId, changeId: ClientId }).strict(),
    status: 200,
    response: z.object({ memory: MemoryView }),
  },
  forgetMemory: {
    summary:
      "Forget everything, one field, or all memories from one thread, including history. This cannot be undone; messages stay",
    params: none,
    query: none,
    body: z.object({ id: ClientId, field: MemoryField.optional(), threadId: ClientId.optional() }).strict(),
    status: 200,
    response: z.object({
      memory: MemoryView,
      /** Shown to the user: what was forgotten, and that this is permanent. */
      text: z.string(),
    }),
  },
  exportMemory: {
    summary: "Export all memory fields with their sources and full history",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ exportedAt: z.number(), memory: MemoryView, changes: z.array(MemoryChange) }),
  },
  memoryOfThread: {
    summary: "Memories from a thread, which forgetting the thread would delete",
    params: z.object({ threadId: ClientId }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ changes: z.array(MemoryChange), fields: z.array(MemoryField) }),
  },
} as const;
