import { z } from "zod";
import type { PartOf } from "../../../protocol/parts.ts";
import { defineTool, type Tool } from "../../../server/tools/tool.ts";
import type { Follower } from "../instance.ts";

/** A tool with defaults for everything that a test does not set. */
export const tool = (given: Partial<Tool> & Pick<Tool, "name">): Tool =>
  defineTool({
    description: "for a test",
    input: z.object({ q: z.string().optional() }),
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 5000 },
    execute: async () => ({ output: "found" }),
    ...given,
  } as Tool);

export const toolParts = (live: Follower): PartOf<"tool">[] =>
  live.view().messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));
