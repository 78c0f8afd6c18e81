import type { z } from "zod";
import { ConfigError } from "./config-error.ts";
import { readSecretFiles } from "./secret-files.ts";
import { toSignIn, type SignInConfig } from "./sign-in-settings.ts";
import { toNamedHeaders, toTelemetry, type TelemetryConfig } from "./telemetry-settings.ts";
import { toMaintenance, type BackupConfig, type RetentionConfig } from "./maintenance-settings.ts";
import { settings, type Setting, type SettingName, clientNames, testNames } from "./settings.ts";
/**
 * The configuration, parsed once at startup from the environment. A wrong, unknown or unsafe setting throws a
 * `ConfigError` with one line that says what to do; it never contains the value of a secret.
 */
export type Config = {
  readonly host: string;
  readonly port: number;
  /** Not accepted with accounts. Without accounts it is null only on a loopback address. */
  readonly token: string | null;
  /** `auto`: on if the database has accounts. */
  readonly accounts: "on" | "off" | "auto";
  /** Other ways to sign in to accounts. */
  readonly signIn: SignInConfig;
  /** Additional host names of the server, in lower case: `name` or `name:port`. */
  readonly hosts: readonly string[];
  /** Addresses and CIDRs of reverse proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly requestsPerMinute: number;
  /** Origins whose pages may call the API with a key. */
  readonly corsOrigins: readonly string[];
  /** The URL that browsers use. */
  readonly publicUrl: string;
  /** Whether it was set. */
  readonly hasPublicUrl: boolean;
  readonly dataDir: string;
  /** null: SQLite in `dataDir`. */
  readonly databaseUrl: string | null;
  /** null: generated once and stored in `dataDir`. */
  readonly secretKey: string | null;
  readonly backup: BackupConfig;
  readonly retention: RetentionConfig;
  readonly logLevel: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";
  /** 0: no slow queries are logged. */
  readonly slowQueryMs: number;
  /** null: telemetry is off. */
  readonly telemetry: TelemetryConfig | null;
  readonly leaseMs: number;
  /** Time for running answers to finish after SIGTERM. */
  readonly graceMs: number;
  /** Maximum time the event loop may be blocked; 0: no limit. */
  readonly blockedMs: number;
  /** For crash tests: the place at which the process kills itself. */
  readonly failpoint: string | null;
  readonly limits: {
    /** null: the profile's default. */
    readonly steps: number | null;
    readonly calls: number;
    readonly tokens: number;
    readonly costUsd: number;
    readonly seconds: number;
    /** null: `steps`, or the profile's default. */
    readonly projectSteps: number | null;
    readonly projectCalls: number;
  };
  /** null: the default of the context policy. */
  readonly window: {
    readonly messages: number | null;
    readonly characters: number | null;
    readonly pageCharacters: number;
  };
  readonly digests: { readonly livesMs: number; readonly documentDepth: number };
  /** Set by the operator, per user; null: no budget. */
  readonly budgets: { readonly dayUsd: number | null; readonly monthUsd: number | null };
  readonly tools: {
    readonly searchOrder: readonly string[];
    /** US dollars per search; a search that is not listed has no known price. */
    readonly searchPrices: Readonly<Record<string, number>>;
    readonly keys: { readonly [P in "serpapi" | "tavily" | "firecrawl" | "brave" | "openrouter"]: string | undefined };
    readonly openrouterUrl: string | undefined;
    readonly searxngUrl: string | undefined;
    readonly weather: "open-meteo" | "simulated";
    /** Path of the file that lists MCP servers. */
    readonly mcpFile: string | undefined;
    /** Allowed private addresses, by feature. */
    readonly allowPrivate: { readonly [F in "model" | "mcp" | "search" | "scrape" | "push"]: readonly string[] };
    readonly proxy: string | undefined;
  };
  readonly models: {
    readonly keys: KeyedValues;
    readonly baseUrls: KeyedValues;
    readonly compatible:
      | { readonly baseUrl: string; readonly apiKey: string | undefined; readonly models: readonly string[] }
      | undefined;
    readonly defaultModel: string | undefined;
    readonly fallbacks: readonly string[] | undefined;
    /** Models that write summaries and titles. */
    readonly summaries: readonly string[] | undefined;
    /** Whether models write titles. */
    readonly titles: boolean;
    readonly timeouts: {
      readonly firstMs: number | undefined;
      readonly idleMs: number;
      readonly totalMs: number;
      readonly loadMs: number;
    };
    readonly scripted: "directives" | undefined;
    readonly offlinePaceMs: number;
    readonly proxy: string | undefined;
    /** Private addresses that users may set as model servers. */
    readonly allowPrivate: readonly string[];
    /** Where model servers on this machine may be found, by id. Empty if users may not use them. */
    readonly localUrls: Readonly<Record<string, string>>;
  };
};

type KeyedValues = {
  readonly [
    P in
      | "openrouter"
      | "openai"
      | "anthropic"
      | "google"
      | "mistral"
      | "xai"
      | "groq"
      | "deepseek"
      | "azure"
      | "bedrock"
  ]: string | undefined;
};
type Environment = Readonly<Record<string, string | undefined>>;
type Values = { readonly [N in SettingName]: z.infer<(typeof settings)[N]["schema"]> };

export function readConfig(given: Environment = process.env): Config {
  const env = readSecretFiles(given);
  assertKnownNames(env);
  const values = parse(env);
  assertSafe(values);
  const address = `http://${values.STONECHAT_HOST}:${values.STONECHAT_PORT}`;
  return {
    host: values.STONECHAT_HOST,
    port: values.STONECHAT_PORT,
    token: values.STONECHAT_TOKEN ?? null,
    accounts: toAccounts(values),
    signIn: toSignIn(values, values.STONECHAT_TRUSTED_PROXIES),
    hosts: values.STONECHAT_HOSTS,
    corsOrigins: values.STONECHAT_CORS_ORIGINS,
    trustedProxies: values.STONECHAT_TRUSTED_PROXIES,
    requestsPerMinute: values.STONECHAT_REQUESTS_PER_MINUTE,
    publicUrl: (values.STONECHAT_PUBLIC_URL ?? address).replace(/\/$/, ""),
    hasPublicUrl: values.STONECHAT_PUBLIC_URL !== undefined,
    dataDir: values.STONECHAT_DATA,
    databaseUrl: values.STONECHAT_DATABASE_URL ?? null,
    secretKey: values.STONECHAT_SECRET_KEY ?? null,
    ...toMaintenance(values),
    logLevel: values.STONECHAT_LOG,
    slowQueryMs: values.STONECHAT_SLOW_QUERY_MS,
    telemetry: toTelemetry(values),
    leaseMs: values.STONECHAT_LEASE_MS,
    graceMs: values.STONECHAT_GRACE_SECONDS * 1000,
    blockedMs: values.STONECHAT_BLOCKED_SECONDS * 1000,
    failpoint: values.STONECHAT_FAILPOINT ?? null,
    limits: {
      steps: values.STONECHAT_MAX_STEPS ?? null,
      calls: values.STONECHAT_MAX_CALLS,
      tokens: values.STONECHAT_MAX_TOKENS,
      costUsd: values.STONECHAT_MAX_COST_USD,
      seconds: values.STONECHAT_MAX_SECONDS,
      projectSteps: values.FASTCHAT_MAX_TOOL_ROUNDS ?? null,
      projectCalls: values.FASTCHAT_MAX_TOOL_CALLS,
    },
    window: {
      messages: values.STONECHAT_HISTORY_MESSAGES ?? null,
      characters: values.STONECHAT_HISTORY_CHARACTERS ?? null,
      pageCharacters: values.STONECHAT_PAGE_CHARACTERS,
    },
    digests: {
      livesMs: values.STONECHAT_DIGEST_SECONDS * 1000,
      documentDepth: values.STONECHAT_DOCUMENT_DEPTH,
    },
    budgets: {
      dayUsd: values.STONECHAT_BUDGET_DAY_USD ?? null,
      monthUsd: values.STONECHAT_BUDGET_MONTH_USD ?? null,
    },
    tools: {
      searchOrder: values.STONECHAT_SEARCH,
      searchPrices: values.STONECHAT_SEARCH_PRICES,
      keys: {
        serpapi: values.SERPAPI_API_KEY,
        tavily: values.TAVILY_API_KEY,
        firecrawl: values.FIRECRAWL_API_KEY,
        brave: values.BRAVE_API_KEY,
        openrouter: values.OPENROUTER_API_KEY ?? values.OPENROUTER_AI_KEY,
      },
      openrouterUrl: values.OPENROUTER_BASE_URL,
      searxngUrl: values.STONECHAT_SEARXNG_URL,
      weather: values.STONECHAT_WEATHER,
      mcpFile: values.STONECHAT_MCP,
      allowPrivate: values.STONECHAT_ALLOW_PRIVATE,
      proxy: values.STONECHAT_PROXY,
    },
    models: toModels(values),
  };
}

/** All secrets of the configuration, by setting name. None of them may reach a model. */
export function listSecrets(config: Config): readonly { readonly name: string; readonly value: string }[] {
  const { models, tools } = config;
  const all: Readonly<Record<string, string | null | undefined>> = {
    token: config.token,
    "secret-key": config.secretKey,
    "database-url": config.databaseUrl,
    "backup-passphrase": config.backup.passphrase,
    "compatible-key": models.compatible?.apiKey,
    "oidc-client-secret": config.signIn.oidc?.clientSecret,
    "smtp-url": config.signIn.mail?.smtpUrl,
    proxy: tools.proxy,
    ...toNamedHeaders(config.telemetry),
    "model-proxy": models.proxy,
    ...models.keys,
    ...tools.keys,
  };
  return Object.entries(all).flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

function parse(env: Environment): Values {
  const entries = Object.entries<Setting>(settings).map(([name, { schema, isSecret }]) => {
    const given = env[name]?.trim();
    // An empty variable counts as unset: compose files and shells often produce them.
    const result = schema.safeParse(given === "" ? undefined : given);
    if (result.success) return [name, result.data] as const;
    const shown = isSecret || given === undefined ? "" : ` (it is ${JSON.stringify(given.slice(0, 80))})`;
    throw new ConfigError(`${name} ${result.error.issues[0]?.message ?? "is not valid"}${shown}.`);
  });
  return Object.fromEntries(entries) as Values;
}

function assertSafe(values: Values): void {
  const reachable = findReachable(values);
  if (values.STONECHAT_ACCOUNTS === "off" && values.STONECHAT_TOKEN === undefined && reachable !== undefined) {
    throw new ConfigError(
      `${reachable} Remove STONECHAT_ACCOUNTS=off, or set STONECHAT_TOKEN to a secret of at least 16 characters. Without both, ` +
        "anyone who reaches the server has full access.",
    );
  }
  assertPublicUrl(values);
  if (values.STONECHAT_COMPATIBLE_URL !== undefined) return;
  for (const name of ["STONECHAT_COMPATIBLE_KEY", "STONECHAT_COMPATIBLE_MODELS"] as const) {
    if (values[name]?.length)
      throw new ConfigError(`${name} is set without STONECHAT_COMPATIBLE_URL. Set both or neither.`);
  }
}

/** A provider redirects to it, and mails contain it. The address that the server binds to may be no address of a browser. */
function assertPublicUrl(values: Values): void {
  const needing = (["STONECHAT_OIDC_ISSUER", "STONECHAT_SMTP_URL"] as const).find((name) => values[name] !== undefined);
  if (needing === undefined || values.STONECHAT_PUBLIC_URL !== undefined || isLoopback(values.STONECHAT_HOST)) return;
  throw new ConfigError(`${needing} is set without STONECHAT_PUBLIC_URL. Set the address that browsers use.`);
}

/** The setting by which others can reach the server. A public name implies a proxy, even if the server binds to loopback. */
function findReachable(values: Values): string | undefined {
  const { STONECHAT_HOST: host, STONECHAT_PUBLIC_URL: url, STONECHAT_HOSTS: hosts } = values;
  if (!isLoopback(host)) return `STONECHAT_HOST is ${host}, which other machines can reach.`;
  if (url !== undefined && !isLoopback(new URL(url).hostname)) return "STONECHAT_PUBLIC_URL makes this server public.";
  const name = hosts.find((one) => !isLoopback(one.replace(/:\d+$/, "")));
  return name === undefined ? undefined : `STONECHAT_HOSTS makes this server public (${name}).`;
}

/** A reachable server without a token has accounts, so that it is never open to everyone. */
function toAccounts(values: Values): Config["accounts"] {
  if (values.STONECHAT_ACCOUNTS !== undefined) return values.STONECHAT_ACCOUNTS;
  return values.STONECHAT_TOKEN === undefined && findReachable(values) !== undefined ? "on" : "auto";
}

/** The same configuration for a server with accounts: its users may not reach the addresses of this machine. */
export const withAccounts = (config: Config): Config => ({
  ...config,
  accounts: "on",
  models: { ...config.models, allowPrivate: config.tools.allowPrivate.model, localUrls: {} },
});

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);

function toModels(values: Values): Config["models"] {
  return {
    keys: {
      openrouter: values.OPENROUTER_API_KEY ?? values.OPENROUTER_AI_KEY,
      openai: values.OPENAI_API_KEY,
      anthropic: values.ANTHROPIC_API_KEY,
      google: values.GOOGLE_GENERATIVE_AI_API_KEY,
      mistral: values.MISTRAL_API_KEY,
      xai: values.XAI_API_KEY,
      groq: values.GROQ_API_KEY,
      deepseek: values.DEEPSEEK_API_KEY,
      azure: values.AZURE_API_KEY,
      bedrock: values.AWS_BEARER_TOKEN_BEDROCK,
    },
    baseUrls: {
      openrouter: values.OPENROUTER_BASE_URL,
      openai: values.OPENAI_BASE_URL,
      anthropic: values.ANTHROPIC_BASE_URL,
      google: values.GOOGLE_BASE_URL,
      mistral: values.MISTRAL_BASE_URL,
      xai: values.XAI_BASE_URL,
      groq: values.GROQ_BASE_URL,
      deepseek: values.DEEPSEEK_BASE_URL,
      azure: values.AZURE_BASE_URL,
      bedrock: values.BEDROCK_BASE_URL ?? toBedrockUrl(values.AWS_REGION),
    },
    compatible:
      values.STONECHAT_COMPATIBLE_URL === undefined
        ? undefined
        : {
            baseUrl: values.STONECHAT_COMPATIBLE_URL,
            apiKey: values.STONECHAT_COMPATIBLE_KEY,
            models: values.STONECHAT_COMPATIBLE_MODELS,
          },
    defaultModel: values.STONECHAT_MODEL,
    fallbacks: values.STONECHAT_FALLBACKS,
    summaries: values.STONECHAT_SUMMARY_MODELS,
    titles: values.STONECHAT_TITLES,
    timeouts: {
      firstMs: values.STONECHAT_FIRST_TOKEN_TIMEOUT_MS,
      idleMs: values.STONECHAT_IDLE_TIMEOUT_MS,
      totalMs: values.STONECHAT_MAX_SECONDS * 1000,
      loadMs: values.STONECHAT_LOAD_TIMEOUT_MS,
    },
    scripted: values.STONECHAT_SCRIPTED ? "directives" : undefined,
    offlinePaceMs: values.STONECHAT_OFFLINE_PACE_MS,
    proxy: values.STONECHAT_MODEL_PROXY,
    ...toLocal(values),
  };
}

const toBedrockUrl = (region: string | undefined): string | undefined =>
  region && `https://bedrock-runtime.${region}.amazonaws.com`;

/**
 * A server without a token is only for the user of this machine, who may reach its loopback addresses anyway. Anyone else must
 * not: with a token or accounts, other people and other machines may use the page.
 */
function toLocal(values: Values): Pick<Config["models"], "allowPrivate" | "localUrls"> {
  const allowed = values.STONECHAT_ALLOW_PRIVATE.model;
  if (values.STONECHAT_TOKEN !== undefined || toAccounts(values) === "on")
    return { allowPrivate: allowed, localUrls: {} };
  const ports = { lmstudio: 1234, vllm: 8000, llamacpp: 8080 };
  const others = Object.entries(ports).map(([id, port]) => [id, `http://127.0.0.1:${port}/v1`]);
  return {
    allowPrivate: [...allowed, "localhost", "127.0.0.0/8", "::1/128"],
    localUrls: { ollama: toOllamaUrl(values.OLLAMA_HOST), ...Object.fromEntries(others) },
  };
}

/** Ollama accepts a host, a port, both, or a URL. An address of all interfaces is reached by loopback. */
function toOllamaUrl(text: string | undefined): string {
  const usual = "http://127.0.0.1:11434/v1";
  const full = /^\w+:\/\//.test(text ?? "") ? text : `http://${text?.startsWith(":") ? `127.0.0.1${text}` : text}`;
  if (text === undefined || !URL.canParse(full ?? "")) return usual;
  const { protocol, hostname, port } = new URL(full ?? "");
  const host = /^(?:0\.0\.0\.0|\[::\])$/.test(hostname) ? "127.0.0.1" : hostname;
  return isLoopback(host) ? `${protocol}//${host}:${port || "11434"}/v1` : usual;
}

/** A misspelled setting would silently have no effect, which is dangerous for a limit or a token, so it is an error. */
function assertKnownNames(env: Readonly<Record<string, string | undefined>>): void {
  const known = [...Object.keys(settings), ...clientNames, ...testNames];
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !name.startsWith("STONECHAT_") || known.includes(name)) continue;
    throw new ConfigError(`${name} is not a setting. Did you mean ${findClosest(name, known)}?`);
  }
}

function findClosest(name: string, known: readonly string[]): string {
  const [closest] = known
    .filter((candidate) => candidate.startsWith("STONECHAT_"))
    .map((candidate) => ({ candidate, distance: countEdits(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  return closest?.candidate ?? "STONECHAT_HOST";
}

/** Levenshtein distance. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const change = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
