import { describe, expect, test } from "vitest";
import { ConfigError } from "./config-error.ts";
import { readConfig } from "./config.ts";

const token = "0123456789abcdef";
const complain = (env: Record<string, string>): string => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "accepted";
};

describe("readConfig", () => {
  test("an empty environment gives a private instance on loopback with the default limits", () => {
    expect(readConfig({})).toMatchObject({
      host: "127.0.0.1",
      port: 3737,
      token: null,
      hosts: [],
      corsOrigins: [],
      dataDir: "./data",
      databaseUrl: null,
      logLevel: "info",
      leaseMs: 5_000,
      failpoint: null,
      limits: { steps: null, calls: 40, tokens: 500_000, costUsd: 5, seconds: 600 },
      models: {
        keys: { openrouter: undefined, openai: undefined, anthropic: undefined, google: undefined },
        compatible: undefined,
        defaultModel: undefined,
        fallbacks: undefined,
        timeouts: { idleMs: 60_000, totalMs: 600_000 },
        scripted: undefined,
        offlinePaceMs: 15,
      },
    });
  });

  test("numbers of prompts have the documented defaults and can be set", () => {
    expect(readConfig({})).toMatchObject({
      window: { messages: null, characters: null, pageCharacters: 12_000 },
      digests: { livesMs: 120_000, documentDepth: 2 },
    });
    const env = {
      STONECHAT_HISTORY_MESSAGES: "7",
      STONECHAT_HISTORY_CHARACTERS: "9000",
      STONECHAT_PAGE_CHARACTERS: "900",
      STONECHAT_DOCUMENT_DEPTH: "3",
      STONECHAT_DIGEST_SECONDS: "1",
    };
    expect(readConfig(env)).toMatchObject({
      window: { messages: 7, characters: 9_000, pageCharacters: 900 },
      digests: { livesMs: 1_000, documentDepth: 3 },
    });
  });

  test("maps every setting to its config field", () => {
    const config = readConfig({
      STONECHAT_HOST: "0.0.0.0",
      STONECHAT_PORT: "0",
      STONECHAT_TOKEN: token,
      STONECHAT_HOSTS: "Chat.Example.com, localhost:5173",
      STONECHAT_CORS_ORIGINS: "https://App.Example.com, http://localhost:5173",
      STONECHAT_DATABASE_URL: "postgres://me:secret@localhost/chat",
      STONECHAT_FALLBACKS: "a/b,c/d",
      OPENROUTER_AI_KEY: "or",
      ANTHROPIC_API_KEY: "an",
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
      STONECHAT_COMPATIBLE_URL: "http://localhost:11434/v1",
      STONECHAT_COMPATIBLE_MODELS: "llama, qwen",
      STONECHAT_MAX_COST_USD: "0.25",
      STONECHAT_MAX_SECONDS: "30",
      STONECHAT_SCRIPTED: "1",
      STONECHAT_FAILPOINT: "after-intent",
    });
    expect(config).toMatchObject({
      host: "0.0.0.0",
      port: 0,
      token,
      hosts: ["chat.example.com", "localhost:5173"],
      corsOrigins: ["https://app.example.com", "http://localhost:5173"],
      databaseUrl: "postgres://me:secret@localhost/chat",
      failpoint: "after-intent",
      limits: { costUsd: 0.25, seconds: 30 },
    });
    expect(config.models).toMatchObject({
      keys: { openrouter: "or", anthropic: "an" },
      baseUrls: { openai: "http://127.0.0.1:9/v1" },
      compatible: { baseUrl: "http://localhost:11434/v1", apiKey: undefined, models: ["llama", "qwen"] },
      fallbacks: ["a/b", "c/d"],
      timeouts: { idleMs: 60_000, totalMs: 30_000 },
      scripted: "directives",
    });
  });

  test("an empty variable counts as unset", () => {
    expect(readConfig({ STONECHAT_TOKEN: "", STONECHAT_PORT: " " })).toMatchObject({ token: null, port: 3737 });
  });

  test.each(["0.0.0.0", "::", "192.168.1.10", "chat.example.com"])(
    "starts with accounts on %s without a token",
    (host) => {
      expect(readConfig({ STONECHAT_HOST: host })).toMatchObject({ host, accounts: "on", models: { localUrls: {} } });
      expect(complain({ STONECHAT_HOST: host, STONECHAT_ACCOUNTS: "off" })).toContain("set STONECHAT_TOKEN");
      expect(readConfig({ STONECHAT_HOST: host, STONECHAT_TOKEN: token })).toMatchObject({ host, accounts: "auto" });
    },
  );

  test.each([
    { STONECHAT_PUBLIC_URL: "https://chat.example.com" },
    { STONECHAT_PUBLIC_URL: "http://192.168.1.10:3737" },
    { STONECHAT_HOSTS: "chat.example.com" },
    { STONECHAT_HOSTS: "localhost:5173,192.168.1.10:3737" },
  ])("starts with accounts with %j and no token, even on loopback", (env) => {
    expect(readConfig(env).accounts).toBe("on");
    const refused = /^STONECHAT_(PUBLIC_URL|HOSTS) makes this server public.*Remove STONECHAT_ACCOUNTS=off/;
    expect(complain({ ...env, STONECHAT_ACCOUNTS: "off" })).toMatch(refused);
    expect(readConfig({ ...env, STONECHAT_TOKEN: token }).accounts).toBe("auto");
  });

  test.each([
    { STONECHAT_PUBLIC_URL: "http://localhost:3737" },
    { STONECHAT_PUBLIC_URL: "http://[::1]:3737" },
    { STONECHAT_HOSTS: "localhost:5173,127.0.0.1:80,[::1]" },
  ])("starts with %j and no token", (env) => {
    expect(readConfig(env).accounts).toBe("auto");
  });

  test.each(["localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"])("starts on %s without a token", (host) => {
    expect(readConfig({ STONECHAT_HOST: host }).token).toBeNull();
  });

  test.each([
    ["STONECHAT_PORT", "abc"],
    ["STONECHAT_PORT", "65536"],
    ["STONECHAT_PORT", "-1"],
    ["STONECHAT_PORT", "1e3"],
    ["STONECHAT_HOST", "http://localhost"],
    ["STONECHAT_HOSTS", "https://chat.example.com"],
    ["STONECHAT_CORS_ORIGINS", "app.example.com"],
    ["STONECHAT_CORS_ORIGINS", "https://app.example.com/"],
    ["STONECHAT_CORS_ORIGINS", "*"],
    ["STONECHAT_LOG", "loud"],
    ["STONECHAT_MAX_STEPS", "0"],
    ["STONECHAT_MAX_COST_USD", "0"],
    ["STONECHAT_MAX_COST_USD", "1,5"],
    ["STONECHAT_SCRIPTED", "yes"],
    ["STONECHAT_COMPATIBLE_URL", "localhost:11434"],
    ["OPENAI_BASE_URL", "ftp://example.com"],
  ])("reports %s=%s in one line with the name and the value", (name, value) => {
    const message = complain({ [name]: value });
    expect(message.startsWith(`${name} must be`)).toBe(true);
    expect(message).toContain(JSON.stringify(value));
    expect(message).not.toContain("\n");
  });

  test.each([
    ["STONECHAT_TOKEN", "short-secret"],
    ["STONECHAT_TOKEN", "a long secret with spaces"],
    ["STONECHAT_DATABASE_URL", "mysql://root:hunter2@localhost/x"],
  ])("does not show the value of an invalid %s", (name, value) => {
    const message = complain({ [name]: value });
    expect(message.startsWith(`${name} must be`)).toBe(true);
    expect(message).not.toContain(value);
  });

  test.each([
    ["STONECHAT_TOKN", "STONECHAT_TOKEN"],
    ["STONECHAT_MAX_STEP", "STONECHAT_MAX_STEPS"],
    ["STONECHAT_DATABSE_URL", "STONECHAT_DATABASE_URL"],
    ["STONECHAT_LEASE", "STONECHAT_LEASE_MS"],
  ])("reports the unknown %s and suggests %s", (typo, meant) => {
    expect(complain({ [typo]: "1" })).toBe(`${typo} is not a setting. Did you mean ${meant}?`);
  });

  test("ignores the variables of the command line", () => {
    expect(complain({ STONECHAT_KEY: "sc_x", STONECHAT_URL: "https://chat.example.com" })).toBe("accepted");
  });

  test("ignores variables with other prefixes", () => {
    expect(complain({ HOME: "/", STONE: "1", STONECHAT_DEEP: "1" })).toBe("accepted");
  });

  test("allows private addresses per feature, and explains the new form if it gets the 0.1.0 form", () => {
    const text = "model=127.0.0.1:11434, searxng=search.lan:8080,scrape=10.0.0.0/8,mcp=[::1]:9,model=ollama";
    expect(readConfig({ STONECHAT_ALLOW_PRIVATE: text }).tools.allowPrivate).toEqual({
      model: ["127.0.0.1:11434", "ollama"],
      mcp: ["[::1]:9"],
      search: ["search.lan:8080"],
      scrape: ["10.0.0.0/8"],
      push: [],
    });
    const message = complain({ STONECHAT_ALLOW_PRIVATE: "127.0.0.1" });
    expect(message).toMatch(/^STONECHAT_ALLOW_PRIVATE must name the feature.*repeat it for each feature/);
  });

  test("reports a compatible key without an address", () => {
    expect(complain({ STONECHAT_COMPATIBLE_KEY: "k" })).toContain("without STONECHAT_COMPATIBLE_URL");
    expect(complain({ STONECHAT_COMPATIBLE_MODELS: "m" })).toContain("without STONECHAT_COMPATIBLE_URL");
  });
});
