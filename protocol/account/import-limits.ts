/** This file must not import zod, because the page bundles it. */
export const importLimits = {
  fileBytes: 4_000_000_000,
  /** Imports of one user that run or wait at the same time. */
  running: 5,
} as const;
