import { z } from "zod";
import { api, ErrorBody, LogEvent } from "../../protocol/api.ts";
import { Attachment, UploadQuery } from "../../protocol/attachments.ts";
import { errorStatus } from "../../protocol/errors.ts";
import { routes, streams, type RouteName } from "../../protocol/routes.ts";

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
  paths[toTemplate(streams.thread)] = { get: toStream("streamThread", "Events of a thread after a cursor", true) };
  paths[toTemplate(streams.user)] = {
    get: toStream("streamUser", "Events of the thread list after a cursor", false),
  };
  Object.assign((paths["/api/attachments"] ??= {}), { post: toUpload() });
  paths["/api/attachments/{attachmentId}/file"] = {
    get: toDownload("getAttachmentFile", "The original of an attached file", "application/octet-stream"),
  };
  paths["/api/attachments/{attachmentId}/pages/{page}"] = {
    get: toDownload("getAttachmentPage", "A page of an attached PDF, or a converted photo, as a picture", "image/jpeg"),
  };
  return {
    openapi: "3.1.0",
    info: { title: "Stonechat", version, description },
    paths,
    components: {
      schemas: { LogEvent: toSchema(LogEvent, "output"), Error: toSchema(ErrorBody, "output") },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
    security: [{ token: [] }, {}],
  };
}

const toTemplate = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

function toOperation(name: RouteName): Operation {
  const { summary, params, query, body, status, response } = api[name];
  const isGet = routes[name].method === "GET";
  return {
    operationId: name,
    summary,
    parameters: [...toParameters(params, "path"), ...toParameters(query, "query")],
    ...(body === null ? {} : { requestBody: { required: true, content: toContent(toSchema(body, "input")) } }),
    responses: {
      [status]: { description: summary, content: toResponseContent(name, toSchema(response, "output")) },
      ...toErrors(isGet),
    },
  };
}

function toStream(operationId: string, summary: string, isThread: boolean): Operation {
  const seq = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  return {
    operationId,
    summary,
    parameters: [
      ...(isThread ? toParameters(api.getThread.params, "path") : []),
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

/** File contents are not JSON, so these routes are not in the route table. */
function toUpload(): Operation {
  const file = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
  return {
    operationId: "uploadAttachment",
    summary: "Upload a file for a message. Its type is detected from the content",
    parameters: toParameters(UploadQuery, "query"),
    requestBody: { required: true, content: file },
    responses: {
      201: { description: "The file, to be named in a message", content: toContent(toSchema(Attachment, "output")) },
      ...toErrors(false),
    },
  };
}

function toDownload(operationId: string, summary: string, mediaType: string): Operation {
  const page: Parameter = { name: "page", in: "path", required: true, schema: { type: "integer", minimum: 1 } };
  return {
    operationId,
    summary,
    parameters: [
      ...toParameters(api.removeAttachment.params, "path"),
      ...(operationId === "getAttachmentPage" ? [page] : []),
    ],
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
