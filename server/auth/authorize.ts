import { ApiError } from "../../protocol/errors.ts";
import type { ProjectRole } from "../../protocol/project/members.ts";
import type { Principal } from "./principal.ts";

export type Action = "read" | "change" | "delete";
export type OwnedObject = {
  readonly ownerId: string;
  /**
   * The principal's role in the object's project; null: no role. Read it for each request, never cache it. Omitted: only the owner
   * has access.
   */
  readonly role?: ProjectRole | null;
};

const actionsOf: Readonly<Record<ProjectRole, readonly Action[]>> = {
  owner: ["read", "change", "delete"],
  editor: ["read", "change"],
  viewer: ["read"],
};

/**
 * The access check for HTTP, streams and tools. Pure. Foreign and missing objects give the same error, so the response
 * never reveals that an id exists. For users who may read an object, the error says which role is missing.
 */
export function authorize<T extends OwnedObject>(
  principal: Pick<Principal, "userId">,
  object: T | undefined,
  action: Action,
): asserts object is T {
  const role = object && findRole(principal, object);
  if (!role) throw new ApiError("not-found", "Not found.");
  if (actionsOf[role].includes(action)) return;
  throw new ApiError("forbidden", action === "delete" ? OWNERS_ONLY : READ_ONLY);
}

const findRole = ({ userId }: Pick<Principal, "userId">, { ownerId, role }: OwnedObject): ProjectRole | null => {
  if (role !== undefined) return role;
  return ownerId === userId ? "owner" : null;
};

const READ_ONLY = "You can read this project but not change it. Ask its owner to make you an editor.";
const OWNERS_ONLY = "Only the owner can do this. Ask the owner of the project.";
