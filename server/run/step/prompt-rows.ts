import { threadStream } from "../../../protocol/ids.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import type { Reason } from "../../../protocol/run.ts";
import type { AssembledPrompt, PromptInputs } from "../../context/assemble.ts";
import type { LogEntry } from "../../log/log.ts";
import type { Write } from "../../store/contract.ts";
import { toLabel } from "../commit-step.ts";
import type { PrepareContext } from "../run-context.ts";
import type { RunState } from "../state.ts";
import { toNotice } from "./notice.ts";

type PreparedPrompt = {
  readonly inputs: PromptInputs;
  readonly assembled: AssembledPrompt;
  readonly warnings: readonly Reason[];
};

/** Rows to commit with the call's intent: context update, warnings, compaction, and the texts that the receipt refers to. */
export async function toPromptRows(
  run: PrepareContext,
  state: RunState,
  { inputs, assembled, warnings }: PreparedPrompt,
) {
  const { receipt, compaction, update } = assembled;
  const { threadId, messageId } = state.view;
  const stream = threadStream(threadId);
  const now = run.clock.now();
  const events: LogEntry[] = [];
  const writes: Write[] = [];
  if (update) {
    const { tokens, ...rest } = update;
    const n = inputs.answer.part;
    const part: PartOf<"context"> = {
      id: `${messageId}.${n}`,
      v: 1,
      n,
      step: state.view.step,
      kind: "context",
      ...rest,
      ...toLabel(receipt.untrusted ?? []),
    };
    events.push({ stream, event: { type: "part-settled", messageId, part }, tokens });
  }
  for (const [index, warning] of warnings.entries()) {
    const nextPart = inputs.answer.part + (update ? 1 : 0) + index;
    events.push({
      stream,
      event: { type: "part-settled", messageId, part: toNotice({ ...state, nextPart }, warning) },
    });
  }
  if (compaction && receipt.epoch.id !== null) {
    const { depth, summaryHead, state: body, reason, tokensBefore } = compaction;
    const row = {
      id: receipt.epoch.id,
      thread: threadId,
      branch: state.branchId,
      depth,
      message: messageId,
      reason,
      model: inputs.model.id,
      tokens_before: tokensBefore,
      tokens_after: receipt.promptTokens - receipt.budget.fixed,
      head: summaryHead,
      body: JSON.stringify(body),
      undone: 0,
      created_at: now,
    };
    writes.push({ do: "insert", table: "epochs", row });
    events.push({ stream, event: { type: "context-changed", what: "epochs" } });
  }
  writes.push(...(await storeText(run, receipt.recipe.system, () => inputs.system)));
  writes.push(...(await storeText(run, receipt.recipe.tools, () => JSON.stringify(inputs.tools))));
  return { events, writes, parts: (update ? 1 : 0) + warnings.length };
}

/** These texts are few and shared by all threads. Once known to be stored, they are not looked up again. */
async function storeText(run: PrepareContext, hash: string, toBody: () => string): Promise<readonly Write[]> {
  if (run.storedTexts.has(hash)) return [];
  if ((await run.store.read.text(hash)) === undefined) {
    return [{ do: "insert", table: "texts", row: { hash, body: toBody() }, ifAbsent: true }];
  }
  run.storedTexts.add(hash);
  return [];
}
