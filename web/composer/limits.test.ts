import { expect, test } from "vitest";
import { limits } from "../../protocol/api.ts";
import { messageCharacters, toSendable } from "./limits.ts";

test("the page's limit is the server's", () => {
  expect(messageCharacters).toBe(limits.messageCharacters);
});

test("what the server would refuse is mended before it is sent", () => {
  expect(toSendable("  a\u0000b\ud800 \n")).toBe("ab\ufffd");
  expect(toSendable(" \n ")).toBe("");
});
