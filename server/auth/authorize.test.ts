import { expect, test } from "vitest";
import { ApiError } from "../../protocol/errors.ts";
import { authorize, type Action, type Owned } from "./authorize.ts";

const alice = { userId: "alice" };
const refusalOf = (object: Owned | undefined, action: Action): string => {
  try {
    authorize(alice, object, action);
    return "allowed";
  } catch (error) {
    return error instanceof ApiError ? `${error.code}: ${error.message}` : "bug";
  }
};

test.each<Action>(["read", "change", "delete"])(
  "to %s is only for the owner, and a foreign id gets the same error as an unknown one",
  (action) => {
    expect(refusalOf({ ownerId: "alice" }, action)).toBe("allowed");
    expect(refusalOf({ ownerId: "bob" }, action)).toMatch(/^not-found: /);
    expect(refusalOf({ ownerId: "bob" }, action)).toBe(refusalOf(undefined, action));
    expect(refusalOf({ ownerId: "" }, action)).toMatch(/^not-found: /);
  },
);
