import { z } from "zod";
import { planWrite, type Written } from "../../workspace/workspace.ts";
import { defineTool, type CreateTool } from "../tool.ts";
import { FileText, fillNames, limits, Path, pathNames, toCall, locks } from "./fields.ts";

const Input = z.object({
  file_path: Path,
  content: FileText.describe(
    "All of the file, or unchanged stretches left out as a comment: // ... keep existing code",
  ),
});

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "write_file",
    aliases: ["lov-write"],
    description: "Writes a whole file of the workspace, new or not. For a few lines of a file use replace_lines.",
    input: Input,
    repeat: "keyed",
    effects: ["write"],
    limits,
    locks,
    fill: fillNames({ ...pathNames, content: ["text", "contents"] }),
    describe: ({ file_path }) => `Write ${file_path}`,
    summarize: (_, output) => {
      const { did, path, added, removed, lines } = output as Written;
      if (did === "nothing") return `${path} was as wanted already`;
      return did === "created" ? `created ${path}, ${lines} lines` : `wrote ${path}, +${added} -${removed}`;
    },
    execute: ({ file_path: path, content }, context) => planWrite(toCall(context, clock), { path, content }),
  });
export default create;
