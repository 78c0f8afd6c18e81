import { expect, test } from "vitest";
import type { AuditEntry } from "../../../protocol/account/people.ts";
import { describeEntry } from "./describe-entry.ts";

const ada = { id: "local", name: "Ada" };
const bob = { id: "u2", name: "Bob" };
const entry = (action: string, part: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ id: "a1", at: 0, action, actor: ada, target: bob, address: "", detail: {} },
  ...part,
});

test.each<[AuditEntry, string]>([
  [entry("suspended"), "Ada suspended Bob"],
  [entry("role-changed", { detail: { from: "member", to: "admin" } }), "Ada made Bob an admin"],
  [entry("role-changed", { detail: { from: "admin", to: "member" } }), "Ada made Bob a member"],
  [entry("renamed", { detail: { from: "Bob", to: "Robert" } }), "Ada renamed Bob to Robert"],
  [entry("signed-out-by-admin", { detail: { ended: 2 } }), "Ada signed out Bob everywhere (2 sessions)"],
  [entry("invitation-created", { target: null, detail: { role: "admin" } }), "Ada created an invitation for an admin"],
  [
    entry("invitation-mail-failed", { actor: null, target: null, detail: { email: "bob@example.com" } }),
    "The invitation mail to bob@example.com could not be sent",
  ],
  [
    entry("account-changed", { detail: { email: { from: "a@example.com", to: "ada@example.com" } } }),
    "Ada changed their account: a@example.com → ada@example.com",
  ],
  [entry("key-created", { detail: { key: "k1", name: "Editor" } }), "Ada created the API key “Editor”"],
  [entry("passkey-renamed", { detail: { from: "Laptop", to: "Key" } }), "Ada renamed the passkey “Laptop” to “Key”"],
  [entry("factors-removed", { detail: { ended: 1 } }), "Ada removed the second factors of Bob"],
  [entry("group-person-added", { detail: { group: "g1", name: "Birds" } }), "Ada added Bob to the group “Birds”"],
  [
    entry("group-renamed", { target: null, detail: { group: "g1", from: "Birds", to: "Herons" } }),
    "Ada renamed the group “Birds” to “Herons”",
  ],
  [
    entry("project-group-removed", { target: null, detail: { project: "p1", group: "g1", name: "Birds" } }),
    "Ada removed the group “Birds” from a project",
  ],
  [entry("model-changed", { detail: { model: "openai/gpt" } }), "Ada changed the settings of openai/gpt"],
  [entry("reset-link-created", { actor: null }), "The server created a password reset link for Bob"],
  [entry("suspended", { target: { id: "u3", name: null } }), "Ada suspended A deleted account"],
  [entry("from-a-later-version"), "Ada: from-a-later-version"],
  [entry("constructor"), "Ada: constructor"],
])("an entry is described as a sentence", (given, sentence) => {
  expect(describeEntry(given)).toBe(sentence);
});
