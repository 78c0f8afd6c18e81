import { z } from "zod";
import { planWrite, type WriteOutput } from "../../workspace/workspace.ts";
import { defineTool, type CreateTool } from "../tool.ts";
import { filesGroup } from "./group.ts";
import { FileText, fillNames, limits, Path, pathNames, toCall, locks } from "./fields.ts";

const Input = z.object({
  file_path: Path,
  content: FileText.describe("The whole file. Unchanged parts may be replaced by a comment: // ... keep existing code"),
});

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "write_file",
    group: filesGroup,
    aliases: ["lov-write"],
    description: "Creates or overwrites a file of the workspace. To change a few lines use replace_lines.",
    input: Input,
    repeat: "keyed",
    effects: ["write"],
    limits,
    locks,
    fill: fillNames({ ...pathNames, content: ["text", "contents"] }),
    describe: ({ file_path }) => `Write ${file_path}`,
    summarize: (_, output) => {
      const { did, path, added, removed, lines } = output as WriteOutput;
      if (did === "nothing") return `${path} already had this content`;
      return did === "created" ? `created ${path}, ${lines} lines` : `wrote ${path}, +${added} -${removed}`;
    },
    execute: ({ file_path: path, content }, context) => planWrite(toCall(context, clock), { path, content }),
  });
export default create;
