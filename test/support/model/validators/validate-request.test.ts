import { describe, expect, test } from "vitest";
import { type Dialect, dialects, validateRequest } from "./validate-request.ts";

describe.each(Object.keys(dialects) as Dialect[])("the rules of %s", (dialect) => {
  const { rules, good } = dialects[dialect];

  test("accept a good request", () => {
    expect(validateRequest(good(), dialect)).toEqual([]);
  });

  test.each(rules.map((rule) => [rule.name, rule] as const))(
    "reject a request that breaks this rule (control): %s",
    (name, rule) => {
      const body = good();
      rule.spoil(body);
      expect(validateRequest(body, dialect).some((fault) => fault.startsWith(`${name}:`))).toBe(true);
    },
  );
});
