import { createServer, request, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

const policies = ["content-security-policy", "connection-allowlist", "x-dns-prefetch-control"];

export type PassedRequest = { readonly path: string; readonly origin: string | undefined; readonly status: number };

/**
 * The same server without its policies, on another port: a control for what the policies prevent. Records the requests.
 */
export async function startBareProxy(
  target: string,
): Promise<{ readonly url: string; readonly passed: PassedRequest[] }> {
  const { hostname, port, host } = new URL(target);
  const passed: PassedRequest[] = [];
  const server = createServer((incoming, answer) => {
    const { url: path = "/", method, headers } = incoming;
    const forwarded = request({ hostname, port, path, method, headers: { ...toOwn(headers), host } }, (response) => {
      const status = response.statusCode ?? 0;
      passed.push({ path, origin: headers.origin, status });
      const headersKept = Object.entries(response.headers).filter(([name]) => !policies.includes(name));
      answer.writeHead(status, Object.fromEntries(headersKept));
      response.pipe(answer);
    });
    forwarded.on("error", () => answer.destroy());
    answer.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const toOwn = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
    headers.origin === own ? { ...headers, origin: target } : headers;
  return { url: own, passed };
}
