import { textOf } from "../../../protocol/fold.ts";
import { joinSources } from "../../../protocol/context/untrusted.ts";
import {
  assemble,
  isYoung,
  leaveOutUnsent,
  leftForTools,
  willCompact,
  windowOf,
  type Assembled,
  type Snapshot,
} from "../../context/assemble.ts";
import { countTokens } from "../../lib/tokens.ts";
import { unknownPrices, type Model } from "../../model/model.ts";
import { listCommands } from "../tool-calls/list-commands.ts";
import { renderRemainingLimits } from "../limits.ts";
import { withoutMemoryUse } from "../profiles.ts";
import type { PrepareContext } from "../running.ts";
import type { Ending, RunState } from "../state.ts";
import { loadContext } from "./load-context.ts";
import { chooseOffer, toToolBudget } from "./offer-tools.ts";
import { toPromptRows } from "./prompt-rows.ts";
import { listWarnings } from "./prompt-warnings.ts";
import { findInterrupted, toNote } from "./request-notes.ts";

/** Loads the inputs of a model call and assembles its request. New rows (`extra`) are committed with the call's intent. */
export async function prepare(run: PrepareContext, state: RunState, model: Model | undefined, last: Ending | null) {
  const modelId = state.at.kind === "ready" ? state.at.model : state.model;
  const windowTokens = model?.info.windowTokens ?? null;
  const { learned, turnContext, ...loaded } = await loadContext(run, state, { id: modelId, windowTokens });
  const sending = { sendsReasoning: model?.sendsReasoning, vision: model?.info.vision === true };
  const context = { ...loaded, ...leaveOutUnsent(loaded, sending, countTokens) };
  const { messages } = context;
  const asked = messages.findLast(({ role }) => role === "user");
  const question = asked ? textOf(asked.parts) : "";
  const commands = listCommands(question, run.catalog);
  const commanded = commands[(state.at.kind === "ready" ? state.at.step : 1) - 1];
  const remainingLimits = renderRemainingLimits(state, run.limits, run.clock.now(), last !== null);
  const lacksTools = run.models.lacksTools(modelId);
  const continues = state.continues ? findInterrupted(messages) : null;
  const initial: Snapshot = {
    ...context,
    system: run.profile.instructions,
    tools: lacksTools ? [] : run.catalog.specsOf(state.offered ?? []),
    note: toNote({ messages, commands, command: commanded, continues, remainingLimits }),
    toolChoice: last ? "none" : commanded ? { tool: commanded.tool } : "auto",
    effort: state.effort ?? "medium",
    model: {
      id: modelId,
      windowTokens,
      learned,
      prices: model?.info.prices ?? unknownPrices,
    },
  };
  const isCompacting = !isYoung(initial) && willCompact(initial, countTokens);
  const usual = toToolBudget(windowOf(initial.model, initial.tooLong));
  const budget = Math.min(usual, leftForTools(initial, countTokens) ?? usual);
  const offer = chooseOffer(run, state, { messages, commanded, isCompacting, budget });
  const names = lacksTools ? [] : offer.names;
  const mayLack = lacksTools || offer.toolTokens !== undefined || !run.catalog.find("working_memory");
  const lacksMemoryTool = mayLack && !names.includes("working_memory");
  const snapshot = {
    ...initial,
    system: lacksMemoryTool ? withoutMemoryUse(initial.system) : initial.system,
    tools: run.catalog.specsOf(names),
  };
  const assembled = await assembleWithSummaries(run, state, snapshot);
  const warnings = listWarnings(state, { messages, receipt: assembled.receipt, offer, lacksTools });
  return {
    snapshot,
    assembled,
    request: assembled.request,
    receipt: assembled.receipt,
    extra: await toPromptRows(run, state, { snapshot, assembled, warnings }),
    question,
    continues,
    offered: offer.names,
    toolTokens: offer.toolTokens,
    turnContext,
    untrusted: assembled.receipt.untrusted ?? [],
  };
}

/**
 * A compaction includes every summary up to its cut, at whichever step of an answer it happens. The cut does not depend on
 * them, so they are read only when there is one: O(window), and nothing extra for the other calls.
 */
async function assembleWithSummaries(run: PrepareContext, state: RunState, snapshot: Snapshot): Promise<Assembled> {
  const compactionId = run.ids.next();
  const assembled = assemble(snapshot, countTokens, compactionId);
  if (assembled.compaction === null || assembled.compaction.depth === 0) return assembled;
  const place = { thread: state.view.threadId, branch: state.branchId, upTo: assembled.compaction.depth };
  const chunks = await run.chunksOf(run.store.read, place);
  const untrusted = joinSources(snapshot.untrusted, ...chunks.map((chunk) => chunk.untrusted));
  return assemble({ ...snapshot, chunks, untrusted, compacts: assembled.compaction.reason }, countTokens, compactionId);
}
