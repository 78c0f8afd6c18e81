import type { RequestBlock } from "../../protocol/context/context-api.ts";
import type { Receipt, ReceiptItem } from "../../protocol/context/receipt.ts";
import type { MessageView } from "../../protocol/fold.ts";
import type { ModelRequest, PromptMessage, ToolSpec } from "../../protocol/model.ts";
import { shorten, type Counter } from "./fit.ts";
import { toUnit, type Unit } from "./units.ts";
import { hashRequest, render, type Block } from "./render.ts";
import { toUnsentPicture } from "./unsent.ts";

/** The stored texts and messages that a receipt refers to. */
type StoredPieces = {
  readonly system: string | undefined;
  readonly tools: readonly ToolSpec[] | undefined;
  readonly summaryHead: string | undefined;
  readonly message: (id: string) => MessageView | undefined;
};

export type RebuiltRequest = {
  readonly request: ModelRequest;
  readonly blocks: readonly RequestBlock[];
  /** True if the bytes equal those that were sent. */
  readonly verified: boolean;
  readonly missing: readonly string[];
};

/** Rebuilds a request from its receipt with the code that made it. */
export function rebuild(receipt: Receipt, stored: StoredPieces, count: Counter): RebuiltRequest {
  const { toolChoice, effort, settings } = receipt.recipe;
  const missing = [
    ...(stored.system === undefined ? ["system"] : []),
    ...(stored.tools === undefined ? ["tools"] : []),
  ];
  const found = listBlocks(receipt, stored, count, missing);
  const [system, tools] = [stored.system ?? "", stored.tools ?? []];
  const request = render({ system, tools, blocks: found.map(({ block }) => block), toolChoice, effort, settings });
  return {
    request,
    blocks: [
      { slot: "system", kind: "system", id: "instructions", role: "system", text: system },
      ...found.flatMap(({ block, item }) => toShown(block, item)),
    ],
    verified: missing.length === 0 && hashRequest(request) === receipt.requestHash,
    missing,
  };
}

type PlacedBlock = { readonly block: Block; readonly item: ReceiptItem };

function listBlocks(receipt: Receipt, stored: StoredPieces, count: Counter, missing: string[]): readonly PlacedBlock[] {
  let hasSummary = false;
  return receipt.items.flatMap((item): PlacedBlock[] => {
    if (item.slot === "head") {
      if (hasSummary) return [];
      hasSummary = true;
      if (stored.summaryHead === undefined) missing.push("head");
      return [{ block: { head: stored.summaryHead ?? "" }, item: { ...item, kind: "block" } }];
    }
    if (item.text !== undefined) return [{ block: { text: item.text }, item }];
    if (item.parts === undefined) return [];
    const unit = findUnit(item, stored, count);
    if (!unit) missing.push(item.id);
    return unit ? [{ block: { unit }, item }] : [];
  });
}

function findUnit(item: ReceiptItem, stored: StoredPieces, count: Counter): Unit | undefined {
  const message = stored.message(item.id);
  if (!message) return undefined;
  const wanted = new Set(item.parts);
  const unsent = new Map(item.notSent?.map(({ part, why }) => [part, why]));
  const parts = message.parts.flatMap((part) => {
    if (!wanted.has(part.n)) return [];
    const why = unsent.get(part.n);
    return [part.kind === "file" && why !== undefined && part.hash !== undefined ? toUnsentPicture(part, why) : part];
  });
  if (parts.length !== wanted.size) return undefined;
  const kind = item.kind === "clock" ? "update" : message.role === "user" ? "message" : "step";
  const [unit] = toUnit(kind, message, parts, new Map());
  return unit && item.room !== undefined ? shorten(unit, item.room, count) : unit;
}

function toShown(block: Block, { slot, kind, id }: ReceiptItem): readonly RequestBlock[] {
  const place = { slot, kind, id };
  if ("head" in block) return [{ ...place, role: "user", text: block.head }];
  if ("text" in block) return [{ ...place, role: "user", text: block.text }];
  return block.unit.messages.map((message) => ({ ...place, role: message.role, text: toText(message) }));
}

function toText(message: PromptMessage): string {
  if (message.role === "user") return message.text;
  if (message.role === "tool") return message.results.map(({ name, text }) => `${name}: ${text}`).join("\n\n");
  return message.parts
    .map((part) => {
      if (part.kind === "tool-call") return `${part.name}(${JSON.stringify(part.input)})`;
      return part.kind === "reasoning" ? `(thinking) ${part.text}` : part.text;
    })
    .join("\n\n");
}
