import { z } from "zod";
import { searchFiles } from "../../workspace/workspace.ts";
import { defineTool, type CreateTool } from "../tool.ts";
import { filesGroup } from "./group.ts";
import { fillNames, toCall, locks } from "./fields.ts";

const Pattern = z.string().max(300).optional();

const Input = z.object({
  query: z.string().min(1).max(300).describe("A regular expression (RE2), matched line by line"),
  include_pattern: Pattern.describe("Like src/**/*.tsx"),
  exclude_pattern: Pattern,
  case_sensitive: z.boolean().optional(),
});

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "search_files",
    group: filesGroup,
    aliases: ["lov-search-files"],
    description: "Searches the files of the workspace.",
    input: Input,
    repeat: "pure",
    volatile: true,
    effects: ["read"],
    limits: { timeoutMs: 15_000, resultTokens: 4_000 },
    locks,
    fill: fillNames({ query: ["pattern", "regex"], include_pattern: ["include"], exclude_pattern: ["exclude"] }),
    describe: ({ query, include_pattern }) =>
      `Search files for ${query}${include_pattern ? ` in ${include_pattern}` : ""}`,
    summarize: ({ query }, output) => {
      const { total, files } = output as { total: number; files: number };
      return `found ${total} lines in ${files} files for ${query}`;
    },
    execute: async (
      { query, include_pattern: include, exclude_pattern: exclude, case_sensitive = false },
      context,
    ) => ({
      output: await searchFiles(toCall(context, clock), {
        pattern: query,
        include,
        exclude,
        caseSensitive: case_sensitive,
      }),
    }),
  });
export default create;
