import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { systemClock } from "../../server/lib/clock.ts";
import { createModels } from "../../server/model/registry.ts";
import { createProviderServer, type ProviderServer } from "../support/provider-server.ts";

/** Third-party recordings, for measuring only. Skipped if they are missing. */
const folder =
  process.env["STONECHAT_TEST_STREAMS"] ?? fileURLToPath(new URL("../../../shared/data/streams", import.meta.url));

type Recording = { readonly name: string; readonly format: Format; readonly body: string };
type Format = "chat" | "openrouter" | "responses" | "messages" | "gemini";

const modelOf: Record<Format, string> = {
  chat: "compatible/any",
  openrouter: "openrouter/openai/gpt-5-mini",
  responses: "openai/gpt-5-mini",
  messages: "anthropic/claude-haiku-4-5",
  gemini: "google/gemini-2.5-flash",
};

const read = (part: string, name: string) => gunzipSync(readFileSync(`${folder}/${part}/${name}`)).toString("utf8");
const list = (part: string) => (existsSync(`${folder}/${part}`) ? readdirSync(`${folder}/${part}`).toSorted() : []);

const formatOf = (events: string): Format | undefined => {
  if (/"object":\s*"chat\.completion\.chunk"/.test(events)) return "chat";
  if (/"type":\s*"response\.(?:created|completed)"/.test(events)) return "responses";
  if (/"type":\s*"message_start"/.test(events)) return "messages";
  return /"candidates":/.test(events) ? "gemini" : undefined;
};

const toSse = (lines: string): string => {
  const events = lines.split("\n").filter((line) => line.trim() !== "");
  return events.map((line) => `data: ${line}\n\n`).join("");
};

const chunkFiles: Recording[] = list("ai-sdk").flatMap((name) => {
  const lines = read("ai-sdk", name);
  const format = formatOf(lines);
  return format === undefined ? [] : [{ name: name.replace(".chunks.txt.gz", ""), format, body: toSse(lines) }];
});

type Interaction = {
  readonly request: { readonly url: string };
  readonly response: { readonly status: number; readonly body: string };
};

const loops: Recording[] = list("loops").flatMap((name) => {
  const { interactions } = JSON.parse(read("loops", name)) as { interactions: readonly Interaction[] };
  return interactions.flatMap(({ request, response }, index) => {
    const format = request.url?.includes("openrouter") ? "openrouter" : formatOf(response.body ?? "");
    if (format === undefined || response.status !== 200) return [];
    return [{ name: `${name.replace(".json.gz", "")} ${index + 1}`, format, body: response.body }];
  });
});

let server: ProviderServer | undefined;
afterEach(() => server?.close());

const request: ModelRequest = {
  system: "",
  messages: [{ role: "user", text: "Go on." }],
  tools: [],
  toolChoice: "auto",
  effort: "medium",
  maxOutputTokens: null,
};

const replay = async (recording: Recording): Promise<ModelEvent[]> => {
  server = await createProviderServer({ next: () => ({ body: recording.body }) });
  const { url } = server;
  const model = createModels({
    config: {
      keys: { openrouter: "k", openai: "k", anthropic: "k", google: "k" },
      baseUrls: { openrouter: url, openai: url, anthropic: url, google: url },
      compatible: { baseUrl: url, models: ["any"] },
      timeouts: { idleMs: 5000, totalMs: 20_000 },
    },
    clock: systemClock,
  }).find(modelOf[recording.format])!;
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
  return events;
};

/** The recording's own end marker. */
const isWhole: Record<Format, (body: string) => boolean> = {
  chat: (body) => /"finish_reason":\s*"(?!error)/.test(body),
  openrouter: (body) => /"finish_reason":\s*"(?!error)/.test(body),
  responses: (body) => /"type":\s*"response\.(?:completed|incomplete)"/.test(body),
  messages: (body) => /"type":\s*"message_stop"/.test(body) && !/"type":\s*"error"/.test(body) && isOneMessage(body),
  gemini: (body) => /"finishReason":\s*"/.test(body),
};

/** Some recordings begin a second message within the first: packages reject those. */
const isOneMessage = (body: string): boolean =>
  body.split(/"type":\s*"message_stop"/).every((message) => {
    const ids = [...message.matchAll(/"type":\s*"message_start".*?"id":\s*"(msg_[^"]+)"/g)].map((match) => match[1]);
    return new Set(ids).size <= 1;
  });

/** Some contain a line that is not JSON. */
const isJson = (body: string): boolean =>
  [...body.matchAll(/^data: (\{.*\})\s*$/gm)].every((match) => {
    try {
      JSON.parse(match[1]!);
      return true;
    } catch {
      return false;
    }
  });

const all = [...chunkFiles, ...loops];
/** xAI's variant of the Responses API. Stonechat uses xAI as an OpenAI-compatible chat server. */
const isForeign = ({ name, format }: Recording) => name.startsWith("xai.") && format === "responses";
const recordings = all.filter((recording) => !isForeign(recording));

/** The first invalid event: a delta or end of a part that is not open, or a finish with an open part. */
const findDisorder = (events: readonly ModelEvent[]): ModelEvent | undefined => {
  const open = new Set<string>();
  return events.find((event) => {
    if (event.type === "start") open.add(event.key);
    if (event.type === "delta") return !open.has(event.key);
    if (event.type === "end") return !open.delete(event.key);
    return event.type === "finish" && open.size > 0;
  });
};

describe.skipIf(recordings.length === 0)("recorded streams of many providers", () => {
  test("has recordings of at least four formats", () => {
    expect(new Set(recordings.map((recording) => recording.format)).size).toBeGreaterThanOrEqual(4);
  });

  test.each(recordings)("$format: $name ends with a valid event", async (recording) => {
    const events = await replay(recording);
    const ends = events.filter((event) => event.type === "finish" || event.type === "failed");
    expect(ends).toHaveLength(1);
    expect(events.at(-1)).toBe(ends[0]);
    expect(findDisorder(events)).toBeUndefined();
    const whole = isWhole[recording.format](recording.body) && isJson(recording.body);
    expect(ends[0]?.type, JSON.stringify(ends[0])).toBe(whole ? "finish" : "failed");
  });
});

test.skip.each(all.filter(isForeign))("$name uses a format that is not supported", () => {});

test.skipIf(recordings.length > 0)("the replay of recorded streams is skipped, because none were found", () => {});
