import type { ModelEvent } from "../../protocol/model.ts";
import type { Script } from "../../server/model/scripted.ts";
import { startInstance } from "../support/instance.ts";

/** A model controlled by the test: it decides when each part of an answer is sent. */
export type ScriptedModel = {
  readonly script: Script;
  /** Resolves with the server's next model call. */
  readonly next: () => Promise<Call>;
};

export type Call = {
  readonly say: (text: string) => void;
  readonly think: (text: string) => void;
  readonly finish: (reason?: "stop" | "length") => void;
  readonly fail: (text: string) => void;
};

/** An empty server with this model. */
export async function startWithScriptedModel(env: Readonly<Record<string, string>> = {}) {
  const voice = createScriptedModel();
  const { url } = await startInstance({
    script: voice.script,
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: ",", ...env },
  });
  return { voice, url };
}

/** Answers the next call with this text at once. */
export async function answerWith(voice: ScriptedModel, text: string): Promise<void> {
  const call = await voice.next();
  call.say(text);
  call.finish();
}

const usage = {
  inputTokens: 10,
  outputTokens: 5,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  estimated: false,
};

export function createScriptedModel(): ScriptedModel {
  const calls = createQueue<Call>();
  return {
    next: () => calls.take(),
    script: async function* (_, __, signal) {
      const events = createQueue<ModelEvent>();
      let isOpen: "text" | "reasoning" | null = null;
      const speak = (kind: "text" | "reasoning", text: string) => {
        if (isOpen !== kind) {
          if (isOpen) events.put({ type: "end", key: isOpen });
          events.put({ type: "start", key: kind, kind });
          isOpen = kind;
        }
        events.put({ type: "delta", key: kind, text });
      };
      calls.put({
        say: (text) => speak("text", text),
        think: (text) => speak("reasoning", text),
        finish: (reason = "stop") => {
          if (isOpen) events.put({ type: "end", key: isOpen });
          events.put({ type: "finish", reason, usage, costUsd: 0 });
        },
        fail: (text) => events.put({ type: "failed", failure: { code: "refused", fault: "request", text } }),
      });
      const stopped = new Promise<null>((resolve) => {
        if (signal.aborted) resolve(null);
        signal.addEventListener("abort", () => resolve(null));
      });
      for (;;) {
        const event = await Promise.race([events.take(), stopped]);
        if (!event) return;
        yield event;
        if (event.type === "finish" || event.type === "failed") return;
      }
    },
  };
}

function createQueue<T>() {
  const items: T[] = [];
  const takers: ((item: T) => void)[] = [];
  return {
    put: (item: T) => {
      const taker = takers.shift();
      if (taker) taker(item);
      else items.push(item);
    },
    take: () => new Promise<T>((resolve) => (items.length > 0 ? resolve(items.shift() as T) : takers.push(resolve))),
  };
}
