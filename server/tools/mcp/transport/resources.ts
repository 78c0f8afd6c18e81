import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Definition } from "../definition.ts";

/**
 * Resources of a server, offered to the model as one more tool of that server. So they have the same pins, approvals, limits and
 * labels as its tools.
 */
export const RESOURCE_TOOL = "read_resource";

export const resourceTool: Definition = {
  name: RESOURCE_TOOL,
  title: "Read a resource",
  description:
    "Reads a resource of this server by its uri. Without a uri, lists the resources and the templates of uris; continue with cursor.",
  inputSchema: {
    type: "object",
    properties: {
      uri: { type: "string", maxLength: 2000, description: "As listed, or a template with its variables filled in" },
      cursor: { type: "string", maxLength: 2000, description: "The next_cursor of the last list" },
    },
    additionalProperties: false,
  },
  outputSchema: null,
  hints: { readOnly: true, destructive: false, idempotent: true },
};

const MAX_LISTED = 100;
const Line = z.object({
  uri: z.string().optional(),
  uriTemplate: z.string().optional(),
  name: z.string().catch(""),
  description: z.string().catch("").default(""),
});
const Resources = z.object({ resources: z.array(z.unknown()), nextCursor: z.string().optional() });
const Templates = z.object({ resourceTemplates: z.array(z.unknown()) });
const Contents = z.object({ contents: z.array(z.record(z.string(), z.unknown())) });
const Input = z.object({ uri: z.string().optional(), cursor: z.string().optional() });

/** In the form of a tool result. */
export async function callResourceTool(client: Client, input: unknown, options: RequestOptions): Promise<object> {
  const { uri, cursor } = Input.parse(input);
  if (uri !== undefined) {
    const { contents } = await client.request({ method: "resources/read", params: { uri } }, Contents, options);
    return { content: contents.slice(0, MAX_LISTED).map((resource) => ({ type: "resource", resource })) };
  }
  const params = cursor === undefined ? {} : { cursor };
  const page = await client.request({ method: "resources/list", params }, Resources, options);
  const templates =
    cursor === undefined
      ? await client
          .request({ method: "resources/templates/list", params: {} }, Templates, options)
          .catch(() => ({ resourceTemplates: [] }))
      : { resourceTemplates: [] };
  const structuredContent = {
    resources: page.resources.slice(0, MAX_LISTED).map(toLine),
    templates: templates.resourceTemplates.slice(0, MAX_LISTED).map(toLine),
    next_cursor: page.nextCursor ?? null,
  };
  return { content: [], structuredContent };
}

function toLine(entry: unknown): object {
  const { uri, uriTemplate, name, description } = Line.catch({ name: "", description: "" }).parse(entry);
  return { uri: uri ?? uriTemplate ?? "", name: name.slice(0, 200), description: description.slice(0, 300) };
}
