import { limits, maxMessageCharacters } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { builtInProfiles, type ProfileWindow } from "../../protocol/settings/profiles.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

/** The longest message of a user's own profile: its number, or that of the built-in profile that it was copied from. */
export function toLongestMessage({ source, body }: Pick<RowOf<"profiles">, "source" | "body">): number {
  const { window } = JSON.parse(body) as { readonly window?: Partial<ProfileWindow> };
  return window?.messageCharacters ?? maxMessageCharacters(source);
}

/** The longest message with this profile of the user. A deleted profile is replaced by `stone`. */
export async function readLongestMessage(read: Pick<Reads, "profile">, owner: string, id: string): Promise<number> {
  if (builtInProfiles.some((name) => name === id)) return maxMessageCharacters(id);
  const row = await read.profile(owner, id);
  return row ? toLongestMessage(row) : limits.messageCharacters;
}

export function assertLength({ length }: string, most: number): void {
  if (length <= most) return;
  const text = `A message in this thread may have at most ${most.toLocaleString("en")} characters. This one has ${length.toLocaleString("en")}.`;
  throw new ApiError("too-large", text);
}
