import { expect, test } from "vitest";
import { maxMessageCharacters as longestOnServer } from "../../protocol/api.ts";
import { builtInProfiles } from "../../protocol/settings/profiles.ts";
import { longestMessage, toSendable } from "./limits.ts";

test.each([...builtInProfiles, "one-of-their-own"])("the page's limit for %s is the server's", (profile) => {
  expect(longestMessage(profile)).toBe(longestOnServer(profile));
});

test("what the server would refuse is mended before it is sent", () => {
  expect(toSendable("  a\u0000b\ud800 \n")).toBe("ab\ufffd");
  expect(toSendable(" \n ")).toBe("");
});
