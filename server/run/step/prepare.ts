import { textOf, type MessageView } from "../../../protocol/fold.ts";
import { threadStream } from "../../../protocol/ids.ts";
import type { Part, PartOf } from "../../../protocol/parts.ts";
import { assemble, isYoung, willCompact, type Assembled, type Snapshot } from "../../context/assemble.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { LogEntry } from "../../log/log.ts";
import type { Model } from "../../model/model.ts";
import type { Write } from "../../store/contract.ts";
import { chooseTools, type Spoken } from "../../tools/gate.ts";
import { listCommands } from "../calls/list-commands.ts";
import { resolveCall } from "../calls/resolve-call.ts";
import { tellWhatIsLeft } from "../limits.ts";
import type { Preparing } from "../running.ts";
import type { Ending, RunState } from "../state.ts";
import { loadContext } from "./load-context.ts";
import { toNotice } from "./notice.ts";

/** Reads what a call is made of, and assembles it. What is new in it is committed with the call's intent. */
export async function prepare(run: Preparing, state: RunState, model: Model | undefined, last: Ending | null) {
  const context = await loadContext(run, state, model?.info.windowTokens ?? null);
  const { messages } = context;
  const asked = messages.findLast(({ role }) => role === "user");
  const question = asked ? textOf(asked.parts) : "";
  const commanded = listCommands(question, run.catalog)[(state.at.kind === "ready" ? state.at.step : 1) - 1];
  const left = tellWhatIsLeft(state, run.limits, run.clock.now(), last !== null);
  const tainted = state.tainted === true || messages.some(({ parts }) => parts.some((part) => isForeign(run, part)));
  const modelId = state.at.kind === "ready" ? state.at.model : state.model;
  const lacksTools = run.models.lacksTools(modelId);
  const draft: Snapshot = {
    ...context,
    tainted,
    system: run.profile.instructions,
    tools: lacksTools ? [] : run.catalog.specsOf(state.offered ?? []),
    note: [...(isContinued(messages) ? [CONTINUED] : []), ...(left === undefined ? [] : [left])].join(" "),
    toolChoice: last ? "none" : commanded ? { tool: commanded.tool } : "auto",
    effort: state.effort ?? "medium",
    model: {
      id: modelId,
      windowTokens: model?.info.windowTokens ?? null,
      prices: model?.info.prices ?? UNPRICED,
    },
  };
  const offered = offer(run, state, { messages, commanded, anew: !isYoung(draft) && willCompact(draft, countTokens) });
  const snapshot = { ...draft, tools: lacksTools ? [] : run.catalog.specsOf(offered) };
  const assembled = await assembleWithSummaries(run, state, snapshot);
  count(run, assembled);
  return {
    snapshot,
    assembled,
    request: assembled.request,
    receipt: assembled.receipt,
    extra: await toExtra(run, state, { snapshot, assembled, isToolless: lacksTools && !isNoticed(messages) }),
    question,
    offered,
    turnContext: context.turnContext,
    tainted: tainted || assembled.epoch?.state.tainted === true || snapshot.epoch?.state.tainted === true,
  };
}

/**
 * A compaction includes every summary up to its cut, at whichever step of an answer it happens. The cut does not depend on
 * them, so they are read only when there is one: O(window), and nothing extra for the other calls.
 */
async function assembleWithSummaries(run: Preparing, state: RunState, snapshot: Snapshot): Promise<Assembled> {
  const epochId = run.ids.next();
  const assembled = assemble(snapshot, countTokens, epochId);
  if (assembled.epoch === null || assembled.epoch.depth === 0) return assembled;
  const place = { thread: state.view.threadId, branch: state.branchId, upTo: assembled.epoch.depth };
  const chunks = await run.chunksOf(run.store.read, place);
  return assemble({ ...snapshot, chunks, compacts: assembled.epoch.reason }, countTokens, epochId);
}

function count({ promptCounts }: Preparing, { receipt, epoch }: Assembled): void {
  promptCounts.prompts += 1;
  if (receipt.cache.broke === "unexplained") promptCounts.prefixBreaks += 1;
  if (epoch) promptCounts.epochs += 1;
}

const UNPRICED = { input: null, output: null, cacheRead: null, cacheWrite: null };

type Offering = {
  readonly messages: readonly MessageView[];
  readonly commanded: { readonly tool: string } | undefined;
  readonly anew: boolean;
};

/** The same throughout an epoch, so that prompts begin the same; a tool that the person names is there in any case. */
function offer(run: Preparing, state: RunState, { messages, commanded, anew }: Offering): readonly string[] {
  const known = anew ? undefined : state.offered;
  const inProject = (state.place?.projectId ?? null) !== null;
  const { catalog, profile } = run;
  const chosen = known ?? chooseTools({ catalog, profile, inProject, exchange: toExchange(messages) });
  return commanded && !chosen.includes(commanded.tool) ? [...chosen, commanded.tool].toSorted() : chosen;
}

type Extra = { readonly snapshot: Snapshot; readonly assembled: Assembled; readonly isToolless: boolean };

/** An epoch, what was told ahead of the person's words, the texts that the receipt names, and a notice that tools are left out. */
async function toExtra(run: Preparing, state: RunState, { snapshot, assembled, isToolless }: Extra) {
  const { receipt, epoch, told } = assembled;
  const { threadId, messageId } = state.view;
  const stream = threadStream(threadId);
  const now = run.clock.now();
  const events: LogEntry[] = [];
  const writes: Write[] = [];
  if (told) {
    const { tokens, ...rest } = told;
    const n = snapshot.answer.part;
    const part: PartOf<"context"> = {
      id: `${messageId}.${n}`,
      v: 1,
      n,
      step: state.view.step,
      kind: "context",
      ...rest,
    };
    events.push({ stream, event: { type: "part-settled", messageId, part }, tokens });
  }
  if (isToolless) {
    const nextPart = snapshot.answer.part + (told ? 1 : 0);
    const part = toNotice({ ...state, nextPart }, NO_TOOLS);
    events.push({ stream, event: { type: "part-settled", messageId, part } });
  }
  if (epoch && receipt.epoch.id !== null) {
    const { depth, head, state: body, reason, tokensBefore } = epoch;
    const row = {
      id: receipt.epoch.id,
      thread: threadId,
      branch: state.branchId,
      depth,
      message: messageId,
      reason,
      model: snapshot.model.id,
      tokens_before: tokensBefore,
      tokens_after: receipt.promptTokens - receipt.budget.fixed,
      head,
      body: JSON.stringify(body),
      undone: 0,
      created_at: now,
    };
    writes.push({ do: "insert", table: "epochs", row });
    events.push({ stream, event: { type: "context-changed", what: "epochs" } });
  }
  writes.push(...(await storeText(run, receipt.recipe.system, () => snapshot.system)));
  writes.push(...(await storeText(run, receipt.recipe.tools, () => JSON.stringify(snapshot.tools))));
  return { events, writes, parts: (told ? 1 : 0) + (isToolless ? 1 : 0) };
}

const NO_TOOLS = { code: "no-tools", text: "This model does not take tools, so it is asked without them." };

/** Said once in a thread. */
const isNoticed = (messages: readonly MessageView[]): boolean =>
  messages.some(({ parts }) => parts.some((part) => part.kind === "notice" && part.code === NO_TOOLS.code));

/** Few and shared by all threads: once seen stored, they are not looked up again. */
async function storeText(run: Preparing, hash: string, toBody: () => string): Promise<readonly Write[]> {
  if (run.storedTexts.has(hash)) return [];
  if ((await run.store.read.text(hash)) === undefined) {
    return [{ do: "insert", table: "texts", row: { hash, body: toBody() }, ifAbsent: true }];
  }
  run.storedTexts.add(hash);
  return [];
}

const toExchange = (messages: readonly MessageView[]): readonly Spoken[] =>
  messages.map(({ role, parts }) => ({
    role,
    text: textOf(parts),
    tools: parts.flatMap((part) => (part.kind === "tool" ? [part.name] : [])),
  }));

const CONTINUED = "[The person gave this answer more room. Go on from where it stopped.]";

function isContinued(messages: readonly MessageView[]): boolean {
  const said = messages.at(-1)?.parts.findLast((part) => part.kind === "text" || part.kind === "tool");
  return messages.at(-1)?.role === "assistant" && said?.kind === "text" && said.aside === undefined;
}

/** Text that others wrote, whichever turn it came in. */
const isForeign = (run: Preparing, part: Part): boolean =>
  part.kind === "file" ||
  (part.kind === "tool" && part.state === "ok" && resolveCall(part, run.catalog).tool?.untrusted === true);
