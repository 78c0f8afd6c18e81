import { expect, test } from "vitest";
import { ApiError } from "../../protocol/errors.ts";
import { authorize, type Action, type OwnedObject } from "./authorize.ts";

const alice = { userId: "alice" };
const refusalOf = (object: OwnedObject | undefined, action: Action): string => {
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

test("a role decides instead of the ownership, and says what is missing to users who may read", () => {
  const as = (role: OwnedObject["role"]): OwnedObject => ({
    ownerId: "alice",
    ...(role === undefined ? {} : { role }),
  });
  expect(refusalOf(as("viewer"), "read")).toBe("allowed");
  expect(refusalOf(as("viewer"), "change")).toBe(
    "forbidden: You can read this project but not change it. Ask its owner to make you an editor.",
  );
  expect(refusalOf(as("editor"), "change")).toBe("allowed");
  expect(refusalOf(as("editor"), "delete")).toBe(
    "forbidden: Only the owner can do this. Ask the owner of the project.",
  );
  for (const action of ["read", "change", "delete"] as const) {
    expect(refusalOf({ ownerId: "bob", role: "owner" }, action)).toBe("allowed");
    expect(refusalOf(as(null), action)).toBe("not-found: Not found.");
  }
});
