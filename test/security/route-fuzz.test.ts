import fc from "../support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { api, ErrorBody } from "../../protocol/api.ts";
import { routes, type RouteName } from "../../protocol/routes.ts";
import { toOpenApi, type Operation } from "../../server/http/openapi.ts";
import { createTestApp } from "./test-app.ts";
import { attempts, toHttp } from "./route-attempts.ts";

const runs = process.env["STONECHAT_DEEP"] === "1" ? 1000 : 200;

/** Open routes that this app, which has no accounts, answers itself. All but one are refused. */
const ofAccounts = [
  ...["setUp", "openInvitation", "acceptInvitation", "resetPassword"],
  ...["startOidc", "requestReset", "requestSignUp", "confirmEmail"],
  ...["signInWithCode", "startPasskeySignIn", "signInWithPasskey"],
];
const isRefused = (name: RouteName): boolean => name === "signIn" || ofAccounts.includes(name);

const documented = Object.values(toOpenApi("0").paths)
  .flatMap((methods) => Object.values(methods))
  .reduce((map, operation) => map.set(operation.operationId, operation), new Map<string, Operation>());

describe("route fuzz from the schemas", () => {
  test.each(Object.keys(routes) as RouteName[])(
    `%s answers ${runs} attempts as documented, and never with 5xx`,
    async (name) => {
      const { app, calls } = createTestApp(name === "signIn" ? { token: "a-token-nobody-guesses" } : {});
      const seen = { good: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(attempts(name), async (attempt) => {
          const response = await app.fetch(toHttp(name, attempt));
          const text = await response.text();
          expect(response.status, text).toBeLessThan(500);
          expect(documented.get(name)?.responses).toHaveProperty(String(response.status));
          if (response.status >= 400) ErrorBody.parse(JSON.parse(text));
          seen[response.status >= 400 ? "refused" : "good"] += 1;
          expect(attempt.kind === "good" && !isRefused(name) ? response.status : api[name].status).toBe(
            api[name].status,
          );
        }),
        { numRuns: runs },
      );
      // A fuzz of which everything is refused at the first check, or nothing is, has tried nothing.
      const [refusable, acceptable] = [
        ![
          "getMe",
          "listModels",
          "listTools",
          "listServers",
          "listServerPrompts",
          "exportMemory",
          "listProviders",
          "listOwnProviders",
          "getHealth",
          "getStorage",
          "findLocalServers",
          "listProfiles",
          "listDrafts",
          "getFirstDraft",
          "listImports",
          "getPreferences",
          "getInstance",
          "listSessions",
          "listIdentities",
          "getFactors",
          "listPeople",
          "listGroups",
          "listRoleLimits",
          "getLimits",
          "listInvitations",
          "listKeys",
          "listPush",
          // A chat id may be any text.
          "getChat",
        ].includes(name),
        !isRefused(name),
      ];
      expect(seen.refused > runs / 50, `${seen.refused} were refused`).toBe(refusable);
      expect(seen.good > runs / 50, `${seen.good} were accepted`).toBe(acceptable);
      const isOurs = isRefused(name) || name === "signOut" || name === "getInstance";
      // An id of dots alone leads to another address, and that one answers.
      const reached = [...calls.values()].reduce((sum, count) => sum + count, 0);
      expect(reached).toBe(isOurs ? 0 : seen.good);
      expect((calls.get(name) ?? 0) > runs / 50).toBe(!isOurs);
    },
  );
});
