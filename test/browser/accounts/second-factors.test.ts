import type { Page } from "playwright-core";
import decodeQr from "qr/decode.js";
import { expect, test } from "vitest";
import { startInstance } from "../../support/instance.ts";
import { accountsOn, setUp } from "../../support/accounts/accounts-instance.ts";
import { addApp, createTestClock, nextCode } from "../../support/accounts/second-factors.ts";
import { checkAccess, devices, devicesOf } from "../check-access.ts";
import { composerOf, noBrowser, openPage } from "../open-page.ts";
import { focusedName, openAs, signInAs } from "./open-as.ts";

/** Reads the QR code as a camera does: from the pixels on the screen. */
async function scan(page: Page): Promise<string> {
  const picture = await page.getByRole("img", { name: "QR code for the authenticator app" }).screenshot();
  const { width, height, data } = await page.evaluate<{ width: number; height: number; data: number[] }>(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${picture.toString("base64")}";
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { width, height, data } = context.getImageData(0, 0, image.width, image.height);
    return { width, height, data: [...data] };
  })()`);
  return decodeQr({ width, height, data: Uint8Array.from(data) });
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
}

for (const [name, options] of devices)
  test.skipIf(noBrowser)(`an authenticator app is set up, used to sign in, and turned off on ${name}`, async () => {
    const clock = createTestClock();
    const instance = await startInstance({ env: accountsOn, clock });
    const { url } = instance;
    const ada = await setUp(instance);
    const page = await openAs(url, ada, "/settings/account", { ...options, allowErrors: true });
    const section = page.getByRole("region", { name: "Authenticator app", exact: true });
    await section.getByRole("button", { name: "Set up" }).click();
    const uri = new URL(await scan(page));
    const key = uri.searchParams.get("secret") ?? "";
    expect(uri.protocol).toBe("otpauth:");
    expect((await section.getByLabel("Key", { exact: true }).inputValue()).replaceAll(" ", "")).toBe(key);
    const field = section.getByLabel("Code from the app");
    expect(await field.getAttribute("autocomplete")).toBe("one-time-code");
    await checkAccess(page, "setting up an app");
    await field.fill("000000");
    await field.press("Enter");
    await section.getByRole("alert").filter({ hasText: "Wrong code." }).waitFor();
    await field.fill(nextCode(key, clock));
    await field.press("Enter");
    const list = section.getByRole("list", { name: "Your recovery codes" });
    await list.waitFor();
    const codes = await list.getByRole("listitem").allInnerTexts();
    expect(codes).toHaveLength(10);
    await checkAccess(page, "recovery codes");
    await section.getByRole("button", { name: "I have stored them" }).click();
    await section.getByText("10 recovery codes left.").waitFor();
    expect(await page.content()).not.toContain(codes[0]);

    await signOut(page);
    await signInAs(page, ada.email);
    const code = page.getByLabel("Code", { exact: true });
    await code.waitFor();
    expect(await focusedName(page)).toBe("code");
    expect(await code.getAttribute("autocomplete")).toBe("one-time-code");
    expect(await code.getAttribute("inputmode")).toBe("numeric");
    await checkAccess(page, "the code of an app");
    await page.keyboard.press("Enter");
    await page.getByText("Enter the code.", { exact: true }).waitFor();
    await page.keyboard.type("123456");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "Wrong code, or it was used already." }).waitFor();
    await page.keyboard.type(nextCode(key, clock));
    await page.keyboard.press("Enter");
    await composerOf(page).waitFor();
    expect(await page.evaluate("localStorage.getItem('stonechat.user')?.split(' ')[0]")).toBe("local");

    await page.goto(`${url}/settings/account`);
    await signOut(page);
    await signInAs(page, ada.email);
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(codes[0] ?? "");
    await checkAccess(page, "a recovery code");
    await page.keyboard.press("Enter");
    await composerOf(page).waitFor();
    await page.goto(`${url}/settings/account`);
    await section.getByText("9 recovery codes left.").waitFor();
    await section.getByRole("button", { name: "New recovery codes" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Create" }).click();
    await list.waitFor();
    expect(await list.getByRole("listitem").allInnerTexts()).not.toContain(codes[1]);
    await section.getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Turn off" }).click();
    await section.getByRole("button", { name: "Set up" }).waitFor();
    await signOut(page);
    await signInAs(page, ada.email);
    await composerOf(page).waitFor();
  });

test.skipIf(noBrowser)("a reset link also asks for the code, and the code step leads back", async () => {
  const clock = createTestClock();
  const instance = await startInstance({ env: accountsOn, clock });
  const ada = await setUp(instance);
  const { recoveryCodes } = await addApp(ada.client, clock);
  const { path } = await ada.client.createResetLink({ params: { userId: ada.userId }, body: {} });
  const page = await openPage(instance.url + path, { ...devices[1][1], allowErrors: true });
  await page.getByRole("textbox", { name: "New password" }).fill("another quiet harbour");
  await page.keyboard.press("Enter");
  await page.getByLabel("Code", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Back to sign-in" }).click();
  await signInAs(page, ada.email, "another quiet harbour");
  await page.getByLabel("Code", { exact: true }).waitFor();
  clock.pass(5 * 60_000);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(recoveryCodes[0] ?? "");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "This sign-in has expired." }).waitFor();
  await page.getByRole("button", { name: "Back to sign-in" }).click();
  await signInAs(page, ada.email, "another quiet harbour");
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(recoveryCodes[0] ?? "");
  await page.keyboard.press("Enter");
  await composerOf(page).waitFor();
});

const translations = [
  ["de-DE", "ltr", "E-Mail-Adresse", "Passwort", "Wiederherstellungscode verwenden"],
  ["ar", "rtl", "البريد الإلكتروني", "كلمة المرور", "استخدام رمز استرداد"],
] as const;
for (const [locale, direction, email, secret, recovery] of translations)
  test.skipIf(noBrowser)(`the code step and the settings of second factors are shown in ${locale}`, async () => {
    const clock = createTestClock();
    const instance = await startInstance({ env: accountsOn, clock });
    const ada = await setUp(instance);
    await addApp(ada.client, clock);
    const [, phone] = devicesOf(1)[0] ?? [];
    const page = await openPage(instance.url, { ...phone, locale, allowErrors: true });
    await page.getByLabel(email).fill(ada.email);
    await page.getByLabel(secret, { exact: true }).fill("a password for tests");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: recovery }).waitFor();
    expect(await page.evaluate("document.documentElement.dir")).toBe(direction);
    await checkAccess(page, `code step in ${locale}`);
    const url = instance.url.replace("127.0.0.1", "localhost");
    const settings = await openAs(url, ada, "/settings/account", { ...phone, locale });
    await settings.locator("main li").first().waitFor();
    await checkAccess(settings, `second factors in ${locale}`);
  });
