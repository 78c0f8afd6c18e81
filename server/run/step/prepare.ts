import { textOf, type MessageView } from "../../../protocol/fold.ts";
import type { Part } from "../../../protocol/parts.ts";
import { assemble, MESSAGES_LIMIT } from "../../context/assemble.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { Model } from "../../model/model.ts";
import type { RowOf } from "../../store/schema.ts";
import { loadWindow } from "../../thread/path.ts";
import { chooseTools, type Spoken } from "../../tools/gate.ts";
import { listCommands } from "../calls/list-commands.ts";
import { resolveCall } from "../calls/resolve-call.ts";
import { tellWhatIsLeft } from "../limits.ts";
import type { Running } from "../running.ts";
import type { Ending, RunState } from "../state.ts";

/** Reads what a call is made of, and assembles it. */
export async function prepare(run: Running, state: RunState, model: Model | undefined, last: Ending | null) {
  const { threadId } = state.view;
  const { messages, tokens } = await loadWindow(run.store.read, {
    thread: threadId,
    branch: state.branchId,
    count: MESSAGES_LIMIT,
  });
  const memory = await run.store.read.memory(state.ownerId);
  const asked = messages.findLast(({ role }) => role === "user");
  const question = asked ? textOf(asked.parts) : "";
  const commanded = listCommands(question, run.catalog)[(state.at.kind === "ready" ? state.at.step : 1) - 1];
  const chosen =
    state.offered ?? chooseTools({ catalog: run.catalog, profile: run.profile, exchange: toExchange(messages) });
  const offered = commanded && !chosen.includes(commanded.tool) ? [...chosen, commanded.tool].toSorted() : chosen;
  const left = tellWhatIsLeft(state, run.limits, run.clock.now(), last !== null);
  const said = messages.at(-1)?.parts.findLast((part) => part.kind === "text" || part.kind === "tool");
  const isContinued = messages.at(-1)?.role === "assistant" && said?.kind === "text" && said.aside === undefined;
  const assembled = assemble(
    {
      system: [run.profile.instructions, ...tellMemory(memory)].join("\n\n"),
      messages,
      counts: tokens,
      tools: run.catalog.specsOf(offered),
      note: [...(isContinued ? [CONTINUED] : []), ...(left === undefined ? [] : [left])].join(" "),
      toolChoice: last ? "none" : commanded ? { tool: commanded.tool } : "auto",
      effort: "medium",
      model: {
        id: state.at.kind === "ready" ? state.at.model : state.model,
        windowTokens: model?.info.windowTokens ?? null,
      },
      earlierMessages: Math.max(0, (messages[0]?.depth ?? 1) - 1),
    },
    countTokens,
  );
  return {
    ...assembled,
    question,
    offered,
    tainted: state.tainted === true || messages.some(({ parts }) => parts.some((part) => isForeign(run, part))),
  };
}

/** What is remembered of the person, as data. */
const tellMemory = (rows: readonly RowOf<"memory">[]): readonly string[] => {
  const known = rows.flatMap(({ field, value }) => (value === "" ? [] : [`${field}: ${JSON.stringify(value)}`]));
  return known.length ? [`What is remembered about the person:\n${known.join("\n")}`] : [];
};

const toExchange = (messages: readonly MessageView[]): readonly Spoken[] =>
  messages.map(({ role, parts }) => ({
    role,
    text: textOf(parts),
    tools: parts.flatMap((part) => (part.kind === "tool" ? [part.name] : [])),
  }));

const CONTINUED = "[The person gave this answer more room. Go on from where it stopped.]";

/** Text that others wrote, whichever turn it came in. */
const isForeign = (run: Running, part: Part): boolean =>
  part.kind === "tool" && part.state === "ok" && resolveCall(part, run.catalog).tool?.untrusted === true;
