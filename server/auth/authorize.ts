import { ApiError } from "../../protocol/errors.ts";
import type { Principal } from "./principal.ts";

export type Action = "read" | "change" | "delete";
export type Owned = { readonly ownerId: string };

const isOwner = (principal: Principal, object: Owned): boolean => object.ownerId === principal.userId;

const rules: Readonly<Record<Action, typeof isOwner>> = { read: isOwner, change: isOwner, delete: isOwner };

/**
 * The access check for HTTP, streams and tools. Pure. Foreign and missing objects give the same error, so the response
 * never reveals that an id exists.
 */
export function authorize<T extends Owned>(
  principal: Principal,
  object: T | undefined,
  action: Action,
): asserts object is T {
  if (object === undefined || !rules[action](principal, object)) {
    throw new ApiError("not-found", "Not found.");
  }
}
