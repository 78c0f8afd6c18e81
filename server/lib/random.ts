import { randomBytes } from "node:crypto";

/** A number in [0, 1). Only for jitter: ids come from `ids.ts`. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();

/** For keys and salts. */
export const randomKey = (bytes: number): string => randomBytes(bytes).toString("base64url");
