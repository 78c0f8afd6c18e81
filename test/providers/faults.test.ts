import { afterEach, describe, expect, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { systemClock } from "../../server/lib/clock.ts";
import { createModels } from "../../server/model/registry.ts";
import { healthyReply } from "../support/chat-wire.ts";
import { faults, type NamedFault } from "../support/faults.ts";
import { createProviderServer, findRefusedUrl, type ProviderServer } from "../support/provider-server.ts";

const key = "sk-or-v1-0123456789abcdef";
const request: ModelRequest = {
  system: "Be brief.",
  messages: [{ role: "user", text: "Say something." }],
  tools: [{ name: "now", description: "The time", inputSchema: { type: "object", properties: {} } }],
  toolChoice: "auto",
  effort: "medium",
  maxOutputTokens: null,
};

let server: ProviderServer | undefined;
afterEach(() => server?.close());

/** Long timeouts by default; short ones only for faults that test a timeout. */
const connect = (url: string, timeouts = { firstMs: 10_000, idleMs: 10_000, totalMs: 20_000 }) => ({
  openrouter: createModels({
    config: { keys: { openrouter: key }, baseUrls: { openrouter: url }, timeouts },
    clock: systemClock,
  }).find("openrouter/openai/gpt-5-mini")!,
  compatible: createModels({
    config: { keys: {}, compatible: { baseUrl: url, apiKey: key, models: ["m"] }, timeouts },
    clock: systemClock,
  }).find("compatible/m")!,
});

const patienceFor = (fault: NamedFault) => ({
  firstMs: fault.ends[0] === "stalled" ? 300 : 10_000,
  idleMs: fault.ends[0] === "stalled" ? 300 : 10_000,
  totalMs: fault.needs === "total-timeout" ? 700 : 20_000,
});

const collect = async (stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> => {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
};

const isTerminal = (event: ModelEvent) => event.type === "finish" || event.type === "failed";
const outcome = (event: ModelEvent | undefined) => (event?.type === "failed" ? event.failure.code : event?.type);

/** Text that can be stored, and failures with a text. */
const isPresentable = (event: ModelEvent): boolean => {
  if (event.type === "delta") return event.text.isWellFormed() && !event.text.includes("\u0000");
  return event.type !== "failed" || /^\S.{30,}/s.test(event.failure.text);
};

test("has at least forty faults with unique names", () => {
  expect(new Set(faults.map((fault) => fault.name)).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThanOrEqual(40);
});

describe.each(["openrouter", "compatible"] as const)("through the %s package", (provider) => {
  test.each(faults)("$name ends with one valid terminal event, and the next call works", async (fault) => {
    server = await createProviderServer({
      next: (call) => (call.index === 0 ? fault : healthyReply("All is well.")),
    });
    const model = connect(server.url, patienceFor(fault))[provider];
    const events = await collect(model.stream(request, new AbortController().signal));

    expect(events.filter(isTerminal)).toHaveLength(1);
    expect(isTerminal(events.at(-1)!)).toBe(true);
    expect(fault.ends, JSON.stringify(events.at(-1))).toContain(outcome(events.at(-1)));
    expect(JSON.stringify(events)).not.toContain(key);
    expect(events.filter((event) => !isPresentable(event))).toEqual([]);
    expect(events.some((event) => event.type === "delta") || fault.midway !== true).toBe(true);

    const after = await collect(connect(server.url)[provider].stream(request, new AbortController().signal));
    expect(outcome(after.at(-1))).toBe("finish");
    expect(server.calls.filter((call) => !call.path.endsWith("/models")).length).toBeGreaterThanOrEqual(2);
  });

  test("reports a refused connection", async () => {
    const model = connect(await findRefusedUrl())[provider];
    const events = await collect(model.stream(request, new AbortController().signal));
    expect(events).toMatchObject([{ type: "failed", failure: { code: "unreachable", fault: "provider" } }]);
  });

  test("reports an address without TLS", async () => {
    server = await createProviderServer({ next: () => healthyReply("no") });
    const model = connect(server.url.replace("http:", "https:"))[provider];
    const events = await collect(model.stream(request, new AbortController().signal));
    expect(events).toMatchObject([{ type: "failed", failure: { code: "unreachable", fault: "settings" } }]);
  });
});
