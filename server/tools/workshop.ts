import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Tool } from "./tool.ts";

/** What tools are made with. */
export type Workshop = { readonly clock: Clock; readonly ids: Ids; readonly tools: Config["tools"] };

/** The default export of a `*.tool.ts`: null when what it needs is not set up. */
export type CreateTool = (workshop: Workshop) => Tool | readonly Tool[] | null;
