import { expect, test } from "vitest";
import { parseIp } from "./address.ts";
import { createAllowList } from "./allow-list.ts";

const allows = (entries: readonly string[], address: string, port = 80): boolean =>
  createAllowList(entries).allows(parseIp(address)!, port);

test("allows only public addresses by default", () => {
  expect([allows([], "8.8.8.8"), allows([], "10.0.0.1"), allows([], "::1")]).toEqual([true, false, false]);
});

test("a range allows all its addresses, on every port", () => {
  expect([allows(["10.1.0.0/16"], "10.1.2.3", 8080), allows(["10.1.0.0/16"], "10.2.0.1")]).toEqual([true, false]);
  expect([allows(["fd00::/8"], "fd12::1"), allows(["::1"], "::1"), allows(["::1"], "::2")]).toEqual([
    true,
    true,
    false,
  ]);
});

test("an address with a port allows only that port", () => {
  expect([allows(["127.0.0.1:8080"], "127.0.0.1", 8080), allows(["127.0.0.1:8080"], "127.0.0.1", 6379)]).toEqual([
    true,
    false,
  ]);
  expect([allows(["[::1]:8080"], "::1", 8080), allows(["[::1]:8080"], "::1", 80)]).toEqual([true, false]);
});

test("an IPv4 range does not allow its IPv6 forms", () => {
  expect(allows(["127.0.0.0/8"], "::ffff:127.0.0.1")).toBe(false);
});

test("a translating network allows only the public addresses behind it", () => {
  expect([allows(["64:ff9b::/96"], "64:ff9b::808:808"), allows(["64:ff9b::/96"], "64:ff9b::a9fe:a9fe")]).toEqual([
    true,
    false,
  ]);
});

test("a name matches case-insensitively, with its port or with all ports", () => {
  const list = createAllowList(["Wiki.Example", "search:8080"]);
  expect([list.hasName("wiki.example", 80), list.hasName("a.wiki.example", 80)]).toEqual([true, false]);
  expect([list.hasName("search", 8080), list.hasName("search", 80)]).toEqual([true, false]);
});

test.each(["", "http://a.example/", "a b", "10.0.0.0/40", "a.example:port", "user@host", "*:80"])(
  "rejects an invalid entry at once: %j",
  (entry) => {
    expect(() => createAllowList([entry])).toThrow("is not a host, address or range");
  },
);
