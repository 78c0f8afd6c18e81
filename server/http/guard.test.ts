import { describe, expect, test } from "vitest";
import { createGuard } from "./guard.ts";

type More = { readonly method?: string; readonly httpVersion?: string; readonly hasCredentials?: boolean };

function check(
  host: string,
  headers: Record<string, string>,
  hosts: readonly string[] = [],
  path = "/api/me",
  { method = "GET", httpVersion = "1.1", hasCredentials = true }: More = {},
): string {
  const guard = createGuard({ host, port: () => 3737, hosts, hasCredentials, isAllowedCors: () => false });
  try {
    guard({ method, path, httpVersion, header: (name) => headers[name] });
    return "passed";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe("bound to loopback", () => {
  test.each(["localhost:3737", "127.0.0.1:3737", "[::1]:3737", "LocalHost:3737"])("accepts %s", (host) => {
    expect(check("127.0.0.1", { host })).toBe("passed");
  });

  test.each([
    "",
    "localhost",
    "localhost:80",
    "localhost.:3737",
    "192.168.1.5:3737",
    "evil.example:3737",
    "localhost:3737@evil",
    "a b",
    "[::1",
  ])("%j is misdirected", (host) => {
    expect(check("127.0.0.1", { host })).toBe("misdirected");
  });
});

describe("bound to an address of the network", () => {
  test("accepts that address and its port", () => {
    expect(check("192.168.1.5", { host: "192.168.1.5:3737" })).toBe("passed");
    expect(check("fd00::5", { host: "[fd00::5]:3737" })).toBe("passed");
    expect(check("192.168.1.5", { host: "192.168.1.6:3737" })).toBe("misdirected");
    expect(check("192.168.1.5", { host: "192.168.1.5:80" })).toBe("misdirected");
  });
});

describe("bound to every address", () => {
  test.each(["192.168.1.5:3737", "10.0.0.1:8080", "[fd00::5]:3737", "localhost:8080"])("accepts %s", (host) => {
    expect(check("0.0.0.0", { host })).toBe("passed");
    expect(check("::", { host })).toBe("passed");
  });

  test("rejects a host name until it is configured, with any port or a given one", () => {
    expect(check("0.0.0.0", { host: "chat.example.com" })).toBe("misdirected");
    expect(check("0.0.0.0", { host: "chat.example.com:8443" }, ["chat.example.com"])).toBe("passed");
    expect(check("0.0.0.0", { host: "chat.example.com:8443" }, ["chat.example.com:443"])).toBe("misdirected");
    expect(check("0.0.0.0", { host: "chat.example.com:443" }, ["chat.example.com:443"])).toBe("passed");
  });
});

describe("another site", () => {
  const host = "localhost:3737";

  test("may link to the page and to the documentation, and nothing else", () => {
    const headers = { host, "sec-fetch-site": "cross-site" };
    expect(check("127.0.0.1", headers, [], "/")).toBe("passed");
    expect(check("127.0.0.1", headers, [], "/api/docs")).toBe("passed");
    expect(check("127.0.0.1", headers, [], "/api/openapi.json")).toBe("forbidden");
    expect(check("127.0.0.1", headers, [], "/metrics")).toBe("forbidden");
  });

  test("is detected by its origin even if the host is ours", () => {
    expect(check("127.0.0.1", { host, origin: "http://localhost:3737" })).toBe("passed");
    expect(check("127.0.0.1", { host, origin: "http://127.0.0.1:3737" })).toBe("forbidden");
    expect(check("127.0.0.1", { host, origin: "http://localhost:37370" })).toBe("forbidden");
    expect(check("127.0.0.1", { host, origin: "http://localhost:3737.evil.example" })).toBe("forbidden");
    expect(check("127.0.0.1", { host, origin: "chrome-extension://localhost:3737" })).toBe("forbidden");
  });
});

describe("a sign-in redirect from another site", () => {
  const headers = { host: "localhost:3737", accept: "text/html", "sec-fetch-site": "cross-site" };
  const navigation = { ...headers, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  const callback = "/api/mcp/callback";

  test("may open the callback and nothing else", () => {
    expect(check("127.0.0.1", navigation, [], callback)).toBe("passed");
    expect(check("127.0.0.1", navigation, [], "/api/threads")).toBe("forbidden");
    expect(check("127.0.0.1", navigation, [], `${callback}/x`)).toBe("forbidden");
  });

  test.each([
    ["as a request of a script", { ...headers, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }, "GET"],
    ["in a frame", { ...navigation, "sec-fetch-dest": "iframe" }, "GET"],
    ["as an image", { ...headers, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }, "GET"],
    ["as a form", navigation, "POST"],
    ["for data", { ...navigation, accept: "*/*" }, "GET"],
  ])("is refused %s", (_, given, method) => {
    expect(check("127.0.0.1", given, [], callback, { method })).toBe("forbidden");
  });
});

describe("a request that came through a proxy", () => {
  const host = "127.0.0.1:3737";

  test.each(["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded", "via", "x-real-ip"])(
    "with %s is refused without credentials and answered with them",
    (name) => {
      const headers = { host, [name]: "203.0.113.9" };
      expect(check("127.0.0.1", headers, [], "/api/me", { hasCredentials: false })).toBe("forbidden");
      expect(check("127.0.0.1", headers)).toBe("passed");
    },
  );

  test("that has replaced Host is recognized by what the browser says, and without that it cannot be", () => {
    const browser = { host, origin: "https://chat.example.com", "sec-fetch-site": "same-origin" };
    const open = { hasCredentials: false };
    const messageOf = (headers: Record<string, string>) => {
      const guard = createGuard({
        ...{ host: "127.0.0.1", port: () => 3737, hosts: [], hasCredentials: false, isAllowedCors: () => false },
      });
      try {
        guard({ method: "POST", path: "/api/threads", httpVersion: "1.1", header: (name) => headers[name] });
        return "passed";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(messageOf(browser)).toContain("came through a proxy");
    expect(messageOf({ ...browser, origin: `http://${host}` })).toBe("passed");
    // The limit that docs/security.md names: another program behind such a proxy sends what a program on this machine sends.
    expect(check("127.0.0.1", { host, accept: "*/*" }, [], "/api/me", open)).toBe("passed");
  });

  test("in HTTP/1.0 is rejected without credentials", () => {
    expect(check("127.0.0.1", { host }, [], "/", { hasCredentials: false, httpVersion: "1.0" })).toBe("forbidden");
    expect(check("127.0.0.1", { host }, [], "/", { hasCredentials: false })).toBe("passed");
  });
});
