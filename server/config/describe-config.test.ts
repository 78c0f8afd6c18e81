import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { describeConfig } from "./describe-config.ts";
import { readConfig } from "./config.ts";
import { settings, type Setting } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "stonechat-config-"));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const find = (env: Record<string, string>, name: string, envFile?: string) =>
  describeConfig(env, envFile).find((one) => one.name === name);

test("every setting is listed with its value and source", () => {
  const envFile = write(".env", "STONECHAT_PORT=4000\nSTONECHAT_LOG=warn\n");
  const env = { STONECHAT_PORT: "4000", STONECHAT_LOG: "debug", STONECHAT_MODEL: "a/b", STONECHAT_DATA: " " };
  expect(describeConfig(env, envFile).map(({ name }) => name)).toEqual(Object.keys(settings));
  expect(find(env, "STONECHAT_PORT", envFile)).toMatchObject({ value: "4000", source: ".env" });
  expect(find(env, "STONECHAT_LOG", envFile)).toMatchObject({ value: "debug", source: "environment" });
  expect(find(env, "STONECHAT_MODEL", envFile)).toMatchObject({ value: "a/b", source: "environment" });
  expect(find(env, "STONECHAT_DATA", envFile)).toMatchObject({ value: "./data", source: "default" });
  expect(find(env, "STONECHAT_TITLES", envFile)).toMatchObject({ value: "on", source: "default" });
  expect(find(env, "STONECHAT_HOSTS", envFile)).toMatchObject({ value: "", source: "not set" });
});

test("no secret is shown, whether it is in a variable, a file or an address", () => {
  const secrets = Object.entries<Setting>(settings).flatMap(([name, { isSecret }]) => (isSecret ? [name] : []));
  expect(secrets.length).toBeGreaterThan(15);
  for (const name of secrets) {
    expect(find({ [name]: "canary" }, name)).toMatchObject({ value: "(secret)", source: "environment" });
    const file = write(name, "canary\n");
    expect(find({ [`${name}_FILE`]: file }, name)).toMatchObject({
      value: "(secret)",
      source: `environment, ${name}_FILE`,
    });
  }
  const all = JSON.stringify(
    describeConfig({ OPENAI_BASE_URL: "https://me:canary@x.example/v1?key=canary" }, undefined),
  );
  expect(all).toContain("https://***@x.example/v1?***");
  expect(all).not.toContain("canary");
});

test("a secret is read from its file, and a wrong file is an error that says what to do", () => {
  const token = "0123456789abcdef";
  expect(readConfig({ STONECHAT_TOKEN_FILE: write("token", `${token}\n`) }).token).toBe(token);
  expect(readConfig({ STONECHAT_TOKEN_FILE: "" }).token).toBeNull();
  const missing = join(folder, "missing");
  expect(() => readConfig({ OPENAI_API_KEY_FILE: missing })).toThrow(
    `OPENAI_API_KEY_FILE: the file ${missing} cannot be read (ENOENT). Check the path and its permissions.`,
  );
  expect(() => readConfig({ OPENAI_API_KEY_FILE: write("empty", "\n") })).toThrow("is empty");
  expect(() => readConfig({ OPENAI_API_KEY: "a", OPENAI_API_KEY_FILE: write("key", "b") })).toThrow(
    "OPENAI_API_KEY and OPENAI_API_KEY_FILE are both set. Remove one of them.",
  );
  expect(() => readConfig({ STONECHAT_PORT_FILE: write("port", "1") })).toThrow("is not a setting");
});
