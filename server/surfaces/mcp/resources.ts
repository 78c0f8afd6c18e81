import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type Variables,
} from "@modelcontextprotocol/server";
import { ApiError } from "../../../protocol/errors.ts";
import { projectUri, threadUri } from "./render.ts";
import { readTools } from "./read-tools.ts";
import type { McpRequest } from "./request.ts";
import { toSentence } from "./result.ts";
import type { McpTool } from "./tool.ts";

type Kind = {
  readonly name: string;
  readonly title: string;
  readonly template: string;
  readonly description: string;
  /** The tool that reads it, with the template's variables as arguments. */
  readonly tool: string;
  readonly toInput: (variables: Variables) => object;
};

/** A resource is the result of a tool under an address, so that both have the same bounds and marks. */
const kinds: readonly Kind[] = [
  {
    name: "thread",
    title: "Thread",
    template: "stonechat://threads/{thread_id}",
    description: "The newest messages of a thread",
    tool: "read_thread",
    toInput: (variables) => variables,
  },
  {
    name: "artifact",
    title: "Artifact",
    template: "stonechat://threads/{thread_id}/artifacts/{ref}",
    description: "A page, tool result or file text stored in a thread",
    tool: "read_artifact",
    toInput: ({ thread_id, ref }) => ({ thread_id, ref: Number(ref), max_characters: 20_000 }),
  },
  {
    name: "receipt",
    title: "Receipt",
    template: "stonechat://threads/{thread_id}/receipts/{receipt_id}",
    description: "What a model call contained and left out",
    tool: "read_receipt",
    toInput: (variables) => variables,
  },
  {
    name: "project",
    title: "Project",
    template: "stonechat://projects/{project_id}",
    description: "A project with its entities",
    tool: "read_project",
    toInput: (variables) => variables,
  },
];

const PAGE = 50;

type AddRequest = { readonly server: McpServer; readonly toRequest: (context: McpRequest["context"]) => McpRequest };

export function addResources({ server, toRequest }: AddRequest): void {
  for (const { name, title, template, description, tool, toInput } of kinds) {
    server.registerResource(
      name,
      new ResourceTemplate(template, { list: undefined }),
      { title, description, mimeType: "application/json" },
      async (uri, variables, context) => ({
        contents: [
          {
            uri: uri.href,
            mimeType: "application/json",
            text: await read({ uri: uri.href, tool, input: toInput(variables) }, toRequest(context)),
          },
        ],
      }),
    );
  }
  // The SDK's own list has no pages.
  server.server.setRequestHandler("resources/list", async ({ params }, context) => {
    const { call } = toRequest(context);
    const cursor = params?.cursor;
    const { threads, nextCursor } = await call("listThreads", {
      query: { limit: PAGE, ...(cursor ? { cursor } : {}) },
    });
    const { projects } = cursor ? { projects: [] } : await call("listProjects");
    return {
      resources: [
        ...projects.slice(0, PAGE).map(({ id, name }) => ({ uri: projectUri(id), name, mimeType: "application/json" })),
        ...threads.map(({ id, title }) => ({
          ...{ uri: threadUri(id), name: title || "Untitled thread", mimeType: "application/json" },
        })),
      ],
      ...(nextCursor === null ? {} : { nextCursor }),
    };
  });
}

const tools = new Map<string, McpTool>(readTools.map((tool) => [tool.name, tool]));

type Reading = { readonly uri: string; readonly tool: string; readonly input: object };

async function read({ uri, tool: name, input }: Reading, request: McpRequest): Promise<string> {
  const tool = tools.get(name);
  const parsed = tool?.input.safeParse(input);
  if (!tool || !parsed?.success) throw new ResourceNotFoundError(uri, "No resource has this address.");
  try {
    const { structuredContent } = (await tool.run(parsed.data, request)) as { readonly structuredContent?: object };
    return JSON.stringify(structuredContent, null, 1);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "not-found") throw new ResourceNotFoundError(uri, toSentence(error));
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, toSentence(error));
  }
}
