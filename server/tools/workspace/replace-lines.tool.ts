import { z } from "zod";
import { planLineEdit, type WriteOutput } from "../../workspace/workspace.ts";
import { defineTool, type CreateTool } from "../tool.ts";
import { filesGroup } from "./group.ts";
import { FileText, fillNames, limits, Path, pathNames, toCall, locks } from "./fields.ts";

const LineNumber = z.coerce.number().int().min(1).max(10_000_000).optional();

const Input = z.object({
  file_path: Path,
  search: FileText.describe('Whole lines exactly as in the file. A line "..." replaces omitted lines in the middle'),
  first_replaced_line: LineNumber.describe("From 1"),
  last_replaced_line: LineNumber,
  replace: FileText.describe("The new lines; empty deletes the lines"),
});
type Input = z.infer<typeof Input>;

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "replace_lines",
    group: filesGroup,
    aliases: ["lov-line-replace", "edit_file"],
    description:
      "Replaces lines of a file after checking that they match search. On a mismatch nothing changes and the current lines are returned.",
    input: Input,
    repeat: "keyed",
    effects: ["write"],
    limits,
    locks,
    fill: fillNames({
      ...pathNames,
      search: ["old_string", "old_str", "old_text", "old"],
      replace: ["new_string", "new_str", "new_text", "new", "replacement"],
      first_replaced_line: ["first_line", "start_line"],
      last_replaced_line: ["last_line", "end_line"],
    }),
    describe: (input) => `Edit ${input.file_path}${describeLines(input)}`,
    summarize: (_, output) => {
      const { path, replaced = "", added, removed } = output as WriteOutput;
      return `edited ${path} ${replaced.includes("-") ? "lines" : "line"} ${replaced}, +${added} -${removed}`;
    },
    execute: ({ file_path: path, search, replace, first_replaced_line: first, last_replaced_line: last }, context) =>
      planLineEdit(toCall(context, clock), { path, search, replace, first, last }),
  });
export default create;

const describeLines = ({ first_replaced_line: first, last_replaced_line: last }: Input): string => {
  if (first === undefined) return "";
  return last === undefined || last === first ? `, line ${first}` : `, lines ${first}-${last}`;
};
