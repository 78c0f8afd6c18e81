export const workspaceLimits = {
  pathCharacters: 400,
  /** Paths with more or longer segments are refused. */
  pathParts: 20,
  nameCharacters: 120,
  fileBytes: 512_000,
  files: 2_000,
  totalBytes: 20_000_000,
  /** Default number of lines in a view. */
  viewLines: 500,
  logCharacters: 4_000,
  /** Stored per project; the oldest are dropped. */
  logs: 500,
  opsPerAct: 100,
} as const;
