import type { ReceiptItem, Slot } from "../../../protocol/context/receipt.ts";

/** A piece of a request as the model was given it. */
export type Block = {
  readonly slot: Slot;
  readonly kind: string;
  readonly id: string;
  readonly role: string;
  readonly text: string;
};

export type Given = { readonly system: string; readonly tools: readonly string[]; readonly blocks: readonly Block[] };

/** The exact words of an item, or of the smallest piece that it stands in; null: they are not here. */
export function findBlock(
  item: ReceiptItem,
  given: Given | null,
): { readonly text: string; readonly role: string | null } | null {
  if (item.text !== undefined && item.text !== "") return { text: item.text, role: null };
  if (!given) return null;
  if (item.kind === "system") return { text: given.system, role: null };
  if (item.kind === "tools") return { text: given.tools.join("\n\n"), role: null };
  const inSlot = given.blocks.filter(({ slot }) => slot === item.slot);
  const own = inSlot.filter(({ kind, id }) => kind === item.kind && id === item.id);
  const byId = own.length > 0 ? own : inSlot.filter(({ id }) => id === item.id);
  const found = byId.length > 0 ? byId : inSlot.length === 1 ? inSlot : [];
  if (found.length === 0) return null;
  return { text: found.map(({ text }) => text).join("\n\n"), role: found[0]?.role ?? null };
}

/** The first words of a text, on one line. */
export const toExcerpt = (text: string, characters = 90): string => {
  const line = text
    .slice(0, characters * 3)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > characters ? `${line.slice(0, characters).trimEnd()}…` : line;
};

/** Whether all words of a query stand somewhere in these texts. */
export const hasWords = (query: string, texts: readonly string[]): boolean => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const all = texts.join("\n").toLowerCase();
  return words.every((word) => all.includes(word));
};
