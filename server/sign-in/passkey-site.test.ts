import { expect, test } from "vitest";
import { toPasskeyOrigin, toPasskeySite } from "./passkey-site.ts";

test("passkeys belong to the host name of a page over https or on localhost", () => {
  for (const [origin, id] of [
    ["https://chat.example.com", "chat.example.com"],
    ["https://chat.example.com:8443", "chat.example.com"],
    ["http://localhost:3737", "localhost"],
    ["http://chat.localhost", "chat.localhost"],
  ] as const)
    expect(toPasskeySite(origin, null)).toEqual({ origin, id });
});

test("an address without passkeys is refused with the reason", () => {
  for (const [origin, text] of [
    [undefined, "only in a browser"],
    ["null", "only in a browser"],
    ["http://127.0.0.1:3737", "IP address"],
    ["https://[::1]", "IP address"],
    ["http://chat.example.com", "https"],
    ["http://notlocalhost", "https"],
  ] as const)
    expect(() => toPasskeySite(origin, null), origin).toThrow(text);
});

test("an address of the operator counts only if browsers have passkeys there", () => {
  expect(toPasskeyOrigin("https://chat.example.com/")).toBe("https://chat.example.com");
  expect(toPasskeyOrigin("http://localhost:3737")).toBe("http://localhost:3737");
  for (const url of ["http://127.0.0.1:3737", "http://chat.lan", "https://192.0.2.1"])
    expect(toPasskeyOrigin(url), url).toBeNull();
});

test("if the operator has set an address, no other one is accepted", () => {
  const set = "https://chat.example.com";
  expect(toPasskeySite(set, set)).toEqual({ origin: set, id: "chat.example.com" });
  expect(toPasskeySite(undefined, set)).toEqual({ origin: set, id: "chat.example.com" });
  expect(() => toPasskeySite("http://localhost:3737", set)).toThrow(`work at ${set}`);
});
