import { expect, test } from "vitest";
import { maxMessageCharacters as longestOnServer } from "../../protocol/api.ts";
import { builtInProfiles } from "../../protocol/settings/profiles.ts";
import { longestMessage, toSendable } from "./limits.ts";

test.each([...builtInProfiles, "custom"])("matches the server's limit for %s", (profile) => {
  expect(longestMessage(profile)).toBe(longestOnServer(profile));
});

test("removes characters that the server rejects", () => {
  expect(toSendable("  a\u0000b\ud800 \n")).toBe("ab\ufffd");
  expect(toSendable(" \n ")).toBe("");
});
