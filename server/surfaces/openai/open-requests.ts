import type { AnswerPosition } from "./answer.ts";

/**
 * Counts the open requests for each answer. A client that sends a request again may be connected before the server notices that
 * its first connection is closed, so an answer is stopped only when its last client has gone.
 */
export function createOpenRequests() {
  const counts = new Map<string, number>();
  return {
    /** Returns the release function, which says whether this was the last request. It may be called again. */
    acquire: ({ thread, message, step }: AnswerPosition): (() => boolean) => {
      const key = `${thread} ${message} ${step}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      let wasLast: boolean | undefined;
      return () => {
        if (wasLast !== undefined) return wasLast;
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
        wasLast = left === 0;
        return wasLast;
      };
    },
  };
}
