import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { copyToPostgres } from "../../support/store/copy-to-postgres.ts";
import { describeOnBothDatabases, openFixture, ORDER, type Plan, type Fixture } from "./hostile-fixture.ts";

/** Written by Stonechat 0.1.0 (commit 6498597): a thread for each way by which untrusted text was stored, and one without. */
const database = join(import.meta.dirname, "../../fixtures/databases/0.1.0.db.gz");

type Call = Plan["turns"][number][number];
const plan = (...turns: Plan["turns"]): Plan => ({ policy: "stone", turns, approves: [] });
const remember: Call = {
  name: "working_memory",
  input: { changes: [{ field: "notes", op: "append", value: ORDER, reason: "r" }] },
};

const VERSION = 10;

const turnsBefore = 1;

describeOnBothDatabases(
  "data of 0.1.0",
  (newDatabase) => {
    async function upgrade(): Promise<Fixture> {
      const dataDir = mkdtempSync(join(tmpdir(), "stonechat-upgrade-"));
      const file = join(dataDir, "stonechat.db");
      writeFileSync(file, gunzipSync(readFileSync(database)));
      const databaseUrl = await newDatabase();
      if (databaseUrl !== undefined) {
        await copyToPostgres(databaseUrl, file, VERSION);
        rmSync(file);
      }
      const fixture = await openFixture({ dataDir, databaseUrl });
      onTestFinished(fixture.close);
      return fixture;
    }

    test.each<[string, string]>([
      ["page", "the tool scrape_webpage"],
      ["artifact", "the tool scrape_webpage"],
      ["document", "the tool scrape_webpage"],
      ["mcp", "the tool mcp__gone__read"],
    ])("a thread of 0.1.0 with a %s asks, and names it", async (name, source) => {
      const fixture = await upgrade();
      const { asked } = await fixture.play(plan([remember]), { threadId: `thread-${name}`, turnsBefore });
      expect(asked.map(({ asks }) => asks?.code)).toEqual(["remembers"]);
      expect(asked[0]?.asks?.text).toContain(source);
      expect(await fixture.listEffects()).toEqual([]);
    });

    test("a summary of 0.1.0 brings its untrusted origin into the prompt", async () => {
      const fixture = await upgrade();
      const { read } = fixture.instance.server.store;
      const { summaries } = await fixture.instance.client.listSummaries({ params: { threadId: "thread-summary" } });
      expect(await read.summary(summaries[0]?.id ?? "")).toMatchObject({
        untrusted: '["content read before the upgrade"]',
      });
      const attack = { ...plan([remember]), policy: "summary" as const };
      const { asked } = await fixture.play(attack, { threadId: "thread-summary", turnsBefore: 4 });
      expect(asked[0]?.asks?.text).toContain("content read before the upgrade");
    });

    test("a project that a run of 0.1.0 wrote to after reading a page makes its new threads ask; a clean thread asks nothing", async () => {
      const fixture = await upgrade();
      const { asked } = await fixture.play(plan([remember]), { projectId: "project-old" });
      expect(asked[0]?.asks?.text).toContain("content read before the upgrade");
      const clean = await fixture.play(plan([remember]), { threadId: "thread-clean", turnsBefore });
      expect(clean.asked).toEqual([]);
      expect(clean.ran.map((part) => part.name)).toEqual(["now", "working_memory"]);
    });

    test("a call that waited in 0.1.0 still waits and can be denied", async () => {
      const { instance, site } = await upgrade();
      const live = instance.follow("thread-waiting");
      const { messages } = await live.until(({ run }) => run?.state === "waiting");
      const part = messages.flatMap(({ parts }) => parts).find((one) => one.kind === "tool" && one.state === "asking");
      const body = { id: "denied", partId: part?.id ?? "", decision: "deny" as const };
      await instance.client.decideCall({ params: { threadId: "thread-waiting" }, body });
      await live.ended();
      live.close();
      expect(site.asked).toEqual([]);
    });

    test("receipts of 0.1.0 still open, with the request that was sent", async () => {
      const { client } = (await upgrade()).instance;
      for (const name of ["page", "artifact", "document", "mcp", "clean", "summary"]) {
        const threadId = `thread-${name}`;
        const { receipts } = await client.listReceipts({ params: { threadId }, query: {} });
        expect(receipts.length, name).toBeGreaterThan(0);
        for (const { id: receiptId } of receipts) {
          await client.getReceipt({ params: { threadId, receiptId } });
          const sent = await client.getRequest({ params: { threadId, receiptId } });
          expect(JSON.stringify(sent), name).toContain("do ");
        }
      }
    });
  },
  { empty: true },
);
