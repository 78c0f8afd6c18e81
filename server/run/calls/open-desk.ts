import { isTerminal, type PartOf } from "../../../protocol/parts.ts";
import { loadWindow } from "../../thread/path.ts";
import { toPart } from "../../thread/rows.ts";
import { listCommanded } from "./list-commands.ts";
import { collectUrls, listPageRefs } from "./policy/known-urls.ts";
import { findQuestion } from "./policy/policy.ts";
import type { Running } from "../running.ts";
import type { RunState } from "../state.ts";
import type { Desk } from "./prepare-call.ts";
import { resolveCall } from "./resolve-call.ts";

type ToolPart = PartOf<"tool">;

/** Messages whose addresses are known. */
const LOOK_BACK = 50;

/** Gathers what the calls of a step are judged by: what was called before, what was allowed, what may be sent. */
export async function openDesk(run: Running, state: RunState): Promise<Desk> {
  const { threadId, messageId } = state.view;
  const { read } = run.store;
  const untrusted = state.untrusted ?? [];
  const [rows, grants, knownUrls] = await Promise.all([
    read.partsOf(threadId, [messageId]),
    read.grants(threadId),
    untrusted.length > 0 ? readUrls(run, state) : new Set<string>(),
  ]);
  const before = rows.map(toPart).filter((part): part is ToolPart => part.kind === "tool");
  const made = before.flatMap((part) => {
    const { name, tool, input } = resolveCall(part, run.catalog);
    if (!isTerminal(part.state) || !tool || part.input === undefined) return [];
    return [
      {
        part,
        call: { name, input, pure: tool.repeat === "pure", changing: tool.changing === true, ok: part.state === "ok" },
      },
    ];
  });
  const redactor = run.secrets.redactorOf(threadId);
  const { perTool, calls: mostCalls } = run.limits;
  return {
    catalog: run.catalog,
    scope: { threadId, projectId: state.place?.projectId ?? null, focusId: state.place?.focusId ?? null },
    callIds: new Set(before.map((part) => part.callId)),
    made,
    room: {
      calls: mostCalls - state.used.calls,
      perTool: new Map(Object.entries(perTool).map(([name, most]) => [name, most - (state.used.perTool?.[name] ?? 0)])),
    },
    commanded: listCommanded(state.question ?? "", state.view.step, run.catalog),
    ask: (tool, input) =>
      findQuestion({
        tool,
        input,
        untrusted,
        grants,
        question: state.question ?? "",
        knownUrls,
        holdsSecret: (text) => redactor.text(text).found.length > 0,
      }),
  };
}

async function readUrls(run: Running, state: RunState): Promise<ReadonlySet<string>> {
  const place = { thread: state.view.threadId, branch: state.branchId, count: LOOK_BACK };
  const { messages } = await loadWindow(run.store.read, place);
  const metas = await run.store.read.artifactMetas(place.thread, listPageRefs(messages));
  const links = metas.flatMap((meta) => (JSON.parse(meta) as { readonly links?: readonly string[] }).links ?? []);
  return collectUrls(messages, links);
}
