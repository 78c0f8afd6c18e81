import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const deep = process.env["STONECHAT_DEEP"] === "1";
const slowFolders = ["test/crash", "test/browser"];
const [crash, browser] = slowFolders;
const modules = ["protocol", "server", "web", "scripts", "bench", "eval"];

/** Files named `*.deep.test.ts` run only in `npm run test:deep`; others read STONECHAT_DEEP for their counts. */
const exclude = ["**/node_modules/**", ...(deep ? [] : ["**/*.deep.test.*"])];
const files = (folder: string): string => `${folder}/**/*.test.{ts,tsx}`;

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    // A slow machine is not a failure: waits may take their time. Limits cost nothing unless a test hangs.
    expect: { poll: { timeout: 60_000 } },
    // One more than two cores, because tests wait for almost half of their time; with two more, browsers slow each other down.
    maxWorkers: Math.max(3, Math.min(availableParallelism(), 6)),
    // A worker loads the modules, and starts PostgreSQL and Chromium, once for all its files.
    isolate: false,
    // A continuous build tries a failed test once more and lists it as retried. Elsewhere a flaky test fails.
    retry: process.env["CI"] ? 1 : 0,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: modules.map(files),
          exclude,
          testTimeout: deep ? 30 * 60_000 : 2 * 60_000,
          hookTimeout: 5 * 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "quick",
          include: [files("test")],
          exclude: [...exclude, ...slowFolders.map(files)],
          testTimeout: deep ? 30 * 60_000 : 2 * 60_000,
          hookTimeout: 5 * 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "crash",
          include: [files(`${crash}`)],
          exclude,
          testTimeout: deep ? 2 * 60 * 60_000 : 5 * 60_000,
          hookTimeout: 5 * 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: [files(`${browser}`)],
          exclude,
          testTimeout: 5 * 60_000,
          hookTimeout: 5 * 60_000,
        },
      },
    ],
  },
});
