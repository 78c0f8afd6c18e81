import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listSecrets, readConfig } from "./config.ts";

const oidc = { STONECHAT_OIDC_ISSUER: "https://login.example.com/main", STONECHAT_OIDC_CLIENT_ID: "stonechat" };
const mail = {
  STONECHAT_SMTP_URL: "smtps://user:the-secret@mail.example.com",
  STONECHAT_MAIL_FROM: "chat@example.com",
};
const folder = mkdtempSync(join(tmpdir(), "stonechat-"));
const toFile = (text: string): string => {
  const path = join(folder, `${text.length}.txt`);
  writeFileSync(path, text);
  return path;
};

describe("settings of sign-in from outside", () => {
  test("are off by default, and complete when they are set", () => {
    expect(readConfig({}).signIn).toEqual({ oidc: null, header: null, mail: null, signUpDomains: [] });
    const config = readConfig({
      ...{ ...oidc, ...mail, STONECHAT_OIDC_CLIENT_SECRET: "another-secret" },
      ...{ STONECHAT_TRUSTED_HEADER: "Remote-User", STONECHAT_TRUSTED_PROXIES: "10.0.0.5" },
      ...{ STONECHAT_SIGN_UP_DOMAINS: "Example.com, example.org", STONECHAT_OIDC_SIGN_UP: "example.com" },
    });
    expect(config.signIn).toEqual({
      oidc: {
        ...{ issuer: "https://login.example.com/main", clientId: "stonechat", clientSecret: "another-secret" },
        ...{ name: "login.example.com", scopes: "openid email profile", signUp: ["example.com"] },
      },
      header: { name: "remote-user", signUp: false },
      mail: { smtpUrl: mail.STONECHAT_SMTP_URL, from: "chat@example.com" },
      signUpDomains: ["example.com", "example.org"],
    });
    const secrets = listSecrets(config).map(({ value }) => value);
    expect(secrets).toEqual(expect.arrayContaining(["another-secret", mail.STONECHAT_SMTP_URL]));
  });

  test("read secrets from files", () => {
    const config = readConfig({ ...oidc, STONECHAT_OIDC_CLIENT_SECRET_FILE: toFile("from a file\n") });
    expect(config.signIn.oidc?.clientSecret).toBe("from a file");
    expect(() => readConfig({ ...oidc, STONECHAT_OIDC_CLIENT_SECRET_FILE: toFile("") })).toThrow("is empty");
    const both = { STONECHAT_OIDC_CLIENT_SECRET: "a", STONECHAT_OIDC_CLIENT_SECRET_FILE: toFile("b") };
    expect(() => readConfig({ ...oidc, ...both })).toThrow("are both set");
  });

  const wrong: readonly [Record<string, string>, string][] = [
    [{ STONECHAT_OIDC_ISSUER: "https://login.example.com" }, "belong together"],
    [{ STONECHAT_OIDC_CLIENT_ID: "stonechat" }, "belong together"],
    [{ ...oidc, STONECHAT_OIDC_ISSUER: "http://login.example.com" }, "must be the https URL"],
    [{ ...oidc, STONECHAT_OIDC_ISSUER: "https://user:password@login.example.com" }, "must be the https URL"],
    [{ ...oidc, STONECHAT_OIDC_SCOPES: "email" }, "must contain the scope openid"],
    [{ ...oidc, STONECHAT_OIDC_SIGN_UP: "on, example.com" }, "must be on, off or domains"],
    [{ ...oidc, STONECHAT_HOST: "0.0.0.0" }, "is set without STONECHAT_PUBLIC_URL"],
    [{ STONECHAT_TRUSTED_HEADER: "x-forwarded-user" }, "is set without STONECHAT_TRUSTED_PROXIES"],
    [{ STONECHAT_TRUSTED_HEADER: "cookie", STONECHAT_TRUSTED_PROXIES: "10.0.0.5" }, "must be a header of its own"],
    [{ STONECHAT_TRUSTED_HEADER: "x user", STONECHAT_TRUSTED_PROXIES: "10.0.0.5" }, "must be the name of a header"],
    [{ STONECHAT_SMTP_URL: mail.STONECHAT_SMTP_URL }, "belong together"],
    [{ ...mail, STONECHAT_SMTP_URL: "https://the-secret@mail.example.com" }, "must be a URL such as smtps://"],
    [{ ...mail, STONECHAT_MAIL_FROM: "Chat\r\nBcc: eve@example.com <chat@example.com>" }, "must be an address"],
    [{ STONECHAT_SIGN_UP_DOMAINS: "*.example.com" }, "must be domains"],
  ];
  test.each(wrong)("%j is an error without its secret", (env, text) => {
    let message = "";
    try {
      readConfig(env);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain(text);
    expect(message).not.toContain("the-secret");
  });
});
