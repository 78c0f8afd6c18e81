import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { writeThread } from "../support/context/long-thread.ts";
import { answersOf, noBrowser, openPage, sendMessage } from "./open-page.ts";

const fact = "The spare key of the lighthouse hangs behind the blue barometer.";

test.skipIf(noBrowser)(
  "a fact from message 12 of 3,000 is recalled with its source and listed in the receipt",
  async () => {
    const env = { STONECHAT_MODEL: "offline/stone", STONECHAT_OFFLINE_PACE_MS: "0" };
    const { url, start, send, follow, server } = await startInstance({ env });
    const threadId = await start();
    await writeThread(server.store, threadId, 3_000, (depth) =>
      depth === 12 ? fact : `Message ${depth} is about walks and tea, number ${depth}.`,
    );
    const live = follow(threadId);
    await send(threadId, "hello");
    await live.ended(1);
    const { read } = server.store;
    const { branch = "" } = (await read.thread(threadId)) ?? {};
    await expect.poll(async () => (await read.recallStates(threadId, [branch]))[0]?.depth ?? 0).toBeGreaterThan(12);

    const page = await openPage(`${url}/t/${threadId}`, { viewport: { width: 1440, height: 860 } });
    await sendMessage(page, "Where does the spare key of the lighthouse hang?");
    const answer = answersOf(page).last();
    await answer.getByText("behind the blue barometer").first().waitFor();
    expect(await answer.innerText()).toContain("In message 12 I said");
    await answer
      .getByText(/Recalled/)
      .first()
      .waitFor();
    await answer.getByRole("button", { name: "What the model saw" }).click();
    const panel = page.getByRole("complementary", { name: "What the model saw" });
    await panel.getByText(/of 8,000/).waitFor();
    expect(await panel.innerText()).toMatch(/message 12\b/i);
  },
);
