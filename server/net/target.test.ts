import { expect, test } from "vitest";
import { createAllowList } from "./allow-list.ts";
import { NetError } from "./net-error.ts";
import { locate, parseUrl } from "./target.ts";

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof NetError) return error.code;
    throw error;
  }
  return "none";
};

test.each(["", "example.com", "//example.com", "ftp://example.com", "file:///etc/passwd", "data:,x", "javascript:1"])(
  "%j is not a valid URL",
  (text) => {
    expect(codeOf(() => parseUrl(text))).toBe("bad-url");
  },
);

test.each(["http://a@example.com", "http://:b@example.com", "http://.", `http://example.com/${"a".repeat(9000)}`])(
  "refuses %.40j as a URL",
  (text) => {
    expect(codeOf(() => parseUrl(text))).toBe("bad-url");
  },
);

test("ignores a trailing dot of the host", () => {
  expect(parseUrl("http://Example.com./a").href).toBe("http://example.com/a");
  expect(parseUrl("http://127.0.0.1../").hostname).toBe("127.0.0.1");
});

test("resolves a name once, and connects to the result", async () => {
  const asked: string[] = [];
  const target = await locate(parseUrl("https://example.com/"), createAllowList([]), (name) => {
    asked.push(name);
    return Promise.resolve(["93.184.216.34", "2606:2800:220:1::1"]);
  });
  expect(asked).toEqual(["example.com"]);
  expect(target).toMatchObject({ port: 443, addresses: ["93.184.216.34", "2606:2800:220:1::1"], isPrivate: false });
});

test("does not resolve an address", async () => {
  const target = await locate(parseUrl("http://[2606:4700::1111]:8080/"), createAllowList([]), () => {
    throw new Error("looked up");
  });
  expect(target).toMatchObject({ name: "2606:4700::1111", port: 8080, addresses: ["2606:4700::1111"] });
});

test.each([
  ["nothing", () => Promise.resolve([]), "dns"],
  ["an error", () => Promise.reject(new Error("ENOTFOUND")), "dns"],
  ["a private address", () => Promise.resolve(["10.0.0.1"]), "blocked"],
  ["a private address among public ones", () => Promise.resolve(["8.8.8.8", "fd00::1"]), "blocked"],
  ["an address with a zone", () => Promise.resolve(["fe80::1%lo"]), "blocked"],
  ["a spelling that is no address", () => Promise.resolve(["127.1"]), "blocked"],
])("refuses a name that resolves to %s", async (_, resolve, code) => {
  await expect(locate(parseUrl("http://example.com/"), createAllowList([]), resolve)).rejects.toMatchObject({ code });
});

test("does not reveal the address behind a refused name", async () => {
  const refused = locate(parseUrl("http://example.com/"), createAllowList([]), () => Promise.resolve(["10.11.12.13"]));
  await expect(refused).rejects.toSatisfy((error: Error) => !error.message.includes("10.11.12.13"));
});

test("refuses names of this machine", async () => {
  const publicly = () => Promise.resolve(["8.8.8.8"]);
  for (const host of ["localhost", "LOCALHOST.", "a.localhost"])
    await expect(locate(parseUrl(`http://${host}/`), createAllowList([]), publicly)).rejects.toThrow("public internet");
  const named = await locate(parseUrl("http://localhost/"), createAllowList(["localhost"]), () =>
    Promise.resolve(["127.0.0.1"]),
  );
  expect(named.isPrivate).toBe(true);
});

test.each([22, 25, 6000, 6667])("refuses port %i even for an allowed host", async (port) => {
  const url = parseUrl(`http://127.0.0.1:${port}/`);
  await expect(locate(url, createAllowList(["127.0.0.1"]), () => Promise.resolve([]))).rejects.toThrow(`Port ${port}`);
});
