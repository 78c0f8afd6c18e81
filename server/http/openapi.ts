import { z } from "zod";
import { api, ErrorBody, LogEvent } from "../../protocol/api.ts";
import { Import, ImportQuery } from "../../protocol/account/imports.ts";
import { ProjectUpload, ProjectUploadQuery } from "../../protocol/project/uploads.ts";
import { Attachment, UploadQuery } from "../../protocol/attachments.ts";
import { errorStatus } from "../../protocol/errors.ts";
import {
  aliasRoutes,
  AutopilotTurn,
  ProjectTurn,
  ResearchTurn,
  ScrapeRequest,
  SearchRequest,
} from "../../protocol/surfaces/alias-routes.ts";
import { ChatRequest } from "../../protocol/surfaces/chats.ts";
import type { Role } from "../../protocol/roles.ts";
import { chatStreams, roleOf, routes, streams, type RouteName } from "../../protocol/routes.ts";
import type { Scope } from "../../protocol/scopes.ts";
import { openAiRoutes, type OpenAiRoute } from "../../protocol/surfaces/openai-routes.ts";
import { requestSchemas } from "../surfaces/openai/openai.ts";

/** The OpenAPI description, generated from the route table and its schemas. */
export type OpenApi = {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
  readonly security: readonly object[];
};

export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly "x-scope"?: Scope;
  readonly "x-role"?: Role;
  readonly security?: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, object>>;
};

type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: object;
};
type Content = Readonly<Record<string, { readonly schema: object }>>;

const description =
  "The caller chooses ids. Repeating a request with the same id and content returns the same result; different content is a " +
  "conflict. Answers of the model arrive on the streams. Ids of other users and unknown ids both return not-found.";

export function toOpenApi(version: string): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path } = routes[name];
    (paths[toTemplate(path)] ??= {})[method.toLowerCase()] = toOperation(name);
  }
  paths[toTemplate(streams.thread)] = {
    get: toStream("streamThread", "Events of a thread after a cursor", api.getThread.params),
  };
  paths[toTemplate(streams.project)] = {
    get: toStream("streamProject", "Events of a project after a cursor", api.getProject.params),
  };
  paths[toTemplate(streams.user)] = { get: toStream("streamUser", "Events of the thread list after a cursor", null) };
  paths[toTemplate(chatStreams.post)] = { post: toChatPost() };
  paths[toTemplate(chatStreams.resume)] = { get: toChatResume() };
  for (const [name, { summary, body, response }] of Object.entries(aliases)) {
    const operation: Operation = {
      operationId: name,
      summary,
      ...toScope("chat"),
      parameters: [],
      requestBody: { required: true, content: toContent(toSchema(body, "input")) },
      responses: { ...response, ...toErrors(false) },
    };
    (paths[toTemplate(aliasRoutes[name as keyof typeof aliasRoutes])] ??= {})["post"] = operation;
  }
  Object.assign((paths["/api/attachments"] ??= {}), { post: toUpload() });
  paths["/api/projects/{projectId}/uploads"] = { post: toProjectUpload() };
  Object.assign((paths["/api/imports"] ??= {}), { post: toImportUpload() });
  paths["/api/attachments/{attachmentId}/file"] = {
    get: toDownload("getAttachmentFile", "The original of an attached file", {
      params: api.removeAttachment.params,
      mediaType: "application/octet-stream",
    }),
  };
  paths["/api/attachments/{attachmentId}/pages/{page}"] = {
    get: toDownload("getAttachmentPage", "A page of an attached PDF, or a converted photo, as a picture", {
      params: api.removeAttachment.params.extend({ page: z.int().min(1) }),
      mediaType: "image/jpeg",
    }),
  };
  paths["/api/projects/{projectId}/archive"] = {
    get: toDownload("getArchive", "All files of a project as a zip archive", {
      params: api.getProject.params,
      mediaType: "application/zip",
    }),
  };
  for (const name of Object.keys(openAiRoutes) as OpenAiRoute[]) {
    const { method, path } = openAiRoutes[name];
    (paths[toTemplate(path)] ??= {})[method.toLowerCase()] = toOpenAiOperation(name);
  }
  paths["/mcp"] = { post: toMcp() };
  return {
    openapi: "3.1.0",
    info: { title: "Stonechat", version, description },
    paths,
    components: {
      schemas: { LogEvent: toSchema(LogEvent, "output"), Error: toSchema(ErrorBody, "output") },
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key, or the token of the instance." },
      },
    },
    security: [{ key: [] }, {}],
  };
}

const toTemplate = (path: string): string => path.replace("{.+}", "").replace(/:(\w+)/g, "{$1}");

function toOperation(name: RouteName): Operation {
  const { summary, params, query, body, status, response } = api[name];
  const isGet = routes[name].method === "GET";
  return {
    operationId: name,
    summary,
    ...toScope(routes[name].scope, roleOf(name)),
    parameters: [...toParameters(params, "path"), ...toParameters(query, "query")],
    ...(body === null ? {} : { requestBody: { required: true, content: toContent(toSchema(body, "input")) } }),
    responses: {
      [status]: { description: summary, content: toResponseContent(name, toSchema(response, "output")) },
      ...toErrors(isGet),
    },
  };
}

/** OpenAPI has no scopes for bearer tokens, so the scope is described. */
function toScope(
  scope: Scope | null,
  role: Role = "member",
): Pick<Operation, "description" | "x-scope" | "x-role" | "security"> {
  if (scope === null) return { description: "Needs no credentials.", security: [{}] };
  const description = `Scope of an API key: \`${scope}\`.`;
  if (role === "member") return { description, "x-scope": scope };
  return { description: `${description} Only for admins.`, "x-scope": scope, "x-role": role };
}

function toStream(operationId: string, summary: string, params: z.ZodObject | null): Operation {
  const seq = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  return {
    operationId,
    summary,
    ...toScope("read"),
    parameters: [
      ...(params ? toParameters(params, "path") : []),
      { name: "after", in: "query", required: false, schema: seq },
      { name: "Last-Event-ID", in: "header", required: false, schema: seq },
    ],
    responses: {
      200: {
        description: "Each event has its seq as `id` and a LogEvent as `data`. Last-Event-ID overrides `after`.",
        content: { "text/event-stream": { schema: { $ref: "#/components/schemas/LogEvent" } } },
      },
      ...toErrors(true),
    },
  };
}

const chatStream = {
  description: "Server-sent events, each a `UIMessageChunk` of the package `ai` as `data`, then `[DONE]`.",
  content: { "text/event-stream": { schema: { type: "string" } } },
};

/** Responses are streams of the AI SDK, so these routes are not in the route table. */
const toChatPost = (): Operation => ({
  operationId: "postChat",
  ...toScope("chat"),
  summary: "Send a message, regenerate an answer or decide about tool calls, for `useChat` of the AI SDK",
  parameters: [],
  requestBody: { required: true, content: toContent(toSchema(ChatRequest, "input")) },
  responses: { 200: chatStream, ...toErrors(false) },
});

const toChatResume = (): Operation => ({
  operationId: "resumeChat",
  ...toScope("read"),
  summary: "The stream of the running answer of a chat, from its beginning",
  parameters: toParameters(api.getChat.params, "path"),
  responses: { 200: chatStream, 204: { description: "Nothing is running." }, ...toErrors(true) },
});

const json = (description: string) => ({
  description,
  content: { "application/json": { schema: { type: "object" } } },
});

/** Routes of other chat servers. */
const aliases = {
  researchTurn: {
    summary: "Ask in a chat with the profile `research`",
    body: ResearchTurn,
    response: { 200: chatStream },
  },
  projectTurn: {
    summary: "Ask in a session with the profile `project`",
    body: ProjectTurn,
    response: { 200: chatStream },
  },
  autopilotTurn: {
    summary: "Send a message to a thread with the profile `autopilot`; the answer is written in the background",
    body: AutopilotTurn,
    response: { 202: json("The message is stored.") },
  },
  searchWeb: {
    summary: "Search the web",
    body: SearchRequest,
    response: { 200: json("Results with their relevance") },
  },
  scrapeWebpage: { summary: "Read a web page", body: ScrapeRequest, response: { 200: json("The page as Markdown") } },
} as const satisfies Record<keyof typeof aliasRoutes, object>;

/** Replies are those of OpenAI's API, and described there. Of bodies, the fields that are read here; others are ignored. */
function toOpenAiOperation(name: OpenAiRoute): Operation {
  const { method, path, summary } = openAiRoutes[name];
  const ids = ["id", "item"]
    .filter((one) => path.includes(`:${one}`))
    .map((one): Parameter => ({ name: one, in: "path", required: true, schema: { type: "string" } }));
  const { body, query } = requestSchemas[name] ?? {};
  const content = toContent({ type: "object", additionalProperties: true });
  const given = body ? toContent(toSchema(body, "input")) : content;
  const isAnswer = name === "createChat" || name === "createResponse" || name === "getResponse";
  const stream = isAnswer ? { "text/event-stream": { schema: {} } } : {};
  return {
    operationId: `openAi${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    summary: `OpenAI: ${summary}`,
    ...toScope(method === "GET" ? "read" : "chat"),
    parameters: [...ids, ...(query ? toParameters(query, "query") : [])],
    ...(method === "POST" ? { requestBody: { required: true, content: given } } : {}),
    responses: {
      200: { description: summary, content: { ...content, ...stream } },
      default: { description: "An error in the form of OpenAI's API", content },
    },
  };
}

const toMcp = (): Operation => {
  const content = toContent({ type: "object", required: ["jsonrpc", "method"], additionalProperties: true });
  return {
    operationId: "mcp",
    summary: "A message of the Model Context Protocol, over streamable HTTP",
    ...toScope("read"),
    parameters: [],
    requestBody: { required: true, content },
    responses: {
      200: {
        description: "The response",
        content: { ...content, "text/event-stream": { schema: { type: "string" } } },
      },
      202: { description: "A notification was received." },
      ...toErrors(false),
    },
  };
};

/** File contents are not JSON, so these routes are not in the route table. */
function toUpload(): Operation {
  const file = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
  return {
    operationId: "uploadAttachment",
    summary: "Upload a file for a message. Its type is detected from the content",
    ...toScope("chat"),
    parameters: toParameters(UploadQuery, "query"),
    requestBody: { required: true, content: file },
    responses: {
      201: { description: "The file, to be named in a message", content: toContent(toSchema(Attachment, "output")) },
      ...toErrors(false),
    },
  };
}

function toProjectUpload(): Operation {
  return {
    ...toUpload(),
    operationId: "uploadToProject",
    summary: "Upload a file to a project, as a document with its text or unchanged as one of its files",
    ...toScope("projects"),
    parameters: [...toParameters(api.getProject.params, "path"), ...toParameters(ProjectUploadQuery, "query")],
    responses: {
      201: { description: "The document or file", content: toContent(toSchema(ProjectUpload, "output")) },
      ...toErrors(true),
    },
  };
}

const toImportUpload = (): Operation => ({
  ...toUpload(),
  operationId: "uploadImport",
  summary: "Import threads from a file: our archive, or an export of another chat program. It runs in the background",
  ...toScope("admin"),
  parameters: toParameters(ImportQuery, "query"),
  responses: {
    201: { description: "The import, which has begun", content: toContent(toSchema(Import, "output")) },
    ...toErrors(false),
  },
});

type Download = { readonly params: z.ZodObject; readonly mediaType: string };

function toDownload(operationId: string, summary: string, { params, mediaType }: Download): Operation {
  return {
    operationId,
    summary,
    ...toScope("read"),
    parameters: toParameters(params, "path"),
    responses: { 200: { description: summary, content: { [mediaType]: { schema: {} } } }, ...toErrors(true) },
  };
}

function toParameters(schema: z.ZodObject, place: "path" | "query"): Parameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input" });
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property as object,
  }));
}

function toErrors(isGet: boolean): Record<string, object> {
  const entries = Object.entries(errorStatus).filter(
    ([code]) => !isGet || (code !== "unsupported" && code !== "storage-full" && code !== "conflict"),
  );
  const content = toContent({ $ref: "#/components/schemas/Error" });
  return Object.fromEntries(entries.map(([code, status]) => [status, { description: code, content }]));
}

/** A download lists its media types and has no schema. */
function toResponseContent(name: RouteName, schema: object): Content {
  const route = api[name] as { readonly downloads?: readonly string[] };
  return route.downloads
    ? Object.fromEntries(route.downloads.map((type) => [type, { schema: {} }]))
    : toContent(schema);
}

const toContent = (schema: object): Content => ({ "application/json": { schema } });

function toSchema(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
