import { z } from "zod";
import { planRename } from "../../workspace/workspace.ts";
import { defineTool, type CreateTool } from "../tool.ts";
import { filesGroup } from "./group.ts";
import { fillNames, limits, Path, toCall, locks } from "./fields.ts";

const Input = z.object({ original_file_path: Path, new_file_path: Path });

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "rename_file",
    group: filesGroup,
    aliases: ["lov-rename"],
    description: "Renames or moves a file or a folder of the workspace. Imports are not updated.",
    input: Input,
    repeat: "keyed",
    effects: ["write"],
    limits,
    locks,
    fill: fillNames({
      original_file_path: ["from", "old_path", "file_path", "path"],
      new_file_path: ["to", "new_path"],
    }),
    describe: ({ original_file_path, new_file_path }) => `Rename ${original_file_path} to ${new_file_path}`,
    summarize: ({ original_file_path, new_file_path }, output) => {
      const { renamed } = output as { renamed: readonly unknown[] };
      const more = renamed.length === 1 ? "" : `, ${renamed.length} files`;
      return `renamed ${original_file_path} to ${new_file_path}${more}`;
    },
    execute: ({ original_file_path: from, new_file_path: to }, context) =>
      planRename(toCall(context, clock), { from, to }),
  });
export default create;
