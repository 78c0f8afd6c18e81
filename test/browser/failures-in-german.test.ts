import { expect, onTestFinished, test } from "vitest";
import de from "../../web/languages/de.ts";
import { findFreePort } from "../support/free-port.ts";
import { startInstance } from "../support/instance.ts";
import { createProviderServer, type Fault, type RecordedReply } from "../support/provider-server.ts";
import { answersOf, noBrowser, openPage, seeText } from "./open-page.ts";

const refuse = (status: number, headers: Record<string, string> = {}): RecordedReply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ error: { message: `Kaputt: ${status}` } }),
});

const cut: Fault = {
  name: "cut",
  respond: (_call, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.flushHeaders();
    setImmediate(() => res.destroy());
  },
};

const html: RecordedReply = {
  headers: { "content-type": "text/html" },
  body: "<!DOCTYPE html><html><head><title>Willkommen</title></head></html>",
};

const startWith = async (next: (() => Fault | RecordedReply) | null) => {
  const provider = await createProviderServer({
    next: ({ path }) => (path.endsWith("/models") || next === null ? { status: 404, body: "" } : next()),
  });
  onTestFinished(provider.close);
  return startInstance({
    env: {
      STONECHAT_SCRIPTED: "0",
      STONECHAT_MODEL: "compatible/m",
      STONECHAT_COMPATIBLE_URL: next === null ? `http://127.0.0.1:${await findFreePort()}` : provider.url,
      STONECHAT_COMPATIBLE_MODELS: "m",
      STONECHAT_SUMMARY_MODELS: "none/none",
    },
  });
};

const english =
  /\b(?:the|this|its|it|is|again|choose|try|trying|tried|check|wait|said|answer|because|cannot|model's|key|and)\b/i;

/** The provider's own words are not the page's. */
const withoutQuotes = (text: string): string => text.replace(/„[^“]{0,200}“/g, "");

test("the words that the tests look for are in the server's English", () => {
  expect("Something broke at Basalt. Try again, or choose another model.").toMatch(english);
  expect(withoutQuotes("Die Meldung lautet: „Try again“")).not.toMatch(english);
});

const { sentences, message, parts } = de;
const retried = { attempts: 2, next: sentences["next-same"] };
const failures: readonly (readonly [string, Fault | RecordedReply | null, string, typeof retried | null])[] = [
  ["401", refuse(401), "hat den Schlüssel nicht akzeptiert", null],
  ["402", refuse(402), "kein Guthaben mehr. Lade es dort auf", null],
  ["404", refuse(404), "kennt dieses Modell nicht", null],
  [
    "429",
    refuse(429, { "retry-after": "300" }),
    "bittet, 5 Minuten zu warten. Die Meldung lautet: „Kaputt: 429“",
    null,
  ],
  ["500", refuse(500), "ist ein Fehler aufgetreten", retried],
  ["503", refuse(503), "ist gerade überlastet", retried],
  ["a cut connection", cut, "ist abgebrochen, bevor die Antwort vollständig war", retried],
  ["a refused connection", null, "An der Adresse antwortet kein Server", retried],
  ["an HTML page", html, "hat etwas gesendet, das keine Antwort ist", retried],
];

test.skipIf(noBrowser).each(failures)(
  "a German page shows no English after %s",
  async (_name, reply, text, retries) => {
    const { url } = await startWith(reply && (() => reply));
    const page = await openPage(url, { locale: "de-DE" });
    const field = page.getByRole("textbox", { name: de.composer.field, exact: true });
    await field.fill("Hallo");
    await field.press("Enter");
    const card = page.getByRole("group", { name: message.run.ended, exact: true });
    await seeText(() => card.innerText(), text);
    if (retries) {
      await seeText(() => card.innerText(), /3 Versuche \(compatible\/m\)\./);
      await page.getByText(parts.failedAttempts(retries.attempts)).click();
      await seeText(() => page.getByRole("note").first().innerText(), text);
      await seeText(() => page.getByRole("note").first().innerText(), retries.next);
    }
    expect(withoutQuotes(await answersOf(page).innerText())).not.toMatch(english);
  },
);

test.skipIf(noBrowser)("a German page shows what was stored without sentences as the server wrote it", async () => {
  const { url } = await startWith(() => refuse(500));
  const page = await openPage(url, { locale: "de-DE" });
  const field = page.getByRole("textbox", { name: de.composer.field, exact: true });
  await field.fill("Hallo");
  await field.press("Enter");
  const card = page.getByRole("group", { name: message.run.ended, exact: true });
  await seeText(() => card.innerText(), "ist ein Fehler aufgetreten");
  await page.route(/\/api\/threads\/[^/]+(?:\?|$)/, async (route) => {
    const response = await route.fetch();
    const old = JSON.parse(await response.text(), (key, value: unknown) => (key === "sentences" ? undefined : value));
    await route.fulfill({ response, json: old });
  });
  await page.reload();
  await seeText(() => card.innerText(), /Something broke at .* Tried 3 times/);
  await page.getByText(parts.failedAttempts(2)).click();
  await seeText(() => page.getByRole("note").first().innerText(), /Something broke at .* Trying again\./);
});

test.skipIf(noBrowser)("a German page shows the test of a key in German", async () => {
  let status = 401;
  const provider = await createProviderServer({
    next: () =>
      status === 200
        ? { headers: { "content-type": "application/json" }, body: JSON.stringify({ data: [{ id: "gpt-5.5" }] }) }
        : refuse(status),
  });
  onTestFinished(provider.close);
  const { url } = await startInstance({ env: { OPENAI_BASE_URL: `${provider.url}/v1` } });
  const page = await openPage(url, { locale: "de-DE" });
  await page.goto(`${url}/settings/models`);
  const { card: texts, keyForm } = de.modelSettings;
  const card = page.getByRole("listitem", { name: "OpenAI", exact: true });
  await card.getByRole("button", { name: texts.actionFor(texts.addKey, "OpenAI") }).click();
  await card
    .getByLabel(keyForm.label("OpenAI"), { exact: true })
    .and(page.locator("input"))
    .fill("sk-basalt-0123456789");
  await page.keyboard.press("Enter");
  const expected = [
    [401, "OpenAI lehnt diesen Schlüssel ab. Prüfe, ob er vollständig und noch gültig ist."],
    [402, "OpenAI akzeptiert den Schlüssel, aber das Konto hat kein Guthaben mehr."],
    [404, "An dieser Adresse gibt es keine Modellliste (Status 404)."],
    [429, "OpenAI begrenzt gerade die Anfragen."],
    [503, "OpenAI hat mit dem Status 503 geantwortet."],
    [200, "OpenAI funktioniert und bietet 1 Modell an."],
  ] as const;
  for (const [next, text] of expected) {
    if (next !== 401) {
      status = next;
      await card.getByRole("button", { name: texts.actionFor(texts.test, "OpenAI"), exact: true }).click();
    }
    await seeText(() => card.innerText(), text);
    expect(withoutQuotes(await card.innerText())).not.toMatch(english);
  }
});
