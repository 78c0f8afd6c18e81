import type { Receipt } from "../../protocol/context/receipt.ts";
import type { ToolSpec } from "../../protocol/model.ts";
import { rebuild, type RebuiltRequest } from "../context/assemble.ts";
import { countTokens } from "../lib/tokens.ts";
import type { Reads } from "../store/contract.ts";
import { toHead, toPart, toMessageView } from "../thread/rows.ts";

type RequestReads = Pick<Reads, "text" | "compaction" | "messagesById" | "partsOf">;

export const toShownTools = (specs: readonly ToolSpec[]) =>
  specs.map((spec) => ({ ...spec, inputSchema: { ...spec.inputSchema } }));

/** Rebuilds the request of a receipt from stored texts and checks that it has the bytes that were sent. */
export async function rebuildRequest(read: RequestReads, threadId: string, receipt: Receipt) {
  const ids = [...new Set(receipt.items.flatMap(({ id, parts }) => (parts === undefined ? [] : [id])))];
  const [system, tools, epoch, rows, partRows] = await Promise.all([
    read.text(receipt.recipe.system),
    read.text(receipt.recipe.tools),
    receipt.epoch.id === null ? undefined : read.compaction(receipt.epoch.id),
    read.messagesById(threadId, ids),
    read.partsOf(threadId, ids),
  ]);
  const parts = Map.groupBy(partRows, ({ message }) => message);
  const messages = new Map(
    rows.map((row) => [row.id, toMessageView(toHead(row, []), (parts.get(row.id) ?? []).map(toPart))]),
  );
  const specs = tools === undefined ? undefined : (JSON.parse(tools) as readonly ToolSpec[]);
  const { request, blocks, verified, missing }: RebuiltRequest = rebuild(
    receipt,
    { system, tools: specs, summaryHead: epoch?.head, message: (id) => messages.get(id) },
    countTokens,
  );
  return {
    system: request.system,
    tools: toShownTools(request.tools),
    blocks: [...blocks],
    verified,
    missing: [...missing],
  };
}
