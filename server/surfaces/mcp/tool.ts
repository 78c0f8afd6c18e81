import type { CallToolResult, InputRequiredResult, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { McpRequest } from "./request.ts";
import { toResult } from "./result.ts";

/** An id of a thread, project or other object. */
export const Id = z.string().min(1).max(128);

/** A tool of our MCP server. `run` may throw an `ApiError`, which becomes the tool's error. */
export type McpTool<Input = unknown> = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly annotations: ToolAnnotations;
  readonly run: (input: Input, request: McpRequest) => Promise<CallToolResult | InputRequiredResult>;
};

type Reader<Input> = Omit<McpTool<Input>, "run" | "annotations"> & {
  readonly read: (input: Input, request: McpRequest) => Promise<object>;
};

/** Type-checks a tool against its own input, then erases that type so that one list can hold every tool. */
export const defineMcpTool = <Input>(tool: McpTool<Input>): McpTool => tool as unknown as McpTool;

/** A tool that changes nothing. */
export const defineReader = <Input>({ read, ...tool }: Reader<Input>): McpTool =>
  defineMcpTool({
    ...tool,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async (input: Input, request) => toResult(await read(input, request)),
  });
