import { randomBytes } from "node:crypto";

/** A number in [0, 1). Only for jitter: ids come from `ids.ts`. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();

/** For a column that changes with each write. A batch that expects the number it read fails if the row was changed since. */
export const randomVersion = (): number => randomBytes(6).readUIntBE(0, 6);

/** Random bytes for keys and salts, as base64url. */
export const randomKey = (bytes: number): string => randomBytes(bytes).toString("base64url");
