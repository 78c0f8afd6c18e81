import { isTerminal, type PartOf } from "../../../protocol/parts.ts";
import { listTyped } from "../../../protocol/question.ts";
import { loadWindow } from "../../thread/path.ts";
import { toPart } from "../../thread/rows.ts";
import { listCommanded } from "./list-commands.ts";
import { collectUrls, listPageRefs, type Urls } from "./known-urls.ts";
import { describeSources, findApprovalRequest } from "./approval-rules.ts";
import { USE_TOOL } from "../../tools/gate.ts";
import type { OutgoingData } from "../../tools/tool.ts";
import type { RunContext } from "../run-context.ts";
import type { RunState } from "../state.ts";
import type { ToolCallContext } from "./prepare-call.ts";
import { resolveCall } from "./resolve-call.ts";

type ToolPart = PartOf<"tool">;

/** How many messages are searched for known URLs. */
const LOOK_BACK = 50;

/** Loads the data that the calls of a step are checked against: earlier calls, grants, known URLs, remaining limits. */
export async function openToolCallContext(run: RunContext, state: RunState): Promise<ToolCallContext> {
  const { threadId, messageId } = state.view;
  const { read } = run.store;
  const untrusted = state.untrusted ?? [];
  const [rows, grants, urls, memory] = await Promise.all([
    read.partsOf(threadId, [messageId]),
    read.grants(threadId),
    untrusted.length > 0 ? readUrls(run, state) : collectUrls([], []),
    untrusted.length > 0 ? read.memory(state.ownerId) : [],
  ]);
  const before = rows.map(toPart).filter((part): part is ToolPart => part.kind === "tool");
  const earlier = before.flatMap((part) => {
    const { name, tool, input } = resolveCall(part, run.catalog);
    if (!isTerminal(part.state) || !tool || part.input === undefined) return [];
    return [
      {
        part,
        call: { name, input, pure: tool.repeat === "pure", changing: tool.volatile === true, ok: part.state === "ok" },
      },
    ];
  });
  const scope = { threadId, projectId: state.scope?.projectId ?? null, focusId: state.scope?.focusId ?? null };
  const redactor = run.secrets.redactorOf(threadId);
  const { perTool, calls: mostCalls } = run.limits;
  return {
    catalog: run.catalog,
    offered: listOffered(run, state),
    scope,
    callIds: new Set(before.map((part) => part.callId)),
    earlier,
    remaining: {
      calls: mostCalls - state.used.calls,
      perTool: toRemainingCalls(perTool, state.used.perTool ?? {}, run.catalog),
    },
    callerTools: new Set((state.caller?.tools ?? []).map(({ name }) => name)),
    isUnattended: state.caller?.isUnattended === true,
    commanded: listCommanded(state.question ?? "", state.view.step, run.catalog),
    describeUntrusted: () => (untrusted.length > 0 ? describeSources(untrusted) : { text: "" }),
    findApproval: (tool, input) =>
      findApprovalRequest({
        tool,
        input,
        untrusted,
        grants,
        scope,
        // Answers that the user typed count as the user's own words, like the message.
        question: [state.isQuestionUntrusted ? "" : (state.question ?? ""), ...before.flatMap(listTyped)].join("\n"),
        memory: new Map(memory.map(({ field, value }) => [field, value])),
        ...urls,
        sentBefore: untrusted.length > 0 ? earlier.flatMap((one) => listSent(one, run.catalog)) : [],
        holdsSecret: (text) => redactor.text(text).found.length > 0,
      }),
  };
}

/**
 * The tools that the model may call. A name that it was not offered can come from untrusted text, or from a program whose request
 * allows none of Stonechat's tools. Runs of older versions have no list.
 */
function listOffered({ catalog }: RunContext, { offered, caller, view }: RunState): ReadonlySet<string> | null {
  if (caller?.toolChoice === "none" && view.step === (caller.fromStep ?? 1)) return new Set();
  if (offered === undefined) return null;
  const names = new Set(offered.map(catalog.nameOf));
  return names.has(USE_TOOL) ? null : names;
}

/** Calls left by tool name. Limits of stored profiles and counts of older runs may use aliases. */
function toRemainingCalls(
  limits: Readonly<Record<string, number>>,
  used: Readonly<Record<string, number>>,
  { nameOf }: ToolCallContext["catalog"],
): Map<string, number> {
  const room = new Map<string, number>();
  for (const [name, most] of Object.entries(limits)) {
    room.set(nameOf(name), Math.min(most, room.get(nameOf(name)) ?? most));
  }
  for (const [name, count] of Object.entries(used)) {
    const left = room.get(nameOf(name));
    if (left !== undefined) room.set(nameOf(name), left - count);
  }
  return room;
}

/** Data sent by a call that ran or is about to run. Arguments of other calls may not match the tool's schema. */
function listSent(
  { part, call }: ToolCallContext["earlier"][number],
  catalog: ToolCallContext["catalog"],
): readonly OutgoingData[] {
  if (part.startedAt === undefined && isTerminal(part.state)) return [];
  const sent = catalog.find(call.name)?.sends?.(call.input);
  return sent ? [sent] : [];
}

async function readUrls(run: RunContext, state: RunState): Promise<Urls> {
  const place = { thread: state.view.threadId, branch: state.branchId, count: LOOK_BACK };
  const { messages } = await loadWindow(run.store.read, place);
  const metas = await run.store.read.artifactMetas(place.thread, listPageRefs(messages));
  const links = metas.flatMap((meta) => (JSON.parse(meta) as { readonly links?: readonly string[] }).links ?? []);
  return collectUrls(messages, links);
}
