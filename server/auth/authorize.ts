import { ApiError } from "../../protocol/errors.ts";
import type { Principal } from "./principal.ts";

export type Action = "read" | "change" | "delete";
export type Owned = { readonly ownerId: string };

const isOwner = (principal: Principal, object: Owned): boolean => object.ownerId === principal.userId;

const rules: Readonly<Record<Action, typeof isOwner>> = { read: isOwner, change: isOwner, delete: isOwner };

/**
 * The one question of HTTP, streams and tools alike: may they do this to that? Pure. What is not theirs and what does not
 * exist are refused in the same words, so an answer never tells that an id is taken.
 */
export function authorize<T extends Owned>(
  principal: Principal,
  object: T | undefined,
  action: Action,
): asserts object is T {
  if (object === undefined || !rules[action](principal, object)) {
    throw new ApiError("not-found", "There is nothing of yours under this id.");
  }
}
