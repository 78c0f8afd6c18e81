import { z } from "zod";
import { defineTool, type Tool } from "../../../server/tools/tool.ts";

/** A tool without effects that has a source. */
export const lookTool: Tool = defineTool({
  name: "look",
  description: "Looks something up, for a test.",
  input: z.object({ q: z.string() }),
  repeat: "pure",
  effects: ["read"],
  limits: { timeoutMs: 5000 },
  describe: ({ q }) => `look ${q}`,
  execute: async ({ q }, { addSource }) => {
    addSource({ url: `https://example.com/${q}`, title: "A page", status: "read" });
    return { output: { seen: q } };
  },
});
