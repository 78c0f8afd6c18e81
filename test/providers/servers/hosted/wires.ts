/** Small answers in the formats of the hosted providers. */
const sse = (list: readonly object[], named = false): string =>
  list
    .map((event) => {
      const name = named && "type" in event ? `event: ${String(event.type)}\n` : "";
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");

export const WORDS = "Stones keep words";

/** Anthropic's messages: content blocks and a stop reason. */
export const anthropic = (blocks: readonly AnthropicBlock[], stopReason: string, between: readonly object[] = []) => ({
  body: sse(
    [
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "claude-haiku-4-5",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 12, output_tokens: 1 },
        },
      },
      ...between,
      ...blocks.flatMap((block, index) => [
        { type: "content_block_start", index, content_block: block.start },
        { type: "content_block_delta", index, delta: block.delta },
        { type: "content_block_stop", index },
      ]),
      {
        type: "message_delta",
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: { input_tokens: 12, output_tokens: 5 },
      },
      { type: "message_stop" },
    ],
    true,
  ),
});

type AnthropicBlock = { readonly start: object; readonly delta: object };

export const anthropicText = (text: string): AnthropicBlock => ({
  start: { type: "text", text: "" },
  delta: { type: "text_delta", text },
});

export const anthropicCall = (json: string): AnthropicBlock => ({
  start: { type: "tool_use", id: "toolu_1", name: "now", input: {} },
  delta: { type: "input_json_delta", partial_json: json },
});

/** Google's candidates. */
export const google = (parts: readonly object[], finishReason: string, more: object = {}) => ({
  body: sse([
    {
      candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17 },
      modelVersion: "gemini-2.5-flash",
      responseId: "r1",
      ...more,
    },
  ]),
});

/** OpenAI's responses: a message and the final event. */
export const openai = (
  text: string,
  end: { readonly type: string; readonly response: object },
  kind = "output_text",
) => {
  const response = { id: "resp_1", object: "response", created_at: 1_780_000_000, model: "gpt-5-mini", output: [] };
  const part =
    kind === "refusal" ? { type: kind, refusal: "" } : { type: kind, annotations: [], logprobs: [], text: "" };
  const item = { id: "msg_0", type: "message", role: "assistant" };
  const place = { item_id: "msg_0", output_index: 0, content_index: 0 };
  const full = kind === "refusal" ? { type: kind, refusal: text } : { ...part, text };
  const said =
    text === ""
      ? []
      : [
          {
            type: "response.output_item.added",
            output_index: 0,
            item: { ...item, status: "in_progress", content: [] },
          },
          { type: "response.content_part.added", ...place, part },
          { type: `response.${kind}.delta`, ...place, delta: text },
          {
            type: `response.${kind}.done`,
            ...place,
            ...(kind === "refusal" ? { refusal: text } : { text, logprobs: [] }),
          },
          {
            type: "response.output_item.done",
            output_index: 0,
            item: { ...item, status: "completed", content: [full] },
          },
        ];
  const events = [
    {
      type: "response.created",
      response: { ...response, status: "in_progress", incomplete_details: null, usage: null },
    },
    ...said,
    { ...end, response: { ...response, ...end.response } },
  ];
  return {
    body: sse(
      events.map((event, index) => ({ ...event, sequence_number: index })),
      true,
    ),
  };
};

const usage = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 17,
};
export const completed = {
  type: "response.completed",
  response: { status: "completed", incomplete_details: null, usage },
};
export const incomplete = (reason: string) => ({
  type: "response.incomplete",
  response: { status: "incomplete", incomplete_details: { reason }, usage },
});
export const failed = (code: string, message: string) => ({
  type: "response.failed",
  response: { status: "failed", incomplete_details: null, error: { code, message }, usage: null },
});
