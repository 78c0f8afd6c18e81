import { describe, expect, test } from "vitest";
import { openAiRoutes } from "../../protocol/surfaces/openai-routes.ts";
import fc from "../support/fast-check.ts";
import { say, startInstance } from "../support/instance.ts";
import { put, rows } from "../support/store-rows.ts";

const runs = process.env["STONECHAT_DEEP"] === "1" ? 1000 : 120;
const model = "scripted/script";

const noError = { error: { message: "", type: "" } };
const json = { "content-type": "application/json" };

/** Values in the places that a request has, and anything else. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("user", "tool", "call_1", model),
);
const anyValue = fc.oneof(fc.jsonValue({ maxDepth: 3 }), anyText);
const content = fc.oneof(
  anyText,
  fc.array(
    fc.record({
      type: fc.constantFrom("text", "input_text", "image_url", "input_image", "file"),
      text: anyText,
      image_url: fc.oneof(anyText, fc.record({ url: anyText })),
      file: fc.record({ file_data: anyText }),
    }),
    { maxLength: 3 },
  ),
);
const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const message = fc.record({
  role: fc.oneof({ weight: 9, arbitrary: fc.constantFrom("user", "assistant", "system", "developer") }, anyText),
  type: rarely(fc.constantFrom("message", "function_call", "function_call_output", "reasoning")),
  content: fc.oneof({ weight: 4, arbitrary: anyText }, { weight: 1, arbitrary: content }),
  tool_call_id: rarely(anyText),
  call_id: rarely(anyText),
  name: rarely(anyText),
  arguments: rarely(anyText),
  output: rarely(content),
  tool_calls: rarely(
    fc.array(fc.record({ id: anyText, function: fc.record({ name: anyText, arguments: anyText }) }), { maxLength: 2 }),
  ),
});
const messages = fc.array(message, { maxLength: 3 }).map((all) => [...all, { role: "user", content: "x" }]);
const body = fc.record({
  model: fc.constant(model),
  messages,
  input: fc.oneof(anyText, messages),
  items: rarely(fc.array(message, { maxLength: 2 })),
  tools: rarely(
    fc.array(fc.record({ type: fc.constantFrom("function", "stonechat"), name: anyText, function: anyValue }), {
      maxLength: 2,
    }),
  ),
  tool_choice: rarely(anyValue),
  response_format: rarely(anyValue),
  text: rarely(anyValue),
  metadata: rarely(anyValue),
  temperature: rarely(anyValue),
  previous_response_id: rarely(anyValue),
  conversation: rarely(anyValue),
  stream: fc.boolean(),
});

describe("OpenAI's API", () => {
  test("answers any body with a result or an error in their form, and never with a bug", async () => {
    const instance = await startInstance({ script: () => say("ok") });
    const posts = Object.values(openAiRoutes).filter(({ method }) => method === "POST");
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...posts), body, anyText, async ({ path }, given, id) => {
        const url = instance.url + path.replace(":id", encodeURIComponent(id) || "x");
        const response = await fetch(url, { method: "POST", headers: json, body: JSON.stringify(given) });
        const text = await response.text();
        seen.add(response.status);
        expect([500, 503], text).not.toContain(response.status);
        const { error } = response.status >= 400 ? (JSON.parse(text) as { error: Record<string, unknown> }) : noError;
        expect([typeof error["message"], typeof error["type"]], text).toEqual(["string", "string"]);
      }),
      { numRuns: runs },
    );
    expect([...seen]).toEqual(expect.arrayContaining([200, 400]));
  });

  test("ids of another user and unknown ids get the same 404", async () => {
    const instance = await startInstance({ script: () => say("ok") });
    const { store } = instance.server;
    await put(store, { do: "insert", table: "users", row: rows.user("other") });
    await put(store, { do: "insert", table: "threads", row: rows.thread({ id: "theirs", owner: "other" }) });
    const row = { owner: "other", thread: "theirs", message: "m", step: 0, hash: "", stored: 1, created_at: 1 };
    for (const id of ["resp_theirs", "conv_theirs"])
      await put(store, { do: "insert", table: "api_requests", row: { ...row, id, body: '{"v":1,"metadata":{}}' } });
    const send = async (method: string, path: string, given?: object) => {
      const more = given === undefined ? {} : { headers: json, body: JSON.stringify(given) };
      const response = await fetch(instance.url + path, { method, ...more });
      return [response.status, (await response.text()).replace(/theirs|nobody/g, "ID")];
    };
    for (const [method, path] of Object.values(openAiRoutes).map(({ method, path }) => [method, path] as const)) {
      if (!path.includes("/:id") || path.startsWith("/v1/models")) continue;
      const kind = path.includes("conversations") ? "conv_" : "resp_";
      const given = method === "POST" ? {} : undefined;
      const theirs = await send(method, path.replace(":id", `${kind}theirs`), given);
      expect(theirs, `${method} ${path}`).toEqual(await send(method, path.replace(":id", `${kind}nobody`), given));
      expect(theirs[0]).toBe(404);
    }
    const after = (id: string) => send("POST", "/v1/responses", { model, input: "x", previous_response_id: id });
    expect(await after("resp_theirs")).toEqual(await after("resp_nobody"));
    const inside = (id: string) => send("POST", "/v1/responses", { model, input: "x", conversation: id });
    expect(await inside("conv_theirs")).toEqual(await inside("conv_nobody"));
  });
});
