import { expect, test } from "vitest";
import type { Catalog } from "../../web/languages/catalog.ts";
import ar from "../../web/languages/ar.ts";
import de from "../../web/languages/de.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, seeText } from "./open-page.ts";

const english = /\b(?:the|this|you|can|undo|delete|deleted|created|task|no longer|waiting)\b/i;
/** The server's own words are quoted. */
const withoutQuotes = (text: string): string => text.replace(/[„«][^“»]{0,200}[“»]/g, "");

type Texts = {
  readonly card: string;
  readonly question: string;
  readonly reason: string;
  readonly acts: readonly string[];
};

const languages: readonly (readonly [string, Catalog, Texts])[] = [
  [
    "de-DE",
    de,
    {
      card: "Taschenrechner: 6 * 7",
      question: "Die Aufgabe „Call the plumber“ löschen?",
      reason: "Du kannst es rückgängig machen.",
      acts: ["Gelöscht: „Call the plumber“", "Angelegt: „Call the plumber“"],
    },
  ],
  [
    "ar",
    ar,
    {
      card: "آلة حاسبة: \u20686 * 7\u2069",
      question: "هل تريد حذف المهمة «\u2068Call the plumber\u2069»؟",
      reason: "يمكنك التراجع عن ذلك.",
      acts: ["حذف: «\u2068Call the plumber\u2069»", "إنشاء: «\u2068Call the plumber\u2069»"],
    },
  ],
];

test.skipIf(noBrowser).each(languages)(
  "tool cards, approvals, errors and activity are shown in the page's language: %s",
  async (locale, texts, { card, question, reason, acts }) => {
    const id = "7f6e7a0c-6f0d-4a3c-9b1e-2d6f0c1b5a01";
    const { url, client } = await startInstance({
      script: (_, index) =>
        [
          call({ name: "calculate", input: '{"expression":"6 * 7"}' }),
          call({ name: "delete_entities", input: JSON.stringify({ ids: [id] }) }),
          say("= 42"),
        ][index] ?? say("= 42"),
      env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
    });
    await client.createProject({ body: { id: "wall", name: "Wall" } });
    const op = { do: "create", id, kind: "task", title: "Call the plumber" } as const;
    await client.act({ params: { projectId: "wall" }, body: { id: "act", ops: [{ ...op, parentId: null }] } });
    await client.createThread({ body: { id: "talk", projectId: "wall" } });

    const page = await openPage(url, { locale, allowErrors: true });
    await page.goto(`${url}/t/talk`);
    const field = page.getByRole("textbox", { name: texts.composer.field, exact: true });
    await field.fill("42?");
    await field.press("Enter");
    const ask = page.getByRole("group", { name: question, exact: true });
    await seeText(() => ask.innerText(), reason);
    await seeText(() => page.locator('[aria-live="assertive"]').innerText(), question);
    await seeText(() => answersOf(page).last().innerText(), card);
    expect(
      withoutQuotes(
        await ask
          .locator("p")
          .allInnerTexts()
          .then((all) => all.join(" ")),
      ),
    ).not.toMatch(english);
    await checkAccess(page, locale);

    // The server's refusal is quoted after a sentence in the page's language.
    const path = "**/api/threads/talk/decisions";
    const message = "This tool call is no longer waiting for approval.";
    const error = { code: "conflict", message, requestId: "r" };
    await page.route(path, (route) => route.fulfill({ status: 409, json: { error } }));
    const { allowOnce } = texts.toolCards.approval;
    await ask.getByRole("button", { name: allowOnce, exact: true }).click();
    const alert = ask.getByRole("alert");
    await seeText(() => alert.innerText(), texts.errors.withDetail(texts.errors.byCode.conflict, message));
    expect(withoutQuotes(await alert.innerText())).not.toMatch(english);
    await page.unroute(path);

    await ask.getByRole("button", { name: allowOnce, exact: true }).click();
    await seeText(() => answersOf(page).last().innerText(), /= 42[\s\S]*= 42/);
    expect(withoutQuotes(await answersOf(page).last().innerText())).not.toMatch(/Deleted|task/);
    await page.goto(`${url}/p/wall/activity`);
    for (const act of acts) await page.getByText(act, { exact: true }).waitFor();
    expect(await page.getByText(/Created task|Deleted task/).count()).toBe(0);
  },
);
