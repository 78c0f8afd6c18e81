import { expect, test } from "vitest";
import { createClientAddress } from "./client-address.ts";

const toAddress = createClientAddress(["127.0.0.1", "10.0.0.0/8"]);

test.each([
  ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["127.0.0.1", undefined, "127.0.0.1"],
  ["127.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["127.0.0.1", "1.2.3.4, 198.51.100.1, 10.1.2.3", "198.51.100.1"],
  ["127.0.0.1", "1.2.3.4, 2001:db8::9", "2001:db8::9"],
  ["127.0.0.1", "unknown, _hidden", "127.0.0.1"],
])("a connection from %s with the header %j came from %s", (socket, header, client) => {
  expect(toAddress(socket, header)).toBe(client);
});

test("ignores the header without a configured proxy", () => {
  expect(createClientAddress([])("127.0.0.1", "198.51.100.1")).toBe("127.0.0.1");
});
