export const workspaceLimits = {
  pathCharacters: 400,
  /** Deeper folders and longer names are refused. */
  pathParts: 20,
  nameCharacters: 120,
  fileBytes: 512_000,
  files: 2_000,
  totalBytes: 20_000_000,
  /** Lines that a view shows unless it is told which. */
  viewLines: 500,
  logCharacters: 4_000,
  /** Kept per project, newest first. */
  logs: 500,
  opsPerAct: 100,
} as const;
