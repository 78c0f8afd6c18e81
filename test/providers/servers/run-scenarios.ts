import { textOf } from "../../../protocol/fold.ts";
import { isTerminal, type Part } from "../../../protocol/parts.ts";
import { createGate, createInstance, type Instance } from "../../support/instance.ts";
import { createProviderServer, type ProviderServer } from "../../support/provider-server.ts";
import { healthyOf } from "./hosted/replies.ts";
import type { Provider, Scenario, ReplyContext } from "./scenario.ts";

/** The result of one scenario, as a row of the results table. */
export type ScenarioResult = {
  readonly outcome: string | null;
  readonly sentence: string | null;
  readonly answer: string;
  readonly calls: number;
  readonly nextTurn: string;
  readonly open: readonly Part[];
  readonly bodies: readonly string[];
  readonly waitingFor: readonly string[];
  readonly answeredBy: string | null;
  readonly tools: readonly string[];
  readonly reasoning: string;
  readonly isEstimated: boolean;
};

type ActiveScenario = {
  readonly scenario: Scenario;
  readonly bodies: string[];
  readonly context: ReplyContext;
  served: number;
};

const modelOf: Record<Provider, string> = {
  compatible: "",
  openrouter: "openrouter/openai/gpt-5-mini",
  openai: "openai/gpt-5-mini",
  anthropic: "anthropic/claude-haiku-4-5",
  google: "google/gemini-2.5-flash",
};

/** The short timeouts; the sentences in `waiting.ts` name them. */
const shortTimeouts = { firstMs: 1000, idleMs: 1000, totalMs: 10_000, loadMs: 1000 };

/** One loopback model server behind two Stonechat servers: one with default timeouts, one with short ones. */
export const createHarness = async (scenarios: readonly Scenario[]) => {
  const active = new Map<string, ActiveScenario>();
  const provider: ProviderServer = await createProviderServer({
    next: (call) => {
      if (call.path.endsWith("/models")) return { status: 404, body: "" };
      const own = /"model":"(s\d+)"/.exec(call.text)?.[1];
      const at = active.get(own ?? /\[scenario (\d+)\]/.exec(call.text)?.[1] ?? "");
      const kind = toProvider(call.path);
      const healthy = healthyOf[kind];
      if (at === undefined) return typeof healthy === "function" ? healthy(call, never) : healthy;
      at.bodies.push(call.text);
      const reply = at.scenario.replies[Math.min(at.served, at.scenario.replies.length - 1)] ?? healthy;
      at.served += 1;
      return typeof reply === "function" ? reply(call, at.context) : reply;
    },
  });
  const names = scenarios.map((_, index) => `s${index}`);
  const start = (timeouts: object): Promise<Instance> =>
    createInstance({
      env: {
        STONECHAT_SCRIPTED: "0",
        STONECHAT_FALLBACKS: "none/none",
        STONECHAT_SUMMARY_MODELS: "none/none",
        STONECHAT_COMPATIBLE_URL: `${provider.url}/compatible`,
        STONECHAT_COMPATIBLE_MODELS: names.join(","),
        OPENROUTER_API_KEY: "key-of-openrouter",
        OPENROUTER_BASE_URL: `${provider.url}/openrouter`,
        OPENAI_API_KEY: "key-of-openai",
        OPENAI_BASE_URL: `${provider.url}/openai`,
        ANTHROPIC_API_KEY: "key-of-anthropic",
        ANTHROPIC_BASE_URL: `${provider.url}/anthropic`,
        GOOGLE_GENERATIVE_AI_API_KEY: "key-of-google",
        GOOGLE_BASE_URL: `${provider.url}/google`,
        STONECHAT_MAX_STEPS: "4",
      },
      timeouts,
    });
  const usual = await start({ noticeAfterMs: 1000 });
  const short = await start(shortTimeouts);

  const run = async (index: number): Promise<ScenarioResult> => {
    const scenario = scenarios[index];
    if (scenario === undefined) throw new Error(`There is no scenario ${index}.`);
    const instance = scenario.hasShortTimeouts ? short : usual;
    const model = scenario.provider ? modelOf[scenario.provider] : `compatible/s${index}`;
    const threadId = await instance.start({ model });
    const live = instance.follow(threadId);
    let turn = 0;
    const say = async (text: string) => {
      turn += 1;
      await instance.send(threadId, text);
      return live.ended(turn);
    };
    if (scenario.isLong) for (let at = 0; at < 3; at += 1) await say(`Earlier question ${at}: ${LONG}`);
    const shown = createGate();
    const key = scenario.provider ? String(index) : `s${index}`;
    const at: ActiveScenario = { scenario, bodies: [], context: { isShown: shown.passed }, served: 0 };
    active.set(key, at);
    if (scenario.waitingFor)
      void live.until(({ run: view }) => view?.waitingFor !== undefined).then(shown.open, () => {});
    const ended = await say(`Newest question [scenario ${index}]: say something.`);
    const { messages } = await instance.client.getThread({ params: { threadId } });
    const { calls } = await instance.client.getRun({ params: { threadId, runId: ended.id } });
    active.delete(key);
    await say("And now?");
    const after = await instance.client.getThread({ params: { threadId } });
    live.close();
    const parts = messages.at(-1)?.parts ?? [];
    const toTable = (text: string) =>
      text.replaceAll(provider.url.slice("http://".length), "{server}").replaceAll(model, "{model}");
    const notice = parts.findLast((part) => part.kind === "notice");
    const sentence = ended.reason?.text ?? (notice?.kind === "notice" ? notice.text : null);
    return {
      outcome: ended.outcome,
      sentence: sentence === null ? null : toTable(sentence),
      answer: textOf(parts),
      calls: parts.filter(({ kind }) => kind === "step").length,
      nextTurn: textOf(after.messages.at(-1)?.parts ?? []),
      open: after.messages.flatMap((message) => message.parts.filter(isOpen)),
      bodies: at.bodies,
      waitingFor: live.rows.flatMap(({ event }) =>
        event.type === "run-stepped" && event.run.waitingFor !== undefined ? [toTable(event.run.waitingFor)] : [],
      ),
      answeredBy: calls.at(-1)?.answeredBy ?? null,
      tools: parts.flatMap((part) => (part.kind === "tool" ? [`${part.name} ${part.state}`] : [])),
      reasoning: parts.flatMap((part) => (part.kind === "reasoning" ? [part.text] : [])).join(""),
      isEstimated: ended.usage.estimated,
    };
  };

  return {
    run,
    close: async () => {
      await usual.close();
      await short.close();
      await provider.close();
    },
  };
};

const LONG = "many words about stones and rivers ".repeat(170);

const never: ReplyContext = { isShown: new Promise(() => {}) };

const toProvider = (path: string): Provider =>
  (["openrouter", "openai", "anthropic", "google"] as const).find((name) => path.startsWith(`/${name}`)) ??
  "compatible";

const isOpen = (part: Part): boolean =>
  part.kind === "tool" ? !isTerminal(part.state) : "state" in part && part.state === "streaming";
