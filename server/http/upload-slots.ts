import { ApiError } from "../../protocol/errors.ts";

export type UploadLimits = { readonly perUser: number; readonly total: number };

/** One message's files per user, and a few users at once. Each upload uses a file on disk and little memory. */
export const uploadLimits: UploadLimits = { perUser: 10, total: 24 };

/** Limits concurrent uploads. Further ones are rejected with a retry time before their body is read. */
export function createUploadSlots({ perUser, total }: UploadLimits) {
  const byUser = new Map<string, number>();
  let all = 0;
  return {
    /** Returns a function that releases the slot. */
    acquire: (userId: string): (() => void) => {
      const own = byUser.get(userId) ?? 0;
      if (own >= perUser)
        throw new ApiError(
          "busy",
          `${perUser} of your files are being uploaded. Try again when one is done.`,
          undefined,
          2,
        );
      if (all >= total)
        throw new ApiError("unavailable", "Too many files are being uploaded. Try again in a moment.", undefined, 5);
      all += 1;
      byUser.set(userId, own + 1);
      return () => {
        all -= 1;
        const left = (byUser.get(userId) ?? 1) - 1;
        if (left === 0) byUser.delete(userId);
        else byUser.set(userId, left);
      };
    },
  };
}
