import { createHash } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import type { Observe, Work, WorkEnd } from "../lib/observe.ts";
import { randomKey } from "../lib/random.ts";
import type { OpenStream } from "../net/open-stream.ts";
import { toMetrics, createDurations } from "./durations.ts";
import { toAttributes, toResource, type Attributes } from "./otlp.ts";

/**
 * Traces and metrics of runs, model calls, tool calls and commits as OpenTelemetry: OTLP over HTTP as JSON. Loaded only if an
 * endpoint is set. Attributes follow the semantic conventions for generative AI. Decision 39.
 */
export type Telemetry = {
  readonly observe: Observe;
  readonly stats: () => { readonly dropped: number };
  /** Sends the spans in the queue, for two seconds at most. */
  readonly close: () => Promise<void>;
};

type Options = {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly name: string;
  readonly version: string;
  /** Whether spans contain prompts, answers, and arguments and results of tools. Spans of temporary threads never do. */
  readonly contents: boolean;
  readonly stream: OpenStream;
  readonly clock: Clock;
  readonly flushMs?: number;
  readonly onNote: (note: string) => void;
};

type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: internal, 3: a call to another server. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: ReturnType<typeof toAttributes>;
  readonly status: { readonly code: 1 | 2; readonly message?: string };
};

const MAX_SPANS = 2_000;
const BATCH_SPANS = 500;
const FLUSH_MS = 5_000;
const TIMEOUT_MS = 10_000;
/** A receiver that does not respond must not delay the end of the process. */
const CLOSE_MS = 2_000;
const MAX_CONTENT_CHARACTERS = 100_000;

export function createTelemetry(options: Options): Telemetry {
  const { endpoint, headers, name, version, contents, stream, clock, flushMs = FLUSH_MS, onNote } = options;
  const resource = toResource(name, version);
  const durations = createDurations(clock.now());
  /** The spans of runs that are driven now: parents of their work. */
  const driven = new Map<string, string>();
  let spans: Span[] = [];
  let dropped = 0;
  let sending: Promise<void> | undefined;
  /** Paths whose last request failed. Only the first failure is reported. */
  const failing = new Set<string>();
  const closing = new AbortController();

  const post = async (path: string, body: object): Promise<boolean> => {
    try {
      const { status, body: reply } = await stream(`${endpoint}${path}`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
        ...{ lifeMs: TIMEOUT_MS, idleMs: TIMEOUT_MS, signal: closing.signal },
      });
      for await (const _ of reply) break;
      if (status < 200 || status >= 300) throw new Error(`The telemetry endpoint responded with status ${status}.`);
      failing.delete(path);
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!failing.has(path)) onNote(`Telemetry could not be sent to ${new URL(endpoint).host}. ${why}`);
      failing.add(path);
      return false;
    }
  };

  const flush = async (): Promise<void> => {
    while (spans.length > 0) {
      const batch = spans.slice(0, BATCH_SPANS);
      const scopeSpans = [{ scope: { name: "stonechat", version }, spans: batch }];
      if (!(await post("/v1/traces", { resourceSpans: [{ resource, scopeSpans }] }))) return;
      spans = spans.slice(batch.length);
    }
    if (!durations.hasChanged()) return;
    const metrics = toMetrics(durations.list(), clock.now());
    const scopeMetrics = [{ scope: { name: "stonechat", version }, metrics }];
    await post("/v1/metrics", { resourceMetrics: [{ resource, scopeMetrics }] });
  };
  const flushOnce = (): Promise<void> =>
    (sending ??= flush().finally(() => {
      sending = undefined;
    }));
  const timer = setInterval(() => void flushOnce(), flushMs).unref();

  const add = (span: Span): void => {
    // The oldest stay: they are sent next.
    if (spans.length >= MAX_SPANS) dropped += 1;
    else spans.push(span);
  };

  return {
    observe: (work) => {
      const [startedAt, startedMs] = [clock.now(), clock.monotonic()];
      const spanId = Buffer.from(randomKey(8), "base64url").toString("hex");
      const parent = work.kind === "run" ? undefined : driven.get(work.runId);
      if (work.kind === "run") driven.set(work.runId, spanId);
      return (end) => {
        const tookMs = clock.monotonic() - startedMs;
        if (work.kind === "run") driven.delete(work.runId);
        durations.record(work, end, tookMs / 1000);
        add({
          traceId: toTraceId(work.runId),
          spanId,
          ...(parent === undefined ? {} : { parentSpanId: parent }),
          name: toName(work),
          kind: work.kind === "model" ? 3 : 1,
          startTimeUnixNano: toNanos(startedAt),
          endTimeUnixNano: toNanos(startedAt + tookMs),
          attributes: toAttributes({ ...describe(work, end), ...(contents ? describeContent(work, end) : {}) }),
          status: end.isFailure ? { code: 2, message: end.outcome } : { code: 1 },
        });
      };
    },
    stats: () => ({ dropped }),
    close: async () => {
      clearInterval(timer);
      const deadline = setTimeout(() => closing.abort(), CLOSE_MS);
      await sending;
      if (!closing.signal.aborted) await flush();
      clearTimeout(deadline);
    },
  };
}

/** All work of a run is one trace, also if several nodes drive it. */
const toTraceId = (runId: string): string => createHash("sha256").update(runId).digest("hex").slice(0, 32);

const toNanos = (ms: number): string => `${Math.round(ms * 1000)}000`;

function toName(work: Work): string {
  if (work.kind === "run") return `invoke_agent ${work.profile}`;
  if (work.kind === "model") return `chat ${work.model}`;
  return work.kind === "tool" ? `execute_tool ${work.name}` : "commit";
}

function describe(work: Work, { outcome, isFailure, usage }: WorkEnd): Attributes {
  const shared = { "stonechat.run.id": work.runId, "stonechat.outcome": outcome };
  const error = isFailure ? { "error.type": outcome } : {};
  if (work.kind === "commit") return { ...shared, ...error };
  if (work.kind === "run")
    return {
      ...{ ...shared, ...error, "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": work.profile },
      "gen_ai.conversation.id": work.threadId,
      ...(work.waitedMs === null ? {} : { "stonechat.queue.wait_ms": Math.round(work.waitedMs) }),
    };
  if (work.kind === "tool")
    return {
      ...{ ...shared, ...error, "gen_ai.operation.name": "execute_tool" },
      ...{ "gen_ai.tool.name": work.name, "gen_ai.tool.call.id": work.callId },
    };
  return {
    ...{ ...shared, ...error, "gen_ai.operation.name": "chat", "gen_ai.conversation.id": work.threadId },
    ...{ "gen_ai.provider.name": work.provider, "gen_ai.request.model": work.model },
    ...(usage
      ? { "gen_ai.usage.input_tokens": usage.inputTokens, "gen_ai.usage.output_tokens": usage.outputTokens }
      : {}),
  };
}

function describeContent(work: Work, { output }: WorkEnd): Attributes {
  if ((work.kind !== "model" && work.kind !== "tool") || work.isTemporary) return {};
  const [input, result] = [work.input(), output?.() ?? ""].map((text) => text.slice(0, MAX_CONTENT_CHARACTERS));
  return work.kind === "model"
    ? { "gen_ai.input.messages": input ?? "", "gen_ai.output.messages": result ?? "" }
    : { "gen_ai.tool.call.arguments": input ?? "", "gen_ai.tool.call.result": result ?? "" };
}
