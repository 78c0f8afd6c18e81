import { createPublicKey, verify } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { PushMessage } from "../../../protocol/settings/push.ts";
import { createCertificate } from "../../security/outbound-certificate.ts";
import { createReceiver, decryptMessage, type Receiver } from "./decrypt.ts";

export type PushRequest = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** A push service with TLS on loopback, and browsers that subscribed there. */
export async function openPushServer() {
  const certificate = createCertificate("localhost");
  const requests: PushRequest[] = [];
  let status = 201;
  const statuses = new Map<string, number>();
  let held: Promise<void> | undefined;
  let onRequest = (): void => {};
  const server = createServer(certificate, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      requests.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) });
      const end = () =>
        response.writeHead(statuses.get(request.url ?? "") ?? status).end("A text of the push service.");
      if (held) void held.then(end);
      else end();
      onRequest();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    ca: certificate.cert,
    env: { STONECHAT_ALLOW_PRIVATE: "push=127.0.0.1" },
    requests,
    answerWith: (next: number) => void (status = next),
    answerPathWith: (path: string, next: number) => void statuses.set(path, next),
    /** Requests get no response until the returned function is called. */
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    /** Resolves when there are this many requests. */
    received: (count: number): Promise<void> =>
      new Promise((resolve) => {
        onRequest = () => requests.length >= count && resolve();
        onRequest();
      }),
    subscribe: (path: string): PushBrowser => {
      const receiver = createReceiver();
      return { endpoint: `${origin}${path}`, receiver, ...receiver.keys };
    },
  };
}

export type PushBrowser = {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly receiver: Receiver;
};

export const toBody = ({ endpoint, p256dh, auth }: PushBrowser, titles = false) => ({
  ...{ endpoint, p256dh, auth, titles, agent: "A browser for tests" },
});

export const readMessage = ({ body }: PushRequest, { receiver }: PushBrowser): PushMessage =>
  JSON.parse(decryptMessage(body, receiver)) as PushMessage;

/** The claims of a request's signature. Throws if it was not made with the key that browsers were given. */
export function readClaims({ headers }: PushRequest, publicKey: string): { aud: string; exp: number; sub: string } {
  const [, token = "", key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? "") ?? [];
  if (key !== publicKey) throw new Error("The request names another key.");
  const [head = "", body = "", signature = ""] = token.split(".");
  const point = Buffer.from(publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  const jwk = createPublicKey({ key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }, format: "jwk" });
  const signed = Buffer.from(`${head}.${body}`);
  const isRight = verify(
    "sha256",
    signed,
    { key: jwk, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isRight) throw new Error("The signature is wrong.");
  return JSON.parse(Buffer.from(body, "base64url").toString()) as { aud: string; exp: number; sub: string };
}
