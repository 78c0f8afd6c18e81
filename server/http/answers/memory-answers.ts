import type { Memory } from "../../memory/memory.ts";
import type { Answers } from "../route-types.ts";

type MemoryRoute = "getMemory" | "setMemory" | "undoMemory";

/** A person sees and changes what is remembered about themselves: there is no id of another to ask for. */
export const createMemoryAnswers = (memory: Memory): Pick<Answers, MemoryRoute> => ({
  getMemory: async ({ principal: { userId }, query }) => ({
    memory: await memory.view(userId),
    changes: [...(await memory.history(userId, query.limit))],
  }),
  setMemory: async ({ principal, body }) => ({ memory: await memory.set(principal.userId, body) }),
  undoMemory: async ({ principal, body }) => ({ memory: await memory.undo(principal.userId, body) }),
});
