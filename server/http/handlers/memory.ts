import type { MemoryField } from "../../../protocol/memory.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Threads } from "../../thread/threads.ts";
import type { Handlers } from "../route-types.ts";

type MemoryRoute = "getMemory" | "setMemory" | "undoMemory" | "forgetMemory" | "exportMemory" | "memoryOfThread";

/** A person sees and changes what is remembered about themselves: there is no id of another to ask for. */
export const createMemoryHandlers = (memory: Memory, threads: Threads): Pick<Handlers, MemoryRoute> => ({
  getMemory: async ({ principal: { userId }, query }) => ({
    memory: await memory.view(userId),
    changes: [...(await memory.history(userId, query.limit))],
  }),
  setMemory: async ({ principal, body }) => ({ memory: await memory.set(principal.userId, body) }),
  undoMemory: async ({ principal, body }) => ({ memory: await memory.undo(principal.userId, body) }),
  forgetMemory: async ({ principal, body }) => ({
    memory: await memory.forget(principal.userId, body),
    text: `${toWords(body)} is forgotten, with its history. This cannot be undone.`,
  }),
  exportMemory: async ({ principal: { userId } }) => {
    const { changes, ...taken } = await memory.export(userId);
    return { ...taken, changes: [...changes] };
  },
  memoryOfThread: async ({ principal, params }) => {
    const { id } = await threads.get(principal, params.threadId);
    const { changes, fields } = await memory.ofThread(principal.userId, id);
    return { changes: [...changes], fields: [...fields] };
  },
});

type Forgotten = { readonly field?: MemoryField | undefined; readonly threadId?: string | undefined };

const toWords = ({ field, threadId }: Forgotten): string => {
  if (threadId === undefined) return field === undefined ? "Everything about you" : `Your ${field}`;
  return `What came from this thread${field === undefined ? "" : ` about your ${field}`}`;
};
