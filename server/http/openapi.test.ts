import { describe, expect, test } from "vitest";
import { aliasRoutes } from "../../protocol/surfaces/alias-routes.ts";
import { openAiRoutes } from "../../protocol/surfaces/openai-routes.ts";
import { routes } from "../../protocol/routes.ts";
import { toDocsPage } from "./docs-page.ts";
import { toOpenApi } from "./openapi.ts";

const document = toOpenApi("1.2.3");
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe("the OpenAPI description", () => {
  test("contains every route, all streams and the routes for files", () => {
    const files = [
      "uploadAttachment",
      "uploadImport",
      "uploadToProject",
      "getAttachmentFile",
      "getAttachmentPage",
      "getArchive",
    ];
    const openAi = Object.keys(openAiRoutes).map((name) => `openAi${name.charAt(0).toUpperCase()}${name.slice(1)}`);
    const streams = ["streamThread", "streamProject", "streamUser", "postChat", "resumeChat"];
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      [...Object.keys(routes), ...Object.keys(aliasRoutes), ...streams, ...files, ...openAi, "mcp"].toSorted(),
    );
  });

  test("names every parameter of a path", () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters } of Object.values(methods)) {
        expect(parameters.flatMap((parameter) => (parameter.in === "path" ? [parameter.name] : []))).toEqual(names);
      }
    }
  });

  test("says which scope a key needs", () => {
    const open = operations.filter((operation) => operation["x-scope"] === undefined);
    expect(open.map(({ operationId }) => operationId)).toEqual([
      ...[
        "signIn",
        "signInWithCode",
        "startPasskeySignIn",
        "signInWithPasskey",
        "startOidc",
        "signOut",
        "getInstance",
        "setUp",
        "openInvitation",
        "acceptInvitation",
        "resetPassword",
        "confirmEmail",
        "requestReset",
        "requestSignUp",
        "getShared",
      ],
    ]);
    for (const { security } of open) expect(security).toEqual([{}]);
  });

  test("describes the bodies of OpenAI's routes, and the queries of their lists", () => {
    const chat = document.paths["/v1/chat/completions"]?.["post"]?.requestBody?.content["application/json"]?.schema;
    expect(chat).toMatchObject({ type: "object", required: expect.arrayContaining(["model", "messages"]) });
    const items = document.paths["/v1/conversations/{id}/items"];
    expect(items?.["get"]?.parameters.map(({ name }) => name)).toEqual(["id", "limit", "order", "after"]);
    expect(items?.["post"]?.requestBody?.content["application/json"]?.schema).toMatchObject({
      properties: { items: expect.anything() },
    });
  });

  test("marks optional fields of a body", () => {
    const schema =
      document.paths["/api/threads/{threadId}/messages"]?.["post"]?.requestBody?.content["application/json"]?.schema;
    expect(schema).toMatchObject({ type: "object", required: ["id", "text"], additionalProperties: false });
  });

  test("has no dangling references", () => {
    const found = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name ?? "",
    );
    expect(found.length).toBeGreaterThan(0);
    for (const name of new Set(found)) expect(document.components).toHaveProperty(`schemas.${name}`);
  });
});

describe("the documentation page", () => {
  const page = toDocsPage({ ...document, info: { ...document.info, title: "<b>&\"'" } });

  test("shows every route", () => {
    for (const path of Object.keys(document.paths)) expect(page).toContain(path);
  });

  test("has no script, loads nothing and escapes its content", () => {
    expect(page).not.toMatch(/<script|\son\w+=|src=|@import|url\(/i);
    expect([...page.matchAll(/href="([^"]*)"/g)].map(([, target]) => target)).toEqual(["/api/openapi.json"]);
    expect(page).toContain("&lt;b&gt;&amp;&quot;&#39;");
    expect(page).not.toContain("<b>");
  });
});
