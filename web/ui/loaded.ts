import { ApiError } from "../../protocol/client.ts";

/** Something that is asked for. */
export type Loaded<T> =
  | { readonly phase: "loading" }
  | { readonly phase: "ready"; readonly value: T }
  | { readonly phase: "failed"; readonly text: string };

export const toFailure = (error: unknown): string =>
  error instanceof ApiError ? error.message : "The server cannot be reached.";
