import { documents, loadingModels, plain, statuses } from "./bodies.ts";
import { finishReasons, silentEnds, wires } from "./endings.ts";
import { hosted } from "./hosted.ts";
import { reasoningEnds } from "./reasoning.ts";
import type { Scenario } from "./scenario.ts";
import { tooLong, unknownErrors } from "./too-long.ts";
import { cutCalls, noTools, wholeCalls } from "./tools.ts";
import { silences } from "./waiting.ts";

/** Every scenario, under its heading in docs/providers.md. */
export const groups: readonly { readonly title: string; readonly scenarios: readonly Scenario[] }[] = [
  { title: "Plain answers", scenarios: plain },
  { title: "Prompt too long", scenarios: tooLong },
  { title: "Unknown errors", scenarios: unknownErrors },
  { title: "Finish reasons", scenarios: [...finishReasons, ...silentEnds] },
  { title: "Reasoning", scenarios: reasoningEnds },
  { title: "Streams", scenarios: wires },
  { title: "Tool calls", scenarios: [...cutCalls, ...wholeCalls] },
  { title: "Models without tools", scenarios: noTools },
  { title: "Documents instead of streams", scenarios: documents },
  { title: "HTTP statuses", scenarios: statuses },
  { title: "Loading and silence", scenarios: [...loadingModels, ...silences] },
  { title: "Hosted providers", scenarios: hosted },
];

export const scenarios: readonly Scenario[] = groups.flatMap((group) => group.scenarios);
