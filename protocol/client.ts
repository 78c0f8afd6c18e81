import type { BodyInput, ErrorBody, Params, QueryInput, Response as Answer } from "./api.ts";
import { routes, type RouteName } from "./routes.ts";

/**
 * The typed client: one method per route, derived from the route table that the server also uses. Used by the page, the
 * command line, the package's client (`api-client.ts`) and tests. An error response is thrown as `ResponseError` with the server's code and message; network errors are thrown
 * unchanged.
 */
export type Client = { readonly [N in RouteName]: (input: Input<N>, signal?: AbortSignal) => Promise<Answer<N>> };

type Part<K extends string, T> = T extends undefined
  ? object
  : T extends Record<string, never>
    ? { readonly [P in K]?: Record<string, never> }
    : { readonly [P in K]: T };
export type Input<N extends RouteName> = Part<"params", Params<N>> &
  Partial<Part<"query", QueryInput<N>>> &
  Part<"body", BodyInput<N>>;

/** An error response of the server, as the client throws it. The server's own class is `ApiError` of `errors.ts`. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";
  readonly status: number;
  readonly code: string;
  /** On a conflict: the current state on the server. */
  readonly current: unknown;

  constructor(status: number, code: string, message: string, current?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.current = current;
  }
}

export type ClientOptions = {
  /** Such as `https://chat.example.com`. Default: the page's own origin. */
  readonly baseUrl?: string;
  /** An API key, or the instance's token. */
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly fetch?: typeof fetch;
};

export function createClient({ baseUrl = "", key, headers = {}, fetch: send = fetch }: ClientOptions = {}): Client {
  const fixed = { ...headers, ...toCredentials(key) };
  const call = async (name: RouteName, input: LooseInput, signal?: AbortSignal) => {
    const { method, path } = routes[name];
    const response = await send(baseUrl + fillPath(path, input.params) + toQuery(input.query), {
      method,
      headers: { ...fixed, ...(method === "GET" ? {} : { "content-type": "application/json" }) },
      ...(method === "GET" ? {} : { body: JSON.stringify(input.body ?? {}) }),
      ...(signal ? { signal } : {}),
    });
    if (!response.ok) throw await toResponseError(response);
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    return isJson ? (response.json() as Promise<unknown>) : response.text();
  };
  return Object.fromEntries(
    (Object.keys(routes) as RouteName[]).map((name) => [
      name,
      (input: LooseInput, signal?: AbortSignal) => call(name, input, signal),
    ]),
  ) as unknown as Client;
}

export const toCredentials = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

export async function toResponseError(response: Response): Promise<ResponseError> {
  const answer: unknown = await response.json().catch(() => null);
  const error = (answer as { error?: Partial<ErrorBody["error"]> } | null)?.error;
  const message = error?.message ?? `HTTP ${response.status}`;
  return new ResponseError(response.status, error?.code ?? "unavailable", message, error?.current);
}

type LooseInput = {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
};

export const fillPath = (path: string, params: Record<string, string> = {}): string =>
  path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ""));

export function toQuery(query: Record<string, unknown> = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return entries.length
    ? `?${new URLSearchParams(entries.map(([key, value]): [string, string] => [key, String(value)]))}`
    : "";
}
