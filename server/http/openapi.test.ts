import { describe, expect, test } from "vitest";
import { routes } from "../../protocol/routes.ts";
import { toDocsPage } from "./docs-page.ts";
import { toOpenApi } from "./openapi.ts";

const document = toOpenApi("1.2.3");
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe("the OpenAPI description", () => {
  test("contains every route, both streams and the routes for files", () => {
    const files = ["uploadAttachment", "getAttachmentFile", "getAttachmentPage"];
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      [...Object.keys(routes), "streamThread", "streamUser", ...files].toSorted(),
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
