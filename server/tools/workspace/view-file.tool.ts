import { z } from "zod";
import { workspaceLimits } from "../../../protocol/workspace/limits.ts";
import { viewFile } from "../../workspace/workspace.ts";
import { defineTool, type CreateTool } from "../tool.ts";
import { filesGroup } from "./group.ts";
import { fillNames, Path, pathNames, toCall, locks } from "./fields.ts";

const Input = z.object({
  file_path: Path,
  lines: z
    .string()
    .max(400)
    .optional()
    .describe(`Like "1-80, 200-260"; the first ${workspaceLimits.viewLines} by default`),
});

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "view_file",
    group: filesGroup,
    aliases: ["lov-view"],
    description: "Reads a file of the workspace, with line numbers.",
    input: Input,
    repeat: "pure",
    volatile: true,
    effects: ["read"],
    limits: { timeoutMs: 10_000, resultTokens: 10_000 },
    locks,
    fill: fillNames(pathNames),
    describe: ({ file_path, lines }) => `View ${file_path}${lines ? `, lines ${lines}` : ""}`,
    summarize: (_, output) => {
      const { path, lines, shown } = output as { path: string; lines?: number; shown?: string };
      return lines === undefined ? `${path} is not text` : `read ${path} lines ${shown || "none"} of ${lines}`;
    },
    execute: async ({ file_path: path, lines }, context) => ({
      output: await viewFile(toCall(context, clock), { path, lines }),
    }),
  });
export default create;
