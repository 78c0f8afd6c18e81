import { createServer, request, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

const policies = ["content-security-policy", "connection-allowlist", "x-dns-prefetch-control"];

export type Passed = { readonly path: string; readonly origin: string | undefined; readonly status: number };

/**
 * The same server without its policies, on a socket of its own: what works here and not there is what they are for. It
 * remembers what passed.
 */
export async function startBareProxy(target: string): Promise<{ readonly url: string; readonly passed: Passed[] }> {
  const { hostname, port, host } = new URL(target);
  const passed: Passed[] = [];
  const server = createServer((asked, answer) => {
    const { url: path = "/", method, headers } = asked;
    const forwarded = request({ hostname, port, path, method, headers: { ...toOwn(headers), host } }, (response) => {
      const status = response.statusCode ?? 0;
      passed.push({ path, origin: headers.origin, status });
      const kept = Object.entries(response.headers).filter(([name]) => !policies.includes(name));
      answer.writeHead(status, Object.fromEntries(kept));
      response.pipe(answer);
    });
    forwarded.on("error", () => answer.destroy());
    answer.on("close", () => forwarded.destroy());
    asked.pipe(forwarded);
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
