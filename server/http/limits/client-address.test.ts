import { expect, test } from "vitest";
import { toClientAddress } from "./client-address.ts";

test.each([
  ["203.0.113.9", undefined, "203.0.113.9"],
  ["::ffff:203.0.113.9", undefined, "203.0.113.9"],
  ["8.8.8.8", "1.2.3.4", "8.8.8.8"],
  ["127.0.0.1", "9.9.9.9, 1.2.3.4", "1.2.3.4"],
  ["::1", "1.2.3.4", "1.2.3.4"],
  ["172.18.0.2", "1.2.3.4", "1.2.3.4"],
  ["127.0.0.1", undefined, "127.0.0.1"],
  ["2001:db8:1:2:3:4:5:6", undefined, "2001:db8:1:2::/64"],
  ["2606:4700::1111", "1.2.3.4", "2606:4700:0:0::/64"],
  ["::1", "2001:db8::7", "2001:db8:0:0::/64"],
  [undefined, undefined, ""],
])("a request from %j that names %j counts for %j", (remote, forwarded, address) => {
  expect(toClientAddress(remote, forwarded)).toBe(address);
});
