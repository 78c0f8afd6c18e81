import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Script } from "../../server/model/scripted.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { openLoopback } from "../support/web/loopback.ts";
import { describeOnBoth } from "./settings/on-both.ts";

const secret = "only for the reader";

/** A tool call, then an answer, which contains the secret, as the question does. */
const script: Script = ({ messages }) =>
  messages.some(({ role }) => role === "tool")
    ? say(`An answer, ${secret}.`)
    : call({ name: "calculate", input: JSON.stringify({ expression: "6 * 7" }) });

type Attribute = { readonly key: string; readonly value: Record<string, string | number> };
type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
};

/** A receiver of OTLP over HTTP. */
async function openReceiver(statusOf: () => number = () => 200) {
  const loopback = await openLoopback((_, response) => response.writeHead(statusOf()).end("{}"));
  onTestFinished(loopback.close);
  const bodies = (path: string) => loopback.asked.filter((one) => one.path === path).map(({ body }) => body);
  return {
    url: loopback.url,
    asked: loopback.asked,
    spans: (): readonly Span[] =>
      bodies("/otlp/v1/traces").flatMap((body) => {
        type Traces = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
        const { resourceSpans } = JSON.parse(body) as Traces;
        return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
      }),
    metrics: () => bodies("/otlp/v1/metrics").join("\n"),
  };
}

const attributesOf = ({ attributes }: Span): Record<string, string | number | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describeOnBoth("telemetry", (start) => {
  const answer = async (env: Readonly<Record<string, string>>, temporary = false) => {
    const receiver = await openReceiver();
    const instance = await start({
      script,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/otlp/`,
        OTEL_EXPORTER_OTLP_HEADERS: "x-key=Basic%20abc, x-more=50%",
        ...env,
      },
    });
    const threadId = await instance.start({ temporary });
    const live = instance.follow(threadId);
    await instance.send(threadId, `A question, ${secret}`);
    const run = await live.ended();
    await expect.poll(() => receiver.spans().map(({ name }) => name)).toContain("invoke_agent stone");
    return { receiver, instance, threadId, run };
  };

  test("spans of a run, its model calls, tools and commits have the right parents and attributes, and no text of a message", async () => {
    const { receiver, threadId, run } = await answer({});
    const spans = receiver.spans();
    const [root, ...others] = spans.filter(({ name }) => name.startsWith("invoke_agent"));
    if (!root) throw new Error("There is no span of the run.");
    expect(others).toEqual([]);
    expect(root.parentSpanId).toBeUndefined();
    expect(attributesOf(root)).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": threadId,
      "stonechat.run.id": run.id,
      "stonechat.outcome": "done",
    });
    const children = spans.filter((span) => span !== root);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(root.traceId).toMatch(/^[\da-f]{32}$/);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const chats = children.filter(({ name }) => name === "chat scripted/script");
    expect(chats.map(({ kind, parentSpanId }) => [kind, parentSpanId])).toEqual([
      [3, root.spanId],
      [3, root.spanId],
    ]);
    expect(attributesOf(chats[1]!)).toMatchObject({
      ...{ "gen_ai.operation.name": "chat", "gen_ai.request.model": "scripted/script" },
      ...{ "gen_ai.provider.name": "scripted", "gen_ai.usage.input_tokens": "10", "gen_ai.usage.output_tokens": "5" },
    });
    const [tool] = children.filter(({ name }) => name === "execute_tool calculate");
    expect(tool?.parentSpanId).toBe(root.spanId);
    expect(attributesOf(tool!)).toMatchObject({ "gen_ai.tool.name": "calculate", "stonechat.outcome": "ok" });
    expect(children.filter(({ name }) => name === "commit").length).toBeGreaterThan(1);
    for (const { startTimeUnixNano, endTimeUnixNano } of spans)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    await expect.poll(receiver.metrics).toContain("gen_ai.client.operation.duration");
    for (const { body, headers } of receiver.asked) {
      expect(headers).toMatchObject({ "x-key": "Basic abc", "x-more": "50%", "content-type": "application/json" });
      expect(body).not.toContain(secret);
      expect(body).not.toContain("6 * 7");
    }
  });

  test("control: with contents on, prompts, answers and arguments of tools are in the spans", async () => {
    const { receiver } = await answer({ STONECHAT_OTEL_CONTENTS: "on" });
    const [first, last] = receiver.spans().filter(({ name }) => name.startsWith("chat"));
    expect(attributesOf(first!)["gen_ai.input.messages"]).toContain(`A question, ${secret}`);
    expect(attributesOf(last!)["gen_ai.output.messages"]).toContain(`An answer, ${secret}`);
    const [tool] = receiver.spans().filter(({ name }) => name.startsWith("execute_tool"));
    expect(attributesOf(tool!)["gen_ai.tool.call.arguments"]).toContain("6 * 7");
  });

  test("with contents on, no text of a temporary thread is in the spans", async () => {
    const { receiver } = await answer({ STONECHAT_OTEL_CONTENTS: "on" }, true);
    expect(receiver.spans().map(({ name }) => name)).toContain("execute_tool calculate");
    for (const { body } of receiver.asked) {
      expect(body).not.toContain(secret);
      expect(body).not.toContain("6 * 7");
    }
  });

  test("the metrics have every name that the dashboard and the alerts use, and count this work", async () => {
    const { instance } = await answer({});
    const text = await (await fetch(`${instance.url}/metrics`)).text();
    const names = new Set([...text.matchAll(/^([a-z]\w*)[ {]/gm)].map(([, name = ""]) => name));
    const used = ["deploy/grafana/stonechat.json", "deploy/prometheus/alerts.yml"].flatMap((file) => [
      ...readFileSync(join(import.meta.dirname, "../..", file), "utf8").matchAll(
        /\b(?:stonechat|nodejs|process)_[a-z\d_]+/g,
      ),
    ]);
    const missing = [...new Set(used.map(([name]) => name))].filter((name) => !names.has(name));
    expect(used.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
    expect(text).toMatch(/^stonechat_runs_total\{outcome="done"\} 1$/m);
    expect(text).toMatch(/^stonechat_model_call_seconds_count\{provider="scripted",outcome="ok"\} 2$/m);
    expect(text).toMatch(/^stonechat_model_tokens_total\{provider="scripted",direction="output"\} 10$/m);
    expect(text).toMatch(/^stonechat_tool_call_seconds_count\{tool="calculate",outcome="ok"\} 1$/m);
    expect(text).toMatch(/^stonechat_queue_wait_seconds_count 1$/m);
    expect(text).toMatch(/^stonechat_runs_open\{state="active"\} 0$/m);
    expect(Number(/^stonechat_database_bytes (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(100_000);
    expect(Number(/^stonechat_commit_seconds_count (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(2);
  });
});

test("answers do not wait for a receiver that fails, and its spans are sent once it works", async () => {
  let status = 503;
  const receiver = await openReceiver(() => status);
  const instance = await startInstance({ script, env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/otlp` } });
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "Hello");
  expect(await live.ended()).toMatchObject({ outcome: "done" });
  await expect.poll(() => receiver.asked.length).toBeGreaterThan(0);
  status = 200;
  const before = receiver.asked.length;
  await expect.poll(() => receiver.asked.length).toBeGreaterThan(before);
  expect(receiver.spans().filter(({ name }) => name.startsWith("invoke_agent")).length).toBeGreaterThan(0);
});
