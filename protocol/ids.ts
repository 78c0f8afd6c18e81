import { z } from "zod";

/** Ids minted by a client: unique per thread, safe in paths, logs and SSE fields. */
export const ClientId = z
  .string()
  .regex(/^[\w-]{1,128}$/, "an id is 1-128 letters, digits, _ or -")
  .meta({ description: "Minted by the client; the same id with the same content is answered the same way." });

/** Streams are named by what they belong to, so an owner can be found from the name alone. */
export type StreamName = `thread:${string}` | `user:${string}` | `project:${string}` | typeof settingsStream;

export const threadStream = (threadId: string): StreamName => `thread:${threadId}`;
export const userStream = (userId: string): StreamName => `user:${userId}`;
/** What every process of the instance has to look at again; no person reads it. */
export const settingsStream = "instance:settings";
export const projectStream = (projectId: string): StreamName => `project:${projectId}`;
