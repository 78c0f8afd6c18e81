import { onTestFinished, test } from "vitest";
import { finish, healthyReply, text, toSse } from "../support/chat-wire.ts";
import { startInstance } from "../support/instance.ts";
import { createProviderServer, type RecordedReply } from "../support/provider-server.ts";
import { answersOf, noBrowser, openPage, sendMessage } from "./open-page.ts";

const startWith = async (next: () => RecordedReply) => {
  const provider = await createProviderServer({
    next: ({ path }) => (path.endsWith("/models") ? { status: 404, body: "" } : next()),
  });
  onTestFinished(provider.close);
  return startInstance({
    env: {
      STONECHAT_SCRIPTED: "0",
      STONECHAT_MODEL: "compatible/m",
      STONECHAT_COMPATIBLE_URL: provider.url,
      STONECHAT_COMPATIBLE_MODELS: "m",
      STONECHAT_SUMMARY_MODELS: "none/none",
    },
  });
};

test.skipIf(noBrowser)("shows that the model is loading, then its answer", async () => {
  let isLoaded = false;
  const loading = { status: 503, body: JSON.stringify({ error: { message: "Loading model" } }) };
  const { url } = await startWith(() => (isLoaded ? healthyReply("Here I am.") : loading));
  const page = await openPage(url);
  await sendMessage(page, "Hello");
  await page.getByText(/The model server 127\.0\.0\.1:\d+ is loading the model…/).waitFor();
  isLoaded = true;
  await answersOf(page).getByText("Here I am.").waitFor();
  await page.getByText(/is loading the model…/).waitFor({ state: "detached" });
});

test.skipIf(noBrowser)("an answer cut off at the output limit says so and can be continued", async () => {
  let calls = 0;
  const { url } = await startWith(() => {
    calls += 1;
    return calls === 1 ? { body: toSse([text("The first half"), finish("length")]) } : healthyReply("and the second.");
  });
  const page = await openPage(url);
  await sendMessage(page, "Say both halves");
  await page.getByText("The answer was cut off at the model's output limit.").first().waitFor();
  await page.getByRole("button", { name: "Continue" }).click();
  await answersOf(page).getByText("and the second.").waitFor();
  await answersOf(page).getByText("The first half").waitFor();
});
