import { onTestFinished } from "vitest";
import { createClient, type Client } from "../../../protocol/client.ts";
import type { Instance } from "../instance.ts";
import { mintId } from "../instance.ts";

export const accountsOn = { STONECHAT_ACCOUNTS: "on" } as const;
export const password = "a password for tests";

export type Person = {
  readonly userId: string;
  readonly cookie: string;
  readonly client: Client;
  readonly email: string;
};
export type Reply = {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly cookie: string;
  readonly retry: string | null;
};

/** One request without the typed client, for statuses and cookies. */
export async function send(
  url: string,
  route: string,
  { cookie, body, headers = {} }: { cookie?: string; body?: object; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const [method = "GET", path = ""] = route.split(" ");
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(cookie ? { cookie } : {}),
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { text },
    cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "",
    retry: response.headers.get("retry-after"),
  };
}

export const clientOf = (url: string, cookie: string): Client => createClient({ baseUrl: url, headers: { cookie } });

const toPerson = (url: string, reply: Reply, email: string): Person => {
  if (reply.status !== 200) throw new Error(`The sign-in answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return { userId: String(reply.body["userId"]), cookie: reply.cookie, client: clientOf(url, reply.cookie), email };
};

export const tokenOf = (link: string | null): string => link?.split("#")[1] ?? "";

/** Creates the first admin with the link that the server printed. */
export async function setUp(
  { url, server }: Pick<Instance, "url" | "server">,
  email = "ada@example.com",
): Promise<Person> {
  const body = { token: tokenOf(server.setupUrl), name: "Ada", email, password };
  return toPerson(url, await send(url, "POST /api/setup", { body }), email);
}

/** Creates an invitation and accepts it. */
export async function join(
  url: string,
  admin: Person,
  {
    email,
    name = email.split("@")[0] ?? "",
    role = "member",
  }: { email: string; name?: string; role?: "admin" | "member" },
): Promise<Person> {
  const { token } = await admin.client.createInvitation({ body: { id: mintId("invitation"), role, email } });
  const body = { token, name, email, password };
  return toPerson(url, await send(url, "POST /api/invitations/accept", { body }), email);
}

export const signIn = (
  url: string,
  email: string,
  given = password,
  headers: Record<string, string> = {},
): Promise<Reply> => send(url, "POST /api/sign-in", { body: { email, password: given }, headers });

/** Opens an event stream and records its text and its end. */
export async function watchStream(url: string, path: string, headers: Record<string, string>) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(`${url}${path}`, { headers, signal: controller.signal });
  if (response.status !== 200) throw new Error(`The stream answered ${response.status}`);
  const seen = { text: "" };
  const ended = (async () => {
    try {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) seen.text += chunk;
    } catch {
      // The connection was closed.
    }
    return performance.now();
  })();
  return { seen, ended };
}
