import { textOf, type MessageView } from "../../../protocol/fold.ts";
import type { Receipt } from "../../../protocol/context/receipt.ts";
import { threadStream } from "../../../protocol/ids.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import type { Reason } from "../../../protocol/run.ts";
import { joinSources } from "../../../protocol/context/untrusted.ts";
import {
  assemble,
  countTools,
  isYoung,
  leaveOutUnsent,
  leftForTools,
  willCompact,
  windowOf,
  type Assembled,
  type Snapshot,
} from "../../context/assemble.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { LogEntry } from "../../log/log.ts";
import type { Model } from "../../model/model.ts";
import type { Write } from "../../store/contract.ts";
import { chooseTools, fitTools, type GateInput, type GateMessage } from "../../tools/gate.ts";
import type { FoundCommand } from "../../tools/commands.ts";
import { listCommands } from "../tool-calls/list-commands.ts";
import { renderRemainingLimits } from "../limits.ts";
import { withoutMemoryUse } from "../profiles.ts";
import type { PrepareContext } from "../running.ts";
import type { Ending, RunState } from "../state.ts";
import { toLabel } from "./commit-step.ts";
import { findInterrupted, toContinuation } from "./interrupted.ts";
import { loadContext } from "./load-context.ts";
import { toNotice } from "./notice.ts";

/** Loads the inputs of a model call and assembles its request. New rows (`extra`) are committed with the call's intent. */
export async function prepare(run: PrepareContext, state: RunState, model: Model | undefined, last: Ending | null) {
  const modelId = state.at.kind === "ready" ? state.at.model : state.model;
  const claimed = model?.info.windowTokens ?? null;
  const { learned, turnContext, ...loaded } = await loadContext(run, state, { id: modelId, windowTokens: claimed });
  const sending = { sendsReasoning: model?.sendsReasoning, vision: model?.info.vision === true };
  const context = { ...loaded, ...leaveOutUnsent(loaded, sending, countTokens) };
  const { messages } = context;
  const asked = messages.findLast(({ role }) => role === "user");
  const question = asked ? textOf(asked.parts) : "";
  const commands = listCommands(question, run.catalog);
  const commanded = commands[(state.at.kind === "ready" ? state.at.step : 1) - 1];
  const left = renderRemainingLimits(state, run.limits, run.clock.now(), last !== null);
  const lacksTools = run.models.lacksTools(modelId);
  const continues = state.continues ? findInterrupted(messages) : null;
  const draft: Snapshot = {
    ...context,
    system: run.profile.instructions,
    tools: lacksTools ? [] : run.catalog.specsOf(state.offered ?? []),
    note: [
      ...renderCommand(commands, commanded),
      ...(continues ? [toContinuation(continues)] : isContinued(messages) ? [CONTINUED] : []),
      ...(left === undefined ? [] : [left]),
    ].join(" "),
    toolChoice: last ? "none" : commanded ? { tool: commanded.tool } : "auto",
    effort: state.effort ?? "medium",
    model: {
      id: modelId,
      windowTokens: claimed,
      learned,
      prices: model?.info.prices ?? UNPRICED,
    },
  };
  const isCompacting = !isYoung(draft) && willCompact(draft, countTokens);
  const usual = toToolBudget(windowOf(draft.model, draft.tooLong));
  const budget = Math.min(usual, leftForTools(draft, countTokens) ?? usual);
  const offer = chooseOffer(run, state, { messages, commanded, isCompacting, budget });
  const names = lacksTools ? [] : offer.names;
  const lacksMemoryTool = (lacksTools || offer.toolTokens !== undefined) && !names.includes("working_memory");
  const snapshot = {
    ...draft,
    system: lacksMemoryTool ? withoutMemoryUse(draft.system) : draft.system,
    tools: run.catalog.specsOf(names),
  };
  const assembled = await assembleWithSummaries(run, state, snapshot);
  return {
    snapshot,
    assembled,
    request: assembled.request,
    receipt: assembled.receipt,
    extra: await toExtra(run, state, {
      snapshot,
      assembled,
      warnings: [
        ...(lacksTools
          ? isNoticed(messages, NO_TOOLS.code)
            ? []
            : [NO_TOOLS]
          : findWarning(state, assembled.receipt, offer)),
        ...warnOfShortened(messages, state, assembled.receipt),
        ...warnOfPictures(messages, assembled.receipt),
      ],
    }),
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
  const epochId = run.ids.next();
  const assembled = assemble(snapshot, countTokens, epochId);
  if (assembled.compaction === null || assembled.compaction.depth === 0) return assembled;
  const place = { thread: state.view.threadId, branch: state.branchId, upTo: assembled.compaction.depth };
  const chunks = await run.chunksOf(run.store.read, place);
  const untrusted = joinSources(snapshot.untrusted, ...chunks.map((chunk) => chunk.untrusted));
  return assemble({ ...snapshot, chunks, untrusted, compacts: assembled.compaction.reason }, countTokens, epochId);
}

const UNPRICED = { input: null, output: null, cacheRead: null, cacheWrite: null };

type OfferOptions = {
  readonly messages: readonly MessageView[];
  readonly commanded: { readonly tool: string } | undefined;
  readonly isCompacting: boolean;
  readonly budget: number;
};

/** `toolTokens`: set if the window is too small for all tools; then `leftOut` tools are not offered. */
type Offer = { readonly names: readonly string[]; readonly toolTokens: number | undefined; readonly leftOut: number };

/** Chooses the offered tools. They stay the same until the next compaction, so that the prompt prefix does. A tool that the user names is always included. */
function chooseOffer(run: PrepareContext, state: RunState, offering: OfferOptions): Offer {
  const { messages, commanded, budget } = offering;
  const isRoomier = state.toolTokens !== undefined && budget > state.toolTokens;
  // A run that an older version started may list tools by names that are aliases now.
  const known = offering.isCompacting || isRoomier ? undefined : state.offered?.map(run.catalog.nameOf);
  const inProject = (state.place?.projectId ?? null) !== null;
  const { catalog, profile } = run;
  const choice: GateInput = {
    catalog,
    profile,
    inProject,
    get exchange() {
      return toExchange(messages);
    },
  };
  const chosen = known ?? chooseTools(choice);
  const { names, leftOut } = fitTools(chosen, choice, budget, (specs) => countTools(specs, countTokens));
  const toolTokens = leftOut > 0 || (known && state.toolTokens !== undefined) ? budget : undefined;
  const isMissing = commanded !== undefined && !names.includes(commanded.tool);
  return { names: isMissing ? [...names, commanded.tool].toSorted() : names, toolTokens, leftOut };
}

/**
 * Token budget for tool definitions: half of the window if that leaves 4,096 tokens for everything else, otherwise at least a
 * quarter. `leftForTools` also reserves space for the message that is answered.
 */
const toToolBudget = (windowTokens: number): number =>
  Math.floor(Math.max(windowTokens / 4, Math.min(windowTokens / 2, windowTokens - 4_096)));

/** Warnings about a small window. Shown once per answer; about tools once per window size. */
function findWarning(state: RunState, { budget, checks, promptTokens }: Receipt, offer: Offer): readonly Reason[] {
  const window = budget.window.toLocaleString("en-US");
  const isFirst = state.at.kind === "ready" && state.at.step === 1 && state.at.tries.length === 0;
  if (isFirst && checks.some(({ name, ok }) => name === "within-window" && !ok)) {
    const text =
      `This model's context window of ${window} tokens is too small for this prompt (${promptTokens.toLocaleString("en-US")} ` +
      `tokens) and an answer, so the answer may be cut. Choose a model with a larger window.`;
    return [{ code: "window-too-small", text }];
  }
  // After a `too-long` error the user has already seen a notice, and the window is only an estimate.
  if (offer.leftOut === 0 || (state.tooLong ?? null) !== null) return [];
  if (state.toolTokens !== undefined && state.toolTokens <= (offer.toolTokens ?? 0)) return [];
  const all = offer.names.length + offer.leftOut;
  const text =
    `This model's context window of ${window} tokens is too small for all tools: ${offer.names.length} of ${all} are offered. ` +
    `Choose a model with a larger window to use the others.`;
  return [{ code: "fewer-tools", text }];
}

/** Warning that the user's message was shortened. Shown once per answer. */
function warnOfShortened(
  messages: readonly MessageView[],
  { view }: RunState,
  { items, budget, promptTokens }: Receipt,
): readonly Reason[] {
  const own = new Set(messages.flatMap(({ id, role }) => (role === "user" ? [id] : [])));
  const cut = items.find(
    ({ slot, kind, id, room }) => slot === "now" && kind === "message" && room !== undefined && own.has(id),
  );
  const answer = messages.filter(({ id }) => id === view.messageId);
  if (!cut || isNoticed(answer, SHORTENED_MESSAGE)) return [];
  const beside = promptTokens - cut.tokens;
  const left = Math.max(0, budget.window - budget.reserve - beside);
  const numbers = [cut.tokens, cut.shortenedFrom ?? 0, budget.window, left, beside, budget.reserve];
  const [tokens, from, window, leftText, besideText, reserve] = numbers.map((n) => n.toLocaleString("en-US"));
  const text =
    `Your message of ${from} tokens is too long for this model: its context window of ${window} tokens leaves ${leftText} for it ` +
    `after ${besideText} for instructions, tools and context and ${reserve} for the answer. Only its beginning and end are sent, ` +
    `${tokens} tokens in all. Send it in parts, or choose a model with a larger window.`;
  return [{ code: SHORTENED_MESSAGE, text }];
}

const SHORTENED_MESSAGE = "message-shortened";

/** Warning about images that were not sent. Each image is named once per thread. */
function warnOfPictures(messages: readonly MessageView[], { items }: Receipt): readonly Reason[] {
  const notices = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === "notice" && part.code === PICTURES_NOT_SENT ? [part.text] : [])),
  );
  const unsent = items.flatMap(({ id, notSent = [] }) =>
    notSent.flatMap(({ part: n, why }) => {
      const part = messages.find((message) => message.id === id)?.parts.find((one) => one.n === n);
      const name = part?.kind === "file" ? (part.name ?? "a picture") : "a picture";
      return notices.some((text) => text.includes(name)) ? [] : [{ name, why }];
    }),
  );
  return [...Map.groupBy(unsent, ({ why }) => why)].map(([why, list]) => {
    const names = [...new Set(list.map(({ name }) => name))];
    const reason = why === "no-vision" ? "This model does not accept images" : "Newer images fill the request";
    const text = `${reason}: ${names.join(", ")} ${names.length === 1 ? "was" : "were"} not sent.`;
    return { code: PICTURES_NOT_SENT, text };
  });
}

const PICTURES_NOT_SENT = "pictures-not-sent";

type Extra = { readonly snapshot: Snapshot; readonly assembled: Assembled; readonly warnings: readonly Reason[] };

/** Rows to commit with the call's intent: context update, warnings, compaction, and the texts that the receipt refers to. */
async function toExtra(run: PrepareContext, state: RunState, { snapshot, assembled, warnings }: Extra) {
  const { receipt, compaction, update } = assembled;
  const { threadId, messageId } = state.view;
  const stream = threadStream(threadId);
  const now = run.clock.now();
  const events: LogEntry[] = [];
  const writes: Write[] = [];
  if (update) {
    const { tokens, ...rest } = update;
    const n = snapshot.answer.part;
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
    const nextPart = snapshot.answer.part + (update ? 1 : 0) + index;
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
      model: snapshot.model.id,
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
  writes.push(...(await storeText(run, receipt.recipe.system, () => snapshot.system)));
  writes.push(...(await storeText(run, receipt.recipe.tools, () => JSON.stringify(snapshot.tools))));
  return { events, writes, parts: (update ? 1 : 0) + warnings.length };
}

/** Shown once per thread. */
const NO_TOOLS = { code: "no-tools", text: "This model does not support tools, so it is called without them." };

const isNoticed = (messages: readonly MessageView[], code: string): boolean =>
  messages.some(({ parts }) => parts.some((part) => part.kind === "notice" && part.code === code));

/** These texts are few and shared by all threads. Once known to be stored, they are not looked up again. */
async function storeText(run: PrepareContext, hash: string, toBody: () => string): Promise<readonly Write[]> {
  if (run.storedTexts.has(hash)) return [];
  if ((await run.store.read.text(hash)) === undefined) {
    return [{ do: "insert", table: "texts", row: { hash, body: toBody() }, ifAbsent: true }];
  }
  run.storedTexts.add(hash);
  return [];
}

const toExchange = (messages: readonly MessageView[]): readonly GateMessage[] =>
  messages.map(({ role, parts }) => ({
    role,
    text: textOf(parts),
    tools: parts.flatMap((part) => (part.kind === "tool" ? [part.name] : [])),
  }));

/** With several commands in one message, each step handles one of them. */
const renderCommand = (all: readonly FoundCommand[], now: FoundCommand | undefined): readonly string[] =>
  all.length > 1 && now ? [`[Now do only ${now.command}, with ${now.tool}: “${now.text.slice(0, MAX_COMMAND)}”.]`] : [];

const MAX_COMMAND = 500;

const CONTINUED = "[The user extended the limit of this answer. Continue from where it stopped.]";

function isContinued(messages: readonly MessageView[]): boolean {
  const said = messages.at(-1)?.parts.findLast((part) => part.kind === "text" || part.kind === "tool");
  return messages.at(-1)?.role === "assistant" && said?.kind === "text" && said.aside === undefined;
}
