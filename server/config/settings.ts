import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { isPackaged } from "../lib/root.ts";
import { signInSettings } from "./sign-in-settings.ts";
import { telemetrySettings } from "./telemetry-settings.ts";
import { maintenanceSettings } from "./maintenance-settings.ts";

/**
 * All settings, by environment variable. Schema messages continue a sentence that starts with the variable name.
 * `about` appears in the operator's guide.
 */
export type Setting = { readonly schema: z.ZodType; readonly about: string; readonly isSecret?: true };

/** The npm package may be run in any folder, and its own folder is replaced by an upgrade. */
const dataFolder = isPackaged ? join(homedir(), ".stonechat/data") : "./data";

const wholeOf = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
};
const whole = (min: number, max: number, fallback: number) => wholeOf(min, max).default(fallback);
const wholeIfSet = (min: number, max: number) => wholeOf(min, max).optional();
const amount = (max: number, fallback: number) => {
  const message = `must be a number above 0, up to ${max}`;
  return z
    .string()
    .regex(/^\d+(\.\d+)?$/, message)
    .transform(Number)
    .refine((value) => value > 0 && value <= max, message)
    .default(fallback);
};
const dollars = (message: string) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, message)
    .transform(Number)
    .refine((value) => value > 0 && value <= 1_000_000, message)
    .optional();
const list = z.string().transform((text) => text.split(",").flatMap((item) => item.trim() || []));
const url = (protocols: RegExp, example: string) =>
  z.string().refine((text) => URL.canParse(text) && protocols.test(text), `must be a URL such as ${example}`);
const webUrl = url(/^https?:\/\//, "https://example.com/v1").optional();
const secret = z.string().max(10_000, "is too long").optional();
const modelId = z.string().max(200, "is too long for a model id").optional();

const hostNames = list
  .transform((names) => names.map((name) => name.toLowerCase()))
  .refine(
    (names) => names.every((name) => /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.test(name)),
    "must be host names separated by commas, such as chat.example.com,localhost:5173, without https://",
  );

const pricesOf = (names: readonly string[]) =>
  list
    .refine(
      (items) => items.every((item) => names.includes(item.split("=")[0] ?? "") && /^[a-z]+=\d+(\.\d+)?$/.test(item)),
      `must be prices such as tavily=0.008,brave=0.005, of ${names.join(", ")}`,
    )
    .transform((items): Readonly<Record<string, number>> =>
      Object.fromEntries(items.map((item) => [item.split("=")[0] ?? "", Number(item.split("=")[1])])),
    )
    .default({});

const features = ["model", "mcp", "search", "scrape", "push"] as const;
type Allowances = { readonly [F in (typeof features)[number]]: readonly string[] };

/** `searxng=` is an alias for `search=`. */
const allowances = list
  .transform((items) => items.map((item) => item.replace(/^searxng=/, "search=")))
  .refine(
    (items) => items.every((item) => features.some((feature) => item.startsWith(`${feature}=`))),
    "must name the feature that each address is allowed for, such as model=127.0.0.1:11434,search=searxng.lan:8080 " +
      "(model, mcp, search, scrape or push). In 0.1.0 an address applied to all features: repeat it for each feature that needs it",
  )
  .transform((items): Allowances => {
    const of = (feature: string) =>
      items.flatMap((item) => (item.startsWith(`${feature}=`) ? [item.slice(feature.length + 1)] : []));
    return { model: of("model"), mcp: of("mcp"), search: of("search"), scrape: of("scrape"), push: of("push") };
  });

export const settings = {
  STONECHAT_HOST: {
    schema: z
      .string()
      .regex(/^[\w.:[\]-]+$/, "must be an address or a host name to bind to")
      .default("127.0.0.1"),
    about: "Address to bind to. Any address other than loopback needs accounts or STONECHAT_TOKEN.",
  },
  STONECHAT_PORT: { schema: whole(0, 65_535, 3737), about: "Port to listen on; 0 lets the system choose." },
  STONECHAT_TOKEN: {
    schema: z
      .string()
      .regex(/^[\x21-\x7e]{16,1000}$/, "must be at least 16 characters of plain ASCII without spaces")
      .optional(),
    about: "The secret for signing in to this instance. Not accepted with accounts.",
    isSecret: true,
  },
  STONECHAT_ACCOUNTS: {
    schema: z.enum(["on", "off"], { error: "must be on or off" }).optional(),
    about:
      "Whether users sign in to separate accounts. Unset: if other machines can reach the server and it has no token, or if the database has accounts.",
  },
  STONECHAT_HOSTS: {
    schema: hostNames.default([]),
    about: "Additional host names of the server, separated by commas: `name`, or `name:port`.",
  },
  STONECHAT_CORS_ORIGINS: {
    schema: list
      .transform((items) => items.map((item) => item.toLowerCase()))
      .refine(
        (items) =>
          items.every((item) => /^[a-z][a-z0-9+.-]*:\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.test(item)),
        "must be origins separated by commas, such as https://app.example.com,http://localhost:5173, without a path",
      )
      .default([]),
    about: "Origins whose pages may call the API with an API key, separated by commas. Default: none.",
  },
  STONECHAT_TRUSTED_PROXIES: {
    schema: list
      .refine(
        (items) => items.every((item) => /^[0-9a-f.:]+(\/\d{1,3})?$/i.test(item)),
        "must be addresses or CIDRs of proxies separated by commas, such as 127.0.0.1,10.0.0.0/8",
      )
      .default([]),
    about:
      "Reverse proxies whose X-Forwarded-For is trusted, as addresses or CIDRs separated by commas. Default: none.",
  },
  STONECHAT_REQUESTS_PER_MINUTE: {
    schema: whole(10, 1_000_000, 600),
    about:
      "With accounts: requests per minute of each user that change something or call a model. Ten times as many may read, and a network may make four times as many.",
  },
  STONECHAT_PUBLIC_URL: {
    schema: webUrl,
    about: "The URL that browsers use, if it differs from the bind address.",
  },
  ...signInSettings,
  STONECHAT_DATA: { schema: z.string().default(dataFolder), about: "Folder for all stored data." },
  STONECHAT_DATABASE_URL: {
    schema: url(/^postgres(ql)?:\/\//, "postgres://user:password@host/name").optional(),
    about: "A PostgreSQL database. Default: SQLite in the data folder.",
    isSecret: true,
  },
  STONECHAT_SECRET_KEY: {
    schema: secret,
    about:
      "32 bytes as base64url that encrypt stored secrets; several nodes need the same key. Default: generated and stored in the data folder.",
    isSecret: true,
  },
  ...maintenanceSettings,
  STONECHAT_MODEL: { schema: modelId, about: "Default model for new threads." },
  STONECHAT_FALLBACKS: {
    schema: list.optional(),
    about:
      "Models to try in order when one fails, separated by commas. Threads on a local model never fall back to another provider.",
  },
  STONECHAT_SUMMARY_MODELS: {
    schema: list.optional(),
    about:
      "Models that write summaries, tried in order, separated by commas. Default: models of the thread's provider, the cheapest first. " +
      "Threads on a local model and temporary threads always stay with their provider.",
  },
  STONECHAT_TITLES: {
    schema: z
      .enum(["on", "off"], { error: "must be on or off" })
      .transform((value) => value === "on")
      .default(true),
    about:
      "Whether a model of the thread's provider writes titles after the first answer. `off`: the first words of the thread, for all users.",
  },
  OPENROUTER_API_KEY: { schema: secret, about: "Key for OpenRouter.", isSecret: true },
  OPENROUTER_AI_KEY: { schema: secret, about: "Alias for OPENROUTER_API_KEY.", isSecret: true },
  OPENAI_API_KEY: { schema: secret, about: "Key for OpenAI.", isSecret: true },
  ANTHROPIC_API_KEY: { schema: secret, about: "Key for Anthropic.", isSecret: true },
  GOOGLE_GENERATIVE_AI_API_KEY: { schema: secret, about: "Key for Google.", isSecret: true },
  OPENROUTER_BASE_URL: { schema: webUrl, about: "Alternative base URL for OpenRouter." },
  OPENAI_BASE_URL: { schema: webUrl, about: "Alternative base URL for OpenAI." },
  ANTHROPIC_BASE_URL: { schema: webUrl, about: "Alternative base URL for Anthropic." },
  GOOGLE_BASE_URL: { schema: webUrl, about: "Alternative base URL for Google." },
  MISTRAL_API_KEY: { schema: secret, about: "Key for Mistral.", isSecret: true },
  XAI_API_KEY: { schema: secret, about: "Key for xAI.", isSecret: true },
  GROQ_API_KEY: { schema: secret, about: "Key for Groq.", isSecret: true },
  DEEPSEEK_API_KEY: { schema: secret, about: "Key for DeepSeek.", isSecret: true },
  AZURE_API_KEY: { schema: secret, about: "Key for Azure OpenAI. Needs AZURE_BASE_URL.", isSecret: true },
  AWS_BEARER_TOKEN_BEDROCK: { schema: secret, about: "API key for Amazon Bedrock.", isSecret: true },
  AWS_REGION: {
    schema: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, "must be a region such as us-east-1")
      .optional(),
    about: "Region for Amazon Bedrock. Default: us-east-1.",
  },
  MISTRAL_BASE_URL: { schema: webUrl, about: "Alternative base URL for Mistral." },
  XAI_BASE_URL: { schema: webUrl, about: "Alternative base URL for xAI." },
  GROQ_BASE_URL: { schema: webUrl, about: "Alternative base URL for Groq." },
  DEEPSEEK_BASE_URL: { schema: webUrl, about: "Alternative base URL for DeepSeek." },
  AZURE_BASE_URL: {
    schema: webUrl,
    about: "Address of an Azure OpenAI resource: `https://NAME.openai.azure.com/openai`. Models are its deployments.",
  },
  BEDROCK_BASE_URL: { schema: webUrl, about: "Alternative base URL for Amazon Bedrock." },
  STONECHAT_MODEL_PROXY: {
    schema: webUrl,
    about: "HTTP proxy for calls to model providers. Servers on the local network are called directly.",
    isSecret: true,
  },
  OLLAMA_HOST: {
    schema: z.string().max(300, "is too long").optional(),
    about:
      "Where Ollama listens on this machine, as for Ollama itself. The page looks for it there. Default: 127.0.0.1:11434.",
  },
  STONECHAT_COMPATIBLE_URL: {
    schema: webUrl,
    about: "Base URL of an OpenAI-compatible server, such as Ollama or vLLM.",
  },
  STONECHAT_COMPATIBLE_KEY: { schema: secret, about: "Key for it, if it needs one.", isSecret: true },
  STONECHAT_COMPATIBLE_MODELS: {
    schema: list.default([]),
    about: "Its models, separated by commas. Default: the models it lists.",
  },
  STONECHAT_LOG: {
    schema: z
      .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
        error: "must be one of fatal, error, warn, info, debug, trace, silent",
      })
      .default("info"),
    about: "Log level.",
  },
  STONECHAT_SLOW_QUERY_MS: {
    schema: whole(0, 600_000, 0),
    about: "Logs reads and transactions of the database that take at least this long, by name. 0: none.",
  },
  ...telemetrySettings,
  STONECHAT_MAX_STEPS: {
    schema: wholeIfSet(1, 1_000),
    about:
      "Maximum steps per answer, in every built-in profile. Default: 12 in `research`, `FASTCHAT_MAX_TOOL_ROUNDS` in `project`, 10 elsewhere.",
  },
  STONECHAT_MAX_CALLS: { schema: whole(1, 10_000, 40), about: "Maximum tool calls per answer." },
  STONECHAT_MAX_TOKENS: {
    schema: whole(1, 1_000_000_000, 500_000),
    about: "Maximum tokens per answer, input and output.",
  },
  STONECHAT_MAX_COST_USD: { schema: amount(100_000, 5), about: "Maximum cost per answer in US dollars." },
  FASTCHAT_MAX_TOOL_CALLS: {
    schema: whole(1, 10_000, 40),
    about: "Maximum tool calls per answer in the `project` profile.",
  },
  FASTCHAT_MAX_TOOL_ROUNDS: {
    schema: wholeIfSet(1, 1_000),
    about:
      "Maximum steps per answer in the `project` profile, where it overrides `STONECHAT_MAX_STEPS`. 8 if neither is set.",
  },
  STONECHAT_MAX_SECONDS: { schema: whole(1, 86_400, 600), about: "Maximum seconds per answer." },
  STONECHAT_HISTORY_MESSAGES: {
    schema: wholeIfSet(1, 500),
    about:
      "Messages that the context policies `transcript` (20), `replay` (25), `snapshot` (10), `messages` (50) and `summary` (10) include.",
  },
  STONECHAT_HISTORY_CHARACTERS: {
    schema: wholeIfSet(200, 1_000_000),
    about:
      "Characters of earlier messages in the context policy `transcript` (4,000) and of tool results in `replay` (6,000).",
  },
  STONECHAT_PAGE_CHARACTERS: {
    schema: whole(500, 200_000, 12_000),
    about: "Characters of a web page that the model gets at once.",
  },
  STONECHAT_DOCUMENT_DEPTH: {
    schema: whole(1, 6, 2),
    about: "Levels of the document tree that the model sees of every project outside a project.",
  },
  STONECHAT_DIGEST_SECONDS: {
    schema: whole(0, 86_400, 120),
    about: "How long project data for the model is cached. A change to the project always takes effect at once.",
  },
  STONECHAT_IDLE_TIMEOUT_MS: {
    schema: whole(10, 3_600_000, 60_000),
    about: "How long a model server may send nothing in the middle of an answer before the call counts as stalled.",
  },
  STONECHAT_FIRST_TOKEN_TIMEOUT_MS: {
    schema: wholeOf(10, 86_400_000).optional(),
    about:
      "How long a model server may send nothing before the first token. Default: 15 minutes for an OpenAI-compatible server, 5 minutes for other providers.",
  },
  STONECHAT_LOAD_TIMEOUT_MS: {
    schema: whole(10, 86_400_000, 900_000),
    about: "How long a model server may report that it is loading its model.",
  },
  STONECHAT_GRACE_SECONDS: {
    schema: whole(0, 3_600, 5),
    about:
      "Seconds that running answers have to finish after SIGTERM before they are handed over. The process exits at most three seconds later.",
  },
  STONECHAT_BLOCKED_SECONDS: {
    schema: whole(0, 3_600, 20),
    about: "The process exits when its event loop is blocked for this many seconds; 0: never.",
  },
  STONECHAT_LEASE_MS: {
    schema: whole(100, 600_000, 5_000),
    about: "How long a run's lease stays valid after the last renewal by its process.",
  },
  SERPAPI_API_KEY: { schema: secret, about: "Key for SerpAPI, which web searches try first.", isSecret: true },
  TAVILY_API_KEY: { schema: secret, about: "Key for Tavily, used by `@basic`.", isSecret: true },
  FIRECRAWL_API_KEY: { schema: secret, about: "Key for Firecrawl, used by `@search`.", isSecret: true },
  BRAVE_API_KEY: { schema: secret, about: "Key for Brave Search.", isSecret: true },
  STONECHAT_SEARXNG_URL: { schema: webUrl, about: "URL of a SearXNG instance to search with." },
  STONECHAT_SEARCH: {
    schema: list.default(["serpapi", "openrouter", "tavily", "brave", "searxng", "firecrawl", "duckduckgo"]),
    about: "Search providers in the order they are tried, separated by commas; those without a key are skipped.",
  },
  STONECHAT_SEARCH_PRICES: {
    schema: pricesOf(["serpapi", "openrouter", "tavily", "brave", "firecrawl"]),
    about: "US dollars per search, by provider, separated by commas: `tavily=0.008,brave=0.005`. Default: unknown.",
  },
  STONECHAT_BUDGET_DAY_USD: {
    schema: dollars("must be a number of US dollars above 0"),
    about: "US dollars that each user may spend per day (UTC). A call that would exceed it is not made.",
  },
  STONECHAT_BUDGET_MONTH_USD: {
    schema: dollars("must be a number of US dollars above 0"),
    about: "US dollars that each user may spend per month (UTC).",
  },
  STONECHAT_ALLOW_PRIVATE: {
    schema: allowances.default({ model: [], mcp: [], search: [], scrape: [], push: [] }),
    about:
      "Addresses in your own network that may be reached, by feature, separated by commas: `model=`, `mcp=`, `search=`, `scrape=` or `push=` " +
      "before a name, name:port, address or CIDR. Default: none.",
  },
  STONECHAT_PROXY: {
    schema: webUrl,
    about: "HTTP proxy for tool requests, and for model servers that were set on the page.",
    isSecret: true,
  },
  STONECHAT_WEATHER: {
    schema: z.enum(["open-meteo", "simulated"], { error: "must be open-meteo or simulated" }).default("open-meteo"),
    about: "Source of weather data; `simulated` invents it and says so.",
  },
  STONECHAT_MCP: {
    schema: z.string().optional(),
    about:
      'Path of a JSON file with MCP servers, in the usual form: { "mcpServers": { name: { command, args, env } or { url } } }.',
  },
  STONECHAT_OFFLINE_PACE_MS: { schema: whole(0, 10_000, 15), about: "Delay between words of the offline model." },
  STONECHAT_SCRIPTED: {
    schema: z
      .enum(["0", "1"], { error: "must be 0 or 1" })
      .transform((value) => value === "1")
      .default(false),
    about: "For tests: 1 adds a model that follows directives in the message.",
  },
  STONECHAT_FAILPOINT: { schema: z.string().max(200, "is too long").optional(), about: "For crash tests." },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settings;

/** Read by the command line only. */
export const clientNames: readonly string[] = ["STONECHAT_URL", "STONECHAT_KEY"];

/** Read by tests; a server that they start sees them too. */
export const testNames: readonly string[] = ["STONECHAT_DEEP"];
