import type { RequestBlock } from "../../protocol/context/context-api.ts";
import type { ReceiptItem } from "../../protocol/context/receipt.ts";
import type { ToolSpec } from "../../protocol/model.ts";
import { isDetail } from "./bar-layout.ts";

export type BlockInput = {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly blocks: readonly RequestBlock[];
};

export type ItemText = {
  readonly text: string;
  readonly role: string | null;
  /** False: the text contains other items too. */
  readonly isOwn: boolean;
};

/**
 * The exact text of each item, or of the block that contains it; null if it is not available. A message with several steps
 * has one item per step, in the order of its blocks.
 */
export function pairBlocks(items: readonly ReceiptItem[], request: BlockInput | null): readonly (ItemText | null)[] {
  const units = request ? groupUnits(request.blocks) : new Map<string, Unit[]>();
  const used = new Map<string, number>();
  const update = items.find(({ slot, kind, why }) => slot === "now" && kind === "clock" && why === "told");
  return items.map((item) => {
    if (item.text !== undefined) return { text: item.text, role: null, isOwn: true };
    if (!request) return null;
    if (item.kind === "system") return { text: request.system, role: null, isOwn: true };
    if (item.kind === "tools") return { text: request.tools.map(toToolText).join("\n\n"), role: null, isOwn: true };
    if (item.slot === "head") return toWithin(request.blocks.find(({ slot }) => slot === "head"));
    if (isDetail(item)) return update ? toWithin(units.get(toKey(update))?.[0]) : null;
    const key = toKey(item);
    const index = used.get(key) ?? 0;
    used.set(key, index + 1);
    const unit = units.get(key)?.[index];
    return unit ? { ...unit, isOwn: true } : null;
  });
}

const toToolText = ({ name, description, inputSchema }: ToolSpec): string =>
  `${name}\n${description}\n${JSON.stringify(inputSchema, null, 2)}`;

type Unit = { readonly text: string; readonly role: string };

const toKey = ({ slot, kind, id }: ReceiptItem | RequestBlock): string => `${slot} ${kind} ${id}`;

const toWithin = (unit: Unit | undefined): ItemText | null =>
  unit ? { text: unit.text, role: unit.role, isOwn: false } : null;

/** Tool results belong to the step that made the calls. */
function groupUnits(blocks: readonly RequestBlock[]): ReadonlyMap<string, readonly Unit[]> {
  const units = new Map<string, Unit[]>();
  for (const block of blocks) {
    const list = units.get(toKey(block)) ?? [];
    const last = list.at(-1);
    if (block.role === "tool" && last) list[list.length - 1] = { ...last, text: `${last.text}\n\n${block.text}` };
    else list.push({ text: block.text, role: block.role });
    units.set(toKey(block), list);
  }
  return units;
}

/** The beginning of a text, on one line. */
export const toExcerpt = (text: string, characters = 90): string => {
  const line = text
    .slice(0, characters * 3)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > characters ? `${line.slice(0, characters).trimEnd()}…` : line;
};

/** Whether all words of a query occur in these texts. */
export const hasWords = (query: string, texts: readonly string[]): boolean => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const all = texts.join("\n").toLowerCase();
  return words.every((word) => all.includes(word));
};
