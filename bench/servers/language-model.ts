import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { play } from "../load/play.ts";
import { hasScript, readScript, type Script } from "../load/script.ts";

/**
 * The model of both contestants: a plain object without state that plays the script in the last message, one delta for each
 * pull of the stream, like a provider package.
 */
export const createLanguageModel = (): LanguageModelV4 => ({
  specificationVersion: "v4",
  provider: "bench",
  modelId: "bench",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("This model only streams.")),
  doStream: ({ prompt }) => Promise.resolve({ stream: toStream(findScript(toText(prompt))) }),
});

/** Background calls, such as summaries, have no script and get a one-word answer. */
const aside: Script = { deltas: 1, paceMs: 0, firstMs: 0, clock: "after", says: "words" };
const findScript = (text: string): Script => (hasScript(text) ? readScript(text) : aside);

function toText(prompt: LanguageModelV4Prompt): string {
  const last = prompt.findLast((message) => message.role === "user");
  const part = last?.content.findLast((one) => one.type === "text");
  return part?.type === "text" ? part.text : "";
}

function toStream(script: Script): ReadableStream<LanguageModelV4StreamPart> {
  const { next, take } = play(script);
  let opening: LanguageModelV4StreamPart[] = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "t" },
  ];
  return new ReadableStream<LanguageModelV4StreamPart>({
    pull: (controller) => {
      for (const part of opening) controller.enqueue(part);
      opening = [];
      const waitMs = next();
      if (waitMs === null) {
        for (const part of ending) controller.enqueue(part);
        controller.close();
        return undefined;
      }
      if (waitMs === 0) return controller.enqueue({ type: "text-delta", id: "t", delta: take() });
      return new Promise((resolve) => {
        setTimeout(() => {
          controller.enqueue({ type: "text-delta", id: "t", delta: take() });
          resolve();
        }, waitMs);
      });
    },
  });
}

const ending: readonly LanguageModelV4StreamPart[] = [
  { type: "text-end", id: "t" },
  {
    type: "finish",
    finishReason: { unified: "stop", raw: "stop" },
    usage: {
      inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 200, text: 200, reasoning: 0 },
    },
  },
];
