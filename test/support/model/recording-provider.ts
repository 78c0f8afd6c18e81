import { onTestFinished } from "vitest";
import type { Tool } from "../../../server/tools/tool.ts";
import * as wire from "../chat-wire.ts";
import { startInstance, type Instance } from "../instance.ts";
import { createProviderServer, type ProviderCall } from "../provider-server.ts";
import type { Json } from "./validators/rule.ts";
import { validateRequest } from "./validators/validate-request.ts";

/** The model's reply to one request. */
export type Reply = string | Calling;
type Calling = {
  readonly calls: readonly { readonly name: string; readonly input: object }[];
  /** Reasoning before the call; for `compatible`: in a separate field, or in tags within the text. */
  readonly thinking?: string;
  readonly inTags?: boolean;
};

export type RecordedInstance = Instance & {
  /** Every request for an answer, as sent by the provider's package: parsed, and as text. */
  readonly sent: () => readonly { readonly body: Json; readonly text: string }[];
  /** All requests, including background calls. */
  readonly everything: () => readonly string[];
};

type Options = {
  readonly provider?: "anthropic" | "compatible";
  /** `index`: number of this request among those for answers. */
  readonly reply: (body: Json, index: number) => Reply | Promise<Reply>;
  /** Used by `compatible`: the usage reported for a request; null reports none. */
  readonly usage?: (text: string) => object | null;
  readonly tools?: readonly Tool[];
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
};

/** Detected by the profiles' instructions: background calls have different ones. */
const isAnswer = (text: string): boolean => text.includes("You are Stonechat, a");

/**
 * The product with a provider on loopback: real packages, real HTTP. Each body is checked against the provider's rules
 * at the end of the test.
 */
export async function startRecordedInstance({
  provider = "anthropic",
  reply,
  usage,
  tools,
  env,
  dataDir,
}: Options): Promise<RecordedInstance> {
  const isChat = provider === "compatible";
  let asked = 0;
  const server = await createProviderServer({
    next: ({ text, body, path }) => {
      if (path.endsWith("/models")) return { status: 404, body: "" };
      const index = isAnswer(text) ? asked++ : -1;
      return {
        name: "recorded",
        respond: async (_call, res) => {
          const said = index < 0 ? "Noted." : await reply(body, index);
          res.writeHead(200, { "content-type": "text/event-stream" });
          res.end(isChat ? toChat(said, index, usage ? usage(text) : wire.usage) : toAnthropic(said, index));
        },
      };
    },
  });
  onTestFinished(server.close);
  const own: Record<string, string> = isChat
    ? { STONECHAT_MODEL: "compatible/m", STONECHAT_COMPATIBLE_URL: server.url, STONECHAT_COMPATIBLE_MODELS: "m" }
    : { STONECHAT_MODEL: "anthropic/claude-sonnet-5-5", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
  const instance = await startInstance({
    env: { STONECHAT_SCRIPTED: "0", ...own, ...env },
    ...(tools && { tools }),
    ...(dataDir && { dataDir }),
  });
  const ofAnswers = (): readonly ProviderCall[] => server.calls.filter(({ text }) => isAnswer(text));
  onTestFinished(() => {
    for (const { body } of ofAnswers()) {
      const faults = validateRequest(body, isChat ? "compatible" : "anthropic");
      if (faults.length > 0) throw new Error(`the provider would refuse this request: ${faults.join("; ")}`);
    }
  });
  return {
    ...instance,
    sent: ofAnswers,
    everything: () => server.calls.flatMap(({ text }) => (text === "" ? [] : [text])),
  };
}

/** Usage reported by each call; real figures, so that costs can be checked. */
export const reportedUsage = { input: 100, cacheRead: 40, cacheWrite: 10, output: 20 };

const toAnthropic = (said: Reply, index: number): string => {
  const calls = typeof said === "string" ? [] : said.calls;
  const blocks =
    typeof said === "string"
      ? [{ block: { type: "text", text: "" }, delta: { type: "text_delta", text: said } }]
      : calls.map(({ name, input }, at) => ({
          block: { type: "tool_use", id: `toolu_${index}_${at}`, name, input: {} },
          delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
        }));
  const usage = {
    input_tokens: reportedUsage.input - reportedUsage.cacheRead - reportedUsage.cacheWrite,
    cache_read_input_tokens: reportedUsage.cacheRead,
    cache_creation_input_tokens: reportedUsage.cacheWrite,
    output_tokens: 1,
  };
  const message = {
    id: `msg_${index}`,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5-5",
    content: [],
    usage,
  };
  const events = [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    ...blocks.flatMap(({ block, delta }, at) => [
      { type: "content_block_start", index: at, content_block: block },
      { type: "content_block_delta", index: at, delta },
      { type: "content_block_stop", index: at },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: reportedUsage.output },
    },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
};

const toChat = (said: Reply, index: number, usage: object | null): string =>
  typeof said === "string"
    ? wire.toSse([wire.text(said), wire.finish("stop", usage)])
    : wire.toSse([
        ...toThinking(said),
        ...said.calls.map(({ name, input }, at) => wire.call(at, `call_${index}_${at}`, name, JSON.stringify(input))),
        wire.finish("tool_calls", usage),
      ]);

const toThinking = ({ thinking, inTags = false }: Calling): readonly object[] => {
  if (thinking === undefined) return [];
  return [inTags ? wire.text(`<think>${thinking}</think>`) : wire.chunk({ reasoning_content: thinking })];
};
