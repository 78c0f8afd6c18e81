import fc from "../../test/support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

const redactor = createRedactor({ salt: "thread-1" });
const redact = (text: string): string => redactor.text(text).value;
const placeholder = /\[secret:[a-z-]+:[0-9a-f]{8}\]/;

describe("in a text, by name", () => {
  test.each([
    ["password = 'Wn7!rakete'", "Wn7!rakete"],
    ['"password":"Wn7rakete"', "Wn7rakete"],
    ['"password": "gurken"', "gurken"],
    ['{\\"clientSecret\\":\\"q8Zt0Lk2Vb\\"}', "q8Zt0Lk2Vb"],
    ["DB_PASSWORD=kartoffel", "kartoffel"],
    ["login --password Wn7!rakete --verbose", "Wn7!rakete"],
    ["the password is: Wn7!rakete", "Wn7!rakete"],
    ["Your password is Wn7!rakete9 now", "Wn7!rakete9"],
    ["<password>Wn7rakete</password>", "Wn7rakete"],
    ['<add key="Password" value="Wn7rakete" />', "Wn7rakete"],
    ["CREATE USER x IDENTIFIED BY 'Wn7rakete';", "Wn7rakete"],
    ['client.setPassword("Wn7rakete")', "Wn7rakete"],
    ['password: string = "Wn7rakete"', "Wn7rakete"],
    ["api_key: q8Zt0Lk2VbWm4Xc6", "q8Zt0Lk2VbWm4Xc6"],
    ["API Key: q8Zt0Lk2VbWm4Xc6", "q8Zt0Lk2VbWm4Xc6"],
    ["secret = [18, 240, 3, 99, 201, 7, 66, 150, 12, 5]", "18, 240, 3, 99, 201, 7, 66, 150, 12, 5"],
    ["X-Api-Key: 5f2d9c7e1b3a4860", "5f2d9c7e1b3a4860"],
    ["Authorization: Bearer q8Zt0Lk2VbWm4Xc6", "q8Zt0Lk2VbWm4Xc6"],
    ["Set-Cookie: sid=q8Zt0Lk2VbWm; Path=/", "q8Zt0Lk2VbWm"],
    ["https://example.org/a?x=1&access_token=q8Zt0Lk2VbWm4&y=2", "q8Zt0Lk2VbWm4"],
    ["Server=db;User Id=sa;Password=Wn7rakete;Timeout=3", "Wn7rakete"],
    ["postgres://app:Wn7rakete@db.example.org/app", "Wn7rakete"],
    ["curl -u admin:Wn7rakete https://example.org", "Wn7rakete"],
    ["mysql -u root -pWn7rakete shop", "Wn7rakete"],
    ["비밀번호: Wn7!rakete", "Wn7!rakete"],
  ])("%s", (text, secret) => {
    const { value, found } = redactor.text(text);
    expect(value).not.toContain(secret);
    expect(value).toMatch(placeholder);
    expect(found.some((one) => one.secret.includes(secret))).toBe(true);
  });
});

describe("in a text, by shape", () => {
  const body = "q8Zt0Lk2VbWm4Xc6RyTu1Io9PaSd7Fg3Hj5";
  test.each([
    `ghp_${body}`,
    `sk-ant-api03-${body}`,
    `sk-or-v1-${"5f2d9c7e1b3a4860".repeat(4)}`,
    `xoxb-263594206564-${body}`,
    `AKIAQ8ZT0LK2VBWM4XC6`,
    `AIza${body}`,
    `glpat-${body}`,
    `sc_${body}_-8Zt0Lk`,
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${body}`,
    `xprv9s21ZrQH143K${"3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuG".slice(0, 95)}`,
    `lnbc2500u1${"qqqsyqcyq5rqwzqf".repeat(8)}`,
    `AGE-SECRET-KEY-1${"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".repeat(2).slice(0, 58)}`,
    body,
  ])("%s", (secret) => {
    expect(redact(`It is ${secret}, see there.`)).toMatch(/^It is \[secret:[a-z-]+:[0-9a-f]{8}\], see there\.$/);
  });

  test("redacts a private key as a whole, even without its end", () => {
    const lines = Array.from({ length: 6 }, (_, at) => Buffer.alloc(48, `line ${at} of the key`).toString("base64"));
    const key = `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n`;
    const whole = redact(`before\n${key}-----END PRIVATE KEY-----\nafter`);
    expect(whole).toMatch(/^before\n\[secret:private-key:[0-9a-f]{8}\]\nafter$/);
    const cut = redact(`before\n${key}`);
    for (const line of lines) expect(cut).not.toContain(line);
  });

  test("redacts a recovery phrase as a whole", () => {
    const phrase = "abandon ability able about above absent absorb abstract absurd abuse access accident";
    expect(redact(`seed phrase: ${phrase}`)).not.toContain("absorb");
    expect(redact("The seed phrase was lost and they could not open the wallet again after that day")).toContain(
      "wallet",
    );
  });

  test("finds secrets in base64", () => {
    const hidden = Buffer.from('{"user":"eva","password":"Wn7!rakete"}').toString("base64");
    expect(redact(`data: ${hidden}`)).not.toContain(hidden);
    const harmless = Buffer.from('{"user":"eva","colour":"dark green, with dots"}').toString("base64");
    expect(redact(`data: ${harmless}`)).toContain(harmless);
  });

  test("finds a key despite terminal colors", () => {
    expect(redact(`\u001b[93msk-ant-api03-${body}\u001b[0m`)).not.toContain(body);
  });
});

test("finds a recognized value again where nothing marks it", () => {
  expect(redact("password=Wn7!rakete\nthen type Wn7!rakete twice")).not.toContain("Wn7!rakete");
});

test.each([
  "const token = await getToken(user);",
  "password: string;",
  "if (password === undefined) throw new Error(message);",
  "max_tokens: 4096, token_count=812, stop_token='</s>'",
  "The password must have at least 8 characters.",
  "Press the key Ctrl+C. The secretary keeps the keys.",
  "export API_KEY=${API_KEY} TOKEN=<your-token> PASSWORD=******",
  "commit 3f786850e387550fdab836ed7e6dc881de23001b",
  "id: 0190d6a2-7c3e-7b5a-9f10-2c4d6e8fa1b3",
  '"integrity": "sha512-gHEU+Lx8DlT/FYIjZQvvBJrFSwUngXTjh7FeL9QvJaNALDLez6pgDj2axCUihBjtPBy82LN0gNb25+sTcSXz=="',
  '"tool_call_id": "toolu_01A8pEqifk2HVQfq1ZDNP6iY"',
  "https://www.youtube.com/watch?v=dQw4w9WgXcQ and doi: 10.1007/s12035-023-03563-w.",
  "see https://docs.example.org/guide/authentication#tokens",
  "nextPageToken: CAUQAA",
])("redacts nothing in: %s", (text) => {
  expect(redactor.text(text)).toEqual({ value: text, found: [] });
});

describe("in a value", () => {
  test("recognizes fields by name, at any depth and in lists", () => {
    const input = {
      user: "eva",
      a: [{ clientSecret: "gurken", "set-cookie": ["sid=1"], note: "hello" }],
      login: { password: 4711, passwd: "kartoffel" },
      credentials: { type: "basic", value: "q8Zt0Lk2Vb" },
    };
    const { value, found } = redactor.value(input);
    expect(value).toEqual({
      user: "eva",
      a: [
        {
          clientSecret: expect.stringMatching(placeholder),
          "set-cookie": [expect.stringMatching(placeholder)],
          note: "hello",
        },
      ],
      login: { password: expect.stringMatching(placeholder), passwd: expect.stringMatching(placeholder) },
      credentials: { type: "basic", value: expect.stringMatching(placeholder) },
    });
    expect(found.map(({ secret }) => secret).toSorted()).toEqual([
      "4711",
      "gurken",
      "kartoffel",
      "q8Zt0Lk2Vb",
      "sid=1",
    ]);
    expect(found.find(({ secret }) => secret === "sid=1")?.where).toEqual({
      path: ["a", 0, "set-cookie", 0],
      offset: 0,
    });
  });

  test("ignores similar names and non-values", () => {
    const input = {
      token_count: 12,
      max_tokens: 99,
      passwordless: "yes, always",
      secretary: "Mrs Gray",
      author: "Ann",
      password: null,
      token: "",
      secret: true,
      apiKey: "<your key>",
      invoice: { number: 7, total: "12.50" },
    };
    expect(redactor.value(input)).toEqual({ value: input, found: [] });
  });

  test("redacts a value found in one field in all fields", () => {
    const { value } = redactor.value({ password: "Wn7!rakete", log: ["tried Wn7!rakete", { again: "Wn7!rakete" }] });
    expect(JSON.stringify(value)).not.toContain("rakete");
  });

  test("reports the position of the placeholder", () => {
    const { value, found } = redactor.value({ list: ["ok", "the password is: Wn7!rakete, yes"] });
    const [one] = found;
    expect(one?.where.path).toEqual(["list", 1]);
    const text = (value as { readonly list: readonly string[] }).list[1] ?? "";
    expect(text.slice(one?.where.offset).startsWith(one?.placeholder ?? "-")).toBe(true);
  });

  test("handles depth, cycles and unusual keys", () => {
    let deep: unknown = { password: "gurken" };
    for (let at = 0; at < 20_000; at += 1) deep = [deep];
    expect(redactor.value(deep).found).toHaveLength(1);
    const circle: Record<string, unknown> = { token: "q8Zt0Lk2Vb" };
    circle["self"] = circle;
    expect(redactor.value(circle).found).toHaveLength(1);
    const { value } = redactor.value(JSON.parse('{"__proto__":{"password":"gurken"}}'));
    expect(JSON.stringify(value)).not.toContain("gurken");
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("placeholders", () => {
  test("are the same for the same value in a thread, however it was found, and differ between threads", () => {
    const [inText, inField] = [redactor.text("password=Wn7!rakete"), redactor.value({ token: "Wn7!rakete" })];
    expect(inText.found[0]?.placeholder).toBe(inField.found[0]?.placeholder);
    const other = createRedactor({ salt: "thread-2" }).text("password=Wn7!rakete");
    expect(other.found[0]?.placeholder).not.toBe(inText.found[0]?.placeholder);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      "password=",
      "token: ",
      '"secret":"',
      "-----BEGIN PRIVATE KEY-----\n",
      "Bearer ",
      "\n",
      " ",
      '"',
      "[secret:token:1234abcd]",
      "://a:",
      "@",
    ),
    fc.string({ maxLength: 12 }),
    fc.stringMatching(/^[A-Za-z0-9]{20,40}$/),
    fc.base64String({ minLength: 20, maxLength: 80 }),
  );
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

  test("redacting twice changes nothing", () => {
    let redacted = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const once = redactor.text(text);
        redacted += once.found.length;
        expect(redactor.text(once.value)).toEqual({ value: once.value, found: [] });
        const value = redactor.value({ text, list: [text], password: text });
        expect(redactor.value(value.value)).toEqual({ value: value.value, found: [] });
      }),
      { numRuns: 1_000 },
    );
    expect(redacted).toBeGreaterThan(300);
  });

  test("leaves no secret that a placeholder joins together", () => {
    const token = "q8Zt0Lk2VbWm4Xc6RyTu1Io9PaSd7Fg3Hj5";
    const text = `-----BEGIN PRIVATE KEY-----\ntoken: ${token}${token} and ${token}more`;
    const once = redactor.text(text);
    expect(redactor.text(once.value)).toEqual({ value: once.value, found: [] });
  });

  test("restores the text from the placeholders", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { value, found } = redactor.text(text);
        const back = found.toReversed().reduce((left, { placeholder: mark, secret, where }) => {
          expect(left.startsWith(mark, where.offset)).toBe(true);
          return left.slice(0, where.offset) + secret + left.slice(where.offset + mark.length);
        }, value);
        expect(back).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

test("redacts personal data only if enabled", () => {
  const text = "Write to eva@example.org, card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00.";
  expect(redact(text)).toBe(text);
  const { value, found } = createRedactor({ salt: "s", personalData: true }).text(text);
  expect(found.map(({ kind }) => kind)).toEqual(["email", "card", "iban"]);
  expect(value).toMatch(/^Write to \[secret:email:\w{8}\], card \[secret:card:\w{8}\], IBAN \[secret:iban:\w{8}\]\.$/);
});

/** Each must finish within the test's time limit, which a backtracking pattern would exceed by far. */
test.each([
  "a",
  "password=",
  'password="',
  "password of x is ",
  "eyJ-",
  "eyJhbGciOiJIUzI1NiJ9.",
  "-----BEGIN PRIVATE KEY-----\n",
  "MIIEIBAA",
  "seed abc ",
  "http://a:",
  "curl -u a",
  "cookie: a=bbbbbbb;",
  "<password ",
  "secret = [12, ",
  "\\",
  "[secret:",
  "a1B2c3D4e5F6g7H8i9J0/",
  "密码",
])("finishes on a hostile text of a megabyte: %s", (piece) => {
  const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
  expect(redact(text).length).toBeGreaterThan(0);
});

test("redacts long texts in a worker thread, with the same result", async () => {
  const known = [{ name: "ours", value: "opal-4711" }];
  const redactor = createRedactor({ known, salt: "a thread" });
  const line = "password: hunter22x! and opal-4711, then granite.\n";
  for (const times of [1, 2000]) {
    const text = line.repeat(times);
    expect(await redactor.inWorker.text(text)).toEqual(redactor.text(text));
    const value = { lines: [text, line], token: "t0ken-Abc-99x" };
    expect(await redactor.inWorker.value(value)).toEqual(redactor.value(value));
  }
});
