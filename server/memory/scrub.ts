import type { MemoryField } from "../../protocol/memory.ts";
import type { Reads, Write } from "../store/contract.ts";

/** Stands where something was told that has been forgotten since. Not empty, so the next prompt knows that it must be told. */
export const FORGOTTEN = "[forgotten]";

/**
 * What was told to models of these fields goes from what is kept of prompts: the heads of compactions, and what stood ahead of
 * the person's words. Receipts of those calls can no longer be built again, and say so.
 */
export async function planScrub(
  read: Pick<Reads, "toldParts" | "toldHeads">,
  owner: string,
  fields: readonly MemoryField[],
): Promise<readonly Write[]> {
  const [parts, heads] = await Promise.all([read.toldParts(owner), read.toldHeads(owner)]);
  return [
    ...parts.flatMap(({ thread, message, n, body }): Write[] => {
      const part = JSON.parse(body) as { text: string; memory?: Record<string, string> };
      const told = fields.filter((field) => (part.memory?.[field] ?? "") !== "");
      if (told.length === 0) return [];
      const memory = { ...part.memory, ...Object.fromEntries(told.map((field) => [field, FORGOTTEN])) };
      const set = { body: JSON.stringify({ ...part, text: scrub(part.text, told), memory }) };
      return [{ do: "update", table: "parts", set, where: { thread, message, n } }];
    }),
    ...heads.flatMap(({ id, head, body }): Write[] => {
      const state = JSON.parse(body) as { memory: Record<string, string> };
      const told = fields.filter((field) => (state.memory[field] ?? "") !== "");
      if (told.length === 0) return [];
      const memory = { ...state.memory, ...Object.fromEntries(told.map((field) => [field, FORGOTTEN])) };
      const set = { head: scrub(head, told), body: JSON.stringify({ ...state, memory }) };
      return [{ do: "update", table: "epochs", set, where: { id } }];
    }),
  ];
}

/** Each field stands on a line of its own, as a JSON string or cut short. */
const scrub = (text: string, fields: readonly string[]): string =>
  text.replaceAll(/^(\w{1,40}): ".*$/gm, (line, field: string) =>
    fields.includes(field) ? `${field}: ${FORGOTTEN}` : line,
  );
