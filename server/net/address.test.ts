import { expect, test } from "vitest";
import { findTranslated, isPublic, isWithin, parseIp, parseRange, type Range } from "./address.ts";

const judge = (text: string): boolean => isPublic(parseIp(text)!);

/** First and last address of each range that is not public. */
const special: readonly (readonly [first: string, last: string])[] = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.31.196.0", "192.31.196.255"],
  ["192.52.193.0", "192.52.193.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["192.175.48.0", "192.175.48.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
  ["::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
];

test.each(special)("treats exactly %s to %s as special", (first, last) => {
  const [from, to] = [parseIp(first)!, parseIp(last)!];
  expect([isPublic(from), isPublic(to)]).toEqual([false, false]);
  const edges = special.flatMap((pair) => pair.map((text) => parseIp(text)!));
  const isEdge = (value: bigint): boolean => edges.some((edge) => edge.bits === from.bits && edge.value === value);
  for (const value of [from.value - 1n, to.value + 1n]) {
    if (value < 0n || value >> BigInt(from.bits) !== 0n || isEdge(value)) continue;
    expect(isPublic({ bits: from.bits, value }), value.toString(16)).toBe(true);
  }
});

test.each([
  ["loopback", "::1"],
  ["mapped loopback", "::ffff:127.0.0.1"],
  ["mapped public", "::ffff:8.8.8.8"],
  ["compatible loopback", "::127.0.0.1"],
  ["translated", "64:ff9b::7f00:1"],
  ["locally translated", "64:ff9b:1::7f00:1"],
  ["discard", "100::1"],
  ["segment routing", "5f00::1"],
  ["Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
  ["6to4 of loopback", "2002:7f00:1::1"],
  ["ISATAP", "2400:cb00::5efe:7f00:1"],
  ["ISATAP of a global address", "2400:cb00::200:5efe:a00:1"],
  ["unique local", "fd00:ec2::254"],
  ["link local", "fe80::1"],
  ["site local", "fec0::1"],
  ["multicast", "ff02::1"],
])("%s is not a public address: %s", (_, text) => {
  expect(judge(text)).toBe(false);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "172.15.0.1",
  "2606:4700::1111",
  "2a00:1450::200e",
  "2400:cb00::5eff:1:1",
])("%s is a public address", (text) => {
  expect(judge(text)).toBe(true);
});

test("accepts only canonical addresses", () => {
  for (const text of [
    "127.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "2130706433",
    "fe80::1%lo",
    "[::1]",
    "",
    "localhost",
    "1.2.3.4.5",
  ])
    expect(parseIp(text), text).toBeUndefined();
  expect(parseIp("1:2::3")).toEqual(parseIp("1:2:0:0:0:0:0.0.0.3"));
});

test("parses a range as an address with or without a prefix length", () => {
  for (const text of ["10.0.0.0/33", "::/129", "10.0.0.0/x", "10.0.0.0/8/8", "10/8", "a/8", "10.0.0.0/"])
    expect(parseRange(text), text).toBeUndefined();
  const range: Range = parseRange("10.1.0.0/16")!;
  expect(["10.1.255.255", "10.2.0.0", "::ffff:10.1.0.1"].map((text) => isWithin(range, parseIp(text)!))).toEqual([
    true,
    false,
    false,
  ]);
  expect(isWithin(parseRange("0.0.0.0/0")!, parseIp("9.9.9.9")!)).toBe(true);
  expect(isWithin(parseRange("::1")!, parseIp("::2")!)).toBe(false);
});

test("finds the IPv4 address inside a translated address", () => {
  expect(findTranslated(parseIp("64:ff9b::7f00:1")!)).toEqual(parseIp("127.0.0.1"));
  expect(findTranslated(parseIp("2606:4700::1111")!)).toBeUndefined();
});
