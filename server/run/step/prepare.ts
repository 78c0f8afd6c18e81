import { textOf } from "../../../protocol/fold.ts";
import { isUntrustedText, joinSources } from "../../../protocol/context/untrusted.ts";
import {
  assemble,
  isYoung,
  leaveOutUnsent,
  leftForTools,
  willCompact,
  windowOf,
  type AssembledPrompt,
  type PromptInputs,
} from "../../context/assemble.ts";
import { countTokens } from "../../lib/tokens.ts";
import { unknownPrices, type Model } from "../../model/model.ts";
import { listCommands } from "../tool-calls/list-commands.ts";
import { toCallerProfile, withCallerTools } from "../caller/caller.ts";
import { renderRemainingLimits } from "../limits.ts";
import { withoutMemoryUse } from "../profiles.ts";
import type { PrepareContext } from "../run-context.ts";
import type { Ending, RunState } from "../state.ts";
import { loadContext } from "./load-context.ts";
import { chooseOffer, toToolBudget } from "./offer-tools.ts";
import { toPromptRows } from "./prompt-rows.ts";
import { listWarnings } from "./prompt-warnings.ts";
import { findInterrupted, toNote } from "./request-notes.ts";

/** Loads the inputs of a model call and assembles its request. New rows (`extra`) are committed with the call's intent. */
export async function prepare(
  run: PrepareContext,
  state: RunState,
  model: Model | undefined,
  finalEnding: Ending | null,
) {
  const modelId = state.at.kind === "ready" ? state.at.model : state.model;
  const { caller } = state;
  const isPlain = caller?.isPlain === true;
  const profile = toCallerProfile(run.profile, caller);
  const windowTokens = model?.info.windowTokens ?? null;
  const { learned, tokenRatio, turnContext, ...loaded } = await loadContext(run, state, { id: modelId, windowTokens });
  const sending = { sendsReasoning: model?.sendsReasoning, vision: model?.info.vision === true };
  const context = { ...loaded, ...leaveOutUnsent(loaded, sending, countTokens) };
  const { messages } = context;
  const asked = messages.findLast(({ role }) => role === "user");
  const question = asked ? textOf(asked.parts) : "";
  const commands = isPlain ? [] : listCommands(question, run.catalog);
  const step = state.at.kind === "ready" ? state.at.step : 1;
  const commanded = commands[step - 1];
  const callerChoice = step === (caller?.fromStep ?? 1) ? caller?.toolChoice : undefined;
  const remainingLimits =
    isPlain && finalEnding === null
      ? undefined
      : renderRemainingLimits(state, run.limits, run.clock.now(), finalEnding !== null);
  const lacksTools = run.models.forUser(state.ownerId).lacksTools(modelId);
  const continues = state.continues ? findInterrupted(messages) : null;
  const initial: PromptInputs = {
    ...context,
    system: profile.instructions,
    tools: lacksTools ? [] : withCallerTools(run.catalog.specsOf(state.offered ?? []), caller),
    note: toNote({ messages, commands, command: commanded, continues, remainingLimits }),
    toolChoice: finalEnding ? "none" : (callerChoice ?? (commanded ? { tool: commanded.tool } : "auto")),
    effort: caller?.effort ?? state.effort ?? "medium",
    settings: caller?.settings,
    isPlain,
    model: {
      id: modelId,
      windowTokens,
      learned,
      tokenRatio,
      sampling: model?.info.sampling ? model.info.settings : undefined,
      prices: model?.info.prices ?? unknownPrices,
    },
  };
  const isCompacting = !isYoung(initial) && willCompact(initial, countTokens);
  const usual = toToolBudget(windowOf(initial.model, initial.tooLong));
  const budget = Math.min(usual, leftForTools(initial, countTokens) ?? usual);
  const offer = chooseOffer({ ...run, profile }, state, { messages, commanded, isCompacting, budget });
  const names = lacksTools ? [] : offer.names;
  const mayLack = lacksTools || offer.toolTokens !== undefined || !run.catalog.find("working_memory");
  const lacksMemoryTool = mayLack && !names.includes("working_memory");
  const inputs = {
    ...initial,
    system: lacksMemoryTool ? withoutMemoryUse(initial.system) : initial.system,
    tools: lacksTools ? [] : withCallerTools(run.catalog.specsOf(names), caller),
  };
  const assembled = await assembleWithSummaries(run, state, inputs);
  const warnings = listWarnings(state, { messages, receipt: assembled.receipt, offer, lacksTools });
  return {
    inputs,
    assembled,
    request: assembled.request,
    receipt: assembled.receipt,
    extra: await toPromptRows(run, state, { inputs, assembled, warnings }),
    question,
    isQuestionUntrusted: asked !== undefined && isUntrustedText(asked.parts),
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
async function assembleWithSummaries(
  run: PrepareContext,
  state: RunState,
  inputs: PromptInputs,
): Promise<AssembledPrompt> {
  const compactionId = run.ids.next();
  const assembled = assemble(inputs, countTokens, compactionId);
  if (assembled.compaction === null || assembled.compaction.depth === 0) return assembled;
  const place = { thread: state.view.threadId, branch: state.branchId, upTo: assembled.compaction.depth };
  const summaries = await run.summariesOf(run.store.read, place);
  const untrusted = joinSources(inputs.untrusted, ...summaries.map(({ untrusted }) => untrusted));
  return assemble(
    { ...inputs, summaries, untrusted, compacts: assembled.compaction.reason },
    countTokens,
    compactionId,
  );
}
