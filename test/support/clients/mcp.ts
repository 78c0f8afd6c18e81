import { Client, StreamableHTTPClientTransport, type ClientOptions } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { Instance } from "../instance.ts";

/** The official client: once for the current specification, once as a client of 2025. */
export const eras = [
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
  ["2025", { versionNegotiation: { mode: "legacy" } }],
] as const satisfies readonly (readonly [string, ClientOptions])[];
export const modern: ClientOptions = eras[0][1];

export async function connect(
  { url }: Pick<Instance, "url">,
  options: ClientOptions = modern,
  token?: string,
): Promise<Client> {
  const client = new Client({ name: "tester", version: "1" }, options);
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

type Use = { readonly isError: boolean; readonly text: string; readonly value: Value };
/** The fields of results that these tests follow. */
type Value = {
  readonly [name: string]: unknown;
  readonly thread_id: string;
  readonly messages: readonly { readonly tool_calls: readonly { readonly state: string }[] }[];
  readonly receipts: readonly { readonly id: string }[];
  readonly entities: readonly { readonly version: number }[];
  readonly acts: readonly { readonly id: string }[];
};

export async function callTool(
  client: Client,
  name: string,
  input: object = {},
  onProgress?: (text: string) => void,
): Promise<Use> {
  const result = await client.callTool(
    { name, arguments: input as Record<string, unknown> },
    onProgress ? { onprogress: ({ message = "" }) => onProgress(message) } : {},
  );
  const [first] = result.content;
  const text = first?.type === "text" ? first.text : "";
  return { isError: result.isError === true, text, value: (result.structuredContent ?? {}) as Value };
}
