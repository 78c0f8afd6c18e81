/** Files whose every condition has to be tested, and the tests that do it. */
export type Target = {
  readonly files: readonly string[];
  readonly tests: readonly string[];
  /** Only tests whose names match. */
  readonly only?: string;
};

export const targets: Readonly<Record<string, Target>> = {
  authorize: {
    files: ["server/auth/authorize.ts", "server/auth/access.ts"],
    tests: ["server/auth/authorize.test.ts", "server/auth/access.test.ts"],
  },
  policy: {
    files: ["server/run/tool-calls/approval-rules.ts"],
    tests: ["server/run/tool-calls/approval-rules.test.ts"],
  },
  lease: {
    files: ["server/store/sqlite/apply-batch.ts"],
    tests: ["server/store/leases.test.ts", "server/store/store.test.ts"],
    only: "SQLite",
  },
  "lease-postgres": {
    files: ["server/store/postgres/assign-seqs.ts"],
    tests: ["server/store/postgres/assign-seqs.test.ts"],
  },
  fold: {
    files: ["protocol/fold.ts"],
    tests: ["protocol/fold-events.test.ts"],
  },
  ssrf: {
    files: ["server/net/address.ts", "server/net/allow-list.ts", "server/net/target.ts", "server/net/redirect.ts"],
    tests: [
      "server/net/address.test.ts",
      "server/net/allow-list.test.ts",
      "server/net/target.test.ts",
      "server/net/redirect.test.ts",
    ],
  },
};
