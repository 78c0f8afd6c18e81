import { z } from "zod";
import { say, sentence } from "../../../protocol/sentences.ts";
import { planDelete } from "../../workspace/workspace.ts";
import { defineTool, type CreateTool } from "../tool.ts";
import { filesGroup } from "./group.ts";
import { fillNames, limits, Path, pathNames, toCall, locks } from "./fields.ts";

const Input = z.object({
  file_path: Path,
  folder: z.boolean().optional().describe("Set to delete a folder with all its files"),
});

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "delete_file",
    group: filesGroup,
    aliases: ["lov-delete"],
    description: "Deletes a file of the workspace. The user can undo it.",
    input: Input,
    repeat: "keyed",
    effects: ["write"],
    limits,
    locks,
    fill: fillNames(pathNames),
    approvalReason: ({ file_path, folder }) => (folder ? say(sentence("asks-folder", file_path)) : undefined),
    approvalReasonIfUntrusted: () => say(sentence("asks-files")),
    describe: ({ file_path, folder }) => `Delete ${folder ? "the folder " : ""}${file_path}`,
    summarize: ({ file_path }, output) => {
      const { deleted } = output as { deleted: readonly string[] };
      return deleted.length === 1 ? `deleted ${deleted[0]}` : `deleted ${file_path}, ${deleted.length} files`;
    },
    execute: ({ file_path: path, folder = false }, context) => planDelete(toCall(context, clock), { path, folder }),
  });
export default create;
