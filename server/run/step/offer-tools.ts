import { textOf, type MessageView } from "../../../protocol/fold.ts";
import { countTools } from "../../context/assemble.ts";
import { countTokens } from "../../lib/tokens.ts";
import { chooseTools, fitTools, type GateInput, type GateMessage } from "../../tools/gate.ts";
import type { PrepareContext } from "../run-context.ts";
import type { RunState } from "../state.ts";

type OfferOptions = {
  readonly messages: readonly MessageView[];
  readonly commanded: { readonly tool: string } | undefined;
  readonly isCompacting: boolean;
  readonly budget: number;
};

/** `toolTokens`: set if the window is too small for all tools; then `leftOut` tools are not offered. */
export type Offer = {
  readonly names: readonly string[];
  readonly toolTokens: number | undefined;
  readonly leftOut: number;
};

/** Chooses the offered tools. They stay the same until the next compaction, so that the prompt prefix does. A tool that the user names is always included. */
export function chooseOffer(run: PrepareContext, state: RunState, offering: OfferOptions): Offer {
  const { messages, commanded, budget } = offering;
  const isRoomier = state.toolTokens !== undefined && budget > state.toolTokens;
  // A run that an older version started may list tools by names that are aliases now.
  const known = offering.isCompacting || isRoomier ? undefined : state.offered?.map(run.catalog.nameOf);
  const inProject = (state.scope?.projectId ?? null) !== null;
  const { catalog, profile } = run;
  const choice: GateInput = {
    catalog,
    profile,
    inProject,
    get exchange() {
      return toExchange(messages);
    },
  };
  const chosen = known ?? (state.caller?.isPlain ? listRequested(run) : chooseTools(choice));
  const { names, leftOut } = fitTools(chosen, choice, budget, (specs) => countTools(specs, countTokens));
  const toolTokens = leftOut > 0 || (known && state.toolTokens !== undefined) ? budget : undefined;
  const isMissing = commanded !== undefined && !names.includes(commanded.tool);
  return { names: isMissing ? [...names, commanded.tool].toSorted() : names, toolTokens, leftOut };
}

/** A plain request names its tools, so the others cannot be found either. */
const listRequested = ({ catalog, profile }: PrepareContext): readonly string[] =>
  [...new Set((profile.tools ?? []).map(catalog.nameOf))].filter((name) => catalog.find(name)).toSorted();

/**
 * Token budget for tool definitions: half of the window if that leaves 4,096 tokens for everything else, otherwise at least a
 * quarter. `leftForTools` also reserves space for the message that is answered.
 */
export const toToolBudget = (windowTokens: number): number =>
  Math.floor(Math.max(windowTokens / 4, Math.min(windowTokens / 2, windowTokens - 4_096)));

const toExchange = (messages: readonly MessageView[]): readonly GateMessage[] =>
  messages.map(({ role, parts }) => ({
    role,
    text: textOf(parts),
    tools: parts.flatMap((part) => (part.kind === "tool" ? [part.name] : [])),
  }));
