import { createApiClient, ResponseError, type ApiClient } from "../protocol/api-client.ts";

/** A mistake in the command line, shown with the usage. */
export class UsageError extends Error {}

export type Target = {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  /** The address of a server that was started in this environment. */
  readonly local?: string | undefined;
};
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The server to talk to: `--url`, `STONECHAT_URL`, or the one on this machine. The key is `--key`, `STONECHAT_KEY`, or the
 * token of a server that is started from the same environment.
 */
export function connect(
  { url, key, local }: Target,
  env: Environment,
): { readonly client: ApiClient; readonly url: string } {
  const given = local ?? url ?? env["STONECHAT_URL"] ?? `http://127.0.0.1:${env["STONECHAT_PORT"] || "3737"}`;
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) {
    throw new UsageError(`"${given}" is not a URL such as https://chat.example.com.`);
  }
  const baseUrl = given.replace(/(?<!\/)\/+$/, "");
  // The token of this machine's server is never sent to another one, nor the key of another one to a server just started.
  const isElsewhere = local === undefined && (url !== undefined || env["STONECHAT_URL"] !== undefined);
  const known = local === undefined ? env["STONECHAT_KEY"] : undefined;
  const secret = key ?? known ?? (isElsewhere ? undefined : env["STONECHAT_TOKEN"]);
  return { client: createApiClient({ baseUrl, ...(secret ? { key: secret } : {}) }), url: baseUrl };
}

/** One line for the terminal: the problem and what to do. */
export function toErrorText(error: unknown, url: string): string {
  if (error instanceof ResponseError) {
    const hint = error.status === 401 ? " Give an API key with --key or STONECHAT_KEY." : "";
    return `${error.message}${hint}`;
  }
  if (error instanceof TypeError && "cause" in error) {
    return `No Stonechat server answers at ${url}. Start it with "npm start" or "stonechat", or name another one with --url.`;
  }
  return error instanceof Error ? error.message : String(error);
}
