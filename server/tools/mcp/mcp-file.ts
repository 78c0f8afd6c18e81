import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { ConfigError } from "../../config/config-error.ts";

/** A configured server. Programs come only from the operator's file. */
export type ServerSettings = StdioSettings | HttpSettings;

type SharedSettings = {
  readonly name: string;
  /** Whether the operator trusts the hints this server gives about its tools. */
  readonly trust: boolean;
  readonly timeoutMs: number;
};
export type StdioSettings = SharedSettings & {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
};
export type HttpSettings = SharedSettings & {
  readonly kind: "http";
  readonly url: string;
  /** Sent only to this server's origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Added by the user. */
  readonly isOwn?: true;
};

export const TIMEOUT_MS = 60_000;

const shared = {
  disabled: z.boolean().default(false),
  trust: z.boolean().default(false),
  timeoutMs: z.int().min(100).max(3_600_000).default(TIMEOUT_MS),
};
const strings = z.record(z.string(), z.string());
const Stdio = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: strings.default({}),
  cwd: z.string().optional(),
  ...shared,
});
const Http = z.object({
  url: z.url({ protocol: /^https?$/, error: "must be an http or https URL" }),
  headers: strings.default({}),
  ...shared,
});
/** Ignores keys that other programs write to such files. */
const File = z.object({ mcpServers: z.record(z.string().regex(/^[^\p{Cc}]{1,60}$/u), z.unknown()) });

/** Reads the usual `{ mcpServers: { name: ... } }`. Relative folders are resolved against the file's folder. */
export function readMcpFile(path: string): readonly ServerSettings[] {
  const parsed = File.safeParse(readJson(path));
  if (!parsed.success) throw toConfigError(path, `must have the form { "mcpServers": { name: ... } }`);
  const folder = dirname(resolve(path));
  return Object.entries(parsed.data.mcpServers).flatMap(([name, entry]): ServerSettings[] => {
    const isHttp = typeof entry === "object" && entry !== null && "url" in entry;
    const result = isHttp ? Http.safeParse(entry) : Stdio.safeParse(entry);
    if (!result.success) throw toConfigError(path, `server "${name}": ${toSentence(result.error)}`);
    const { disabled, ...server } = result.data;
    if (disabled) return [];
    if ("url" in server) return [{ kind: "http", name, ...server }];
    return [{ kind: "stdio", name, ...server, cwd: resolve(folder, server.cwd ?? ".") }];
  });
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const why = error instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
    throw toConfigError(path, why);
  }
}

/** Names the fields, never their values, which may be keys. */
const toSentence = (error: z.ZodError): string =>
  error.issues.map((issue) => `${issue.path.join(".") || "it"}: ${issue.message}`).join("; ");

const toConfigError = (path: string, why: string): ConfigError => new ConfigError(`STONECHAT_MCP, ${path}: ${why}.`);
