import type { Part } from "../../../protocol/parts.ts";
import { countTokens } from "../../../server/lib/tokens.ts";
import type { Store, Write } from "../../../server/store/contract.ts";

const AT_ONCE = 500;

/** Fills a thread with messages that were never sent: user and assistant alternate, a minute apart. */
export async function writeThread(
  store: Store,
  threadId: string,
  length: number,
  toText: (depth: number) => string,
): Promise<void> {
  const branch = (await store.read.thread(threadId))?.branch ?? "";
  for (let first = 1; first <= length; first += AT_ONCE) {
    const depths = Array.from({ length: Math.min(AT_ONCE, length - first + 1) }, (_, index) => first + index);
    const writes = depths.flatMap((depth): Write[] => {
      const id = `${threadId}-${depth}`;
      const text = toText(depth);
      const part: Part = { id: `${id}.0`, v: 1, n: 0, step: 0, kind: "text", state: "done", text };
      const role = depth % 2 === 1 ? "user" : "assistant";
      const author = { author: null, author_name: null };
      const row = {
        thread: threadId,
        id,
        branch,
        depth,
        role,
        run: null,
        created_at: depth * 60_000,
        ...author,
      } as const;
      const body = JSON.stringify(part);
      const settled = { thread: threadId, message: id, n: 0, v: 1, kind: "text", tokens: countTokens(text), body };
      return [
        { do: "insert", table: "messages", row },
        { do: "insert", table: "parts", row: settled },
      ];
    });
    const tip: Write = {
      do: "update",
      table: "branches",
      set: { tip: depths.at(-1) ?? 0 },
      where: { thread: threadId, id: branch },
    };
    await store.commit([{ events: [], writes: [...writes, tip] }]);
  }
}
