import { expect, test } from "vitest";
import { accountsOn, password, setUp } from "../../support/accounts/accounts-instance.ts";
import { linkIn, startMailServer } from "../../support/accounts/mail-server.ts";
import { findFreePort } from "../../support/free-port.ts";
import { startInstance } from "../../support/instance.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { composerOf, noBrowser, openPage } from "../open-page.ts";
import { openAs, signInAs } from "./open-as.ts";

const [, device] = devicesOf(1)[0] ?? [];

async function startWithMail() {
  const smtp = await startMailServer();
  const instance = await startInstance({
    env: {
      ...accountsOn,
      STONECHAT_PORT: String(await findFreePort()),
      STONECHAT_SMTP_URL: smtp.url,
      STONECHAT_MAIL_FROM: "chat@example.com",
      STONECHAT_SIGN_UP_DOMAINS: "example.com",
    },
  });
  return { smtp, url: instance.url, ada: await setUp(instance) };
}

test.skipIf(noBrowser)("a user who forgot the password gets a link by mail", async () => {
  const { smtp, url, ada } = await startWithMail();
  const page = await openPage(url, { ...device, allowErrors: true });
  await page.getByRole("button", { name: "Forgot password?" }).click();
  const email = page.getByLabel("Email address");
  await email.press("Enter");
  await page.getByText("Enter an email address, such as").waitFor();
  await checkAccess(page, "reset form");
  for (const address of ["nobody@example.com", ada.email]) {
    await email.fill(address);
    await page.getByRole("button", { name: "Send link" }).click();
    await page.getByRole("heading", { name: "Check your mail" }).waitFor();
    await page.getByText(`If ${address} can be used here, you will get a link.`).waitFor();
    await checkAccess(page, "link sent");
    await page.getByRole("button", { name: "Back to sign-in" }).click();
    if (address !== ada.email) await page.getByRole("button", { name: "Forgot password?" }).click();
  }
  const mail = await smtp.mail(1);
  await page.goto(linkIn(mail).url);
  await page.getByRole("textbox", { name: "New password" }).fill("another password for ada");
  await page.getByRole("button", { name: "Set password" }).click();
  await composerOf(page).waitFor();
  await page.context().clearCookies();
  await page.goto(url);
  await signInAs(page, ada.email, "another password for ada");
  await composerOf(page).waitFor();
  expect(smtp.mails).toHaveLength(1);
});

test.skipIf(noBrowser)("a user creates an account with a link by mail", async () => {
  const { smtp, url } = await startWithMail();
  const page = await openPage(url, { ...device, allowErrors: true });
  await page.getByRole("button", { name: "Create an account" }).click();
  await page.getByLabel("Email address").fill("bob@example.com");
  await checkAccess(page, "sign-up form");
  await page.getByRole("button", { name: "Send link" }).click();
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  await page.goto(linkIn(await smtp.mail(1)).url);
  await page.getByLabel("Your name").fill("Bob");
  await page.getByLabel("New password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await composerOf(page).waitFor();
});

test.skipIf(noBrowser)("an admin sends an invitation by mail", async () => {
  const { smtp, url, ada } = await startWithMail();
  const page = await openAs(url, ada, "/settings/people", device);
  await page.getByRole("button", { name: "Invite people" }).click();
  await page.getByLabel("Email address (optional)").fill("bob@example.com");
  expect(await page.getByRole("checkbox", { name: "Send the link by mail" }).isChecked()).toBe(true);
  await checkAccess(page, "invitation by mail");
  await page.getByRole("button", { name: "Create invitation" }).click();
  await page.getByText("The link is also on its way to bob@example.com.").waitFor();
  const link = await page.getByRole("textbox", { name: "Invitation link" }).inputValue();
  const mail = await smtp.mail(1);
  expect([mail.to, linkIn(mail).url]).toEqual([["bob@example.com"], link]);
  // Without an address there is no one to send it to.
  await page.getByRole("button", { name: "Invite people" }).click();
  await page.getByRole("button", { name: "Create invitation" }).click();
  await page.getByText("Invitation created").waitFor();
  expect(smtp.mails).toHaveLength(1);
});

test.skipIf(noBrowser)("a new email address is used once its link is opened", async () => {
  const { smtp, url, ada } = await startWithMail();
  const page = await openAs(url, ada, "/settings/account", { ...device, allowErrors: true });
  const profile = page.getByRole("form", { name: "Profile" });
  await profile.getByLabel("Email address").fill("countess@example.com");
  await profile.getByRole("button", { name: "Save" }).click();
  await profile.getByText("Open the link that was sent to countess@example.com").waitFor();
  await checkAccess(page, "address that has to be confirmed");
  await smtp.mail(2);
  const mail = smtp.mails.find(({ to }) => to.includes("countess@example.com"));
  if (!mail) throw new Error("The mail is missing.");
  const link = await openPage(linkIn(mail).url, { ...device, allowErrors: true });
  await link.getByRole("button", { name: "Confirm address" }).waitFor();
  await checkAccess(link, "link for a new address");
  await link.getByRole("button", { name: "Confirm address" }).click();
  await link.getByText("Your account now uses countess@example.com.").waitFor();
  await checkAccess(link, "confirmed address");
  expect((await ada.client.getMe({})).account?.email).toBe("countess@example.com");
});
