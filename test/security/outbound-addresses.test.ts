import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { NetError, type Fetch } from "../../server/net/fetch.ts";
import { forbiddenForms } from "./outbound-forms.ts";
import { openFixture, PUBLIC, PUBLIC6, type Fixture } from "./outbound-fixture.ts";

/**
 * No spelling, redirect or resolver leads to an address that is not public. What counts is the canary: TCP
 * connections, not answers.
 */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
beforeEach(() => fixture.reset());
afterAll(() => fixture.close());

/** Third-party lists of spellings, read from where they are installed. */
const sharedFile = fileURLToPath(new URL("../../../shared/data/hostile/ssrf-forms.json.gz", import.meta.url));
const isShared = existsSync(sharedFile);
const sharedForms = isShared ? (JSON.parse(gunzipSync(readFileSync(sharedFile)).toString("utf8")) as string[]) : [];

/** All names resolve to loopback, except the public ones. */
const resolve = (name: string): readonly string[] =>
  /^(public\.example|example\.com)$/.test(name) ? [PUBLIC] : ["127.0.0.1"];

/** The address behind a form, as a resolver could answer with it. */
const toAddress = (form: string): string => {
  const host = URL.canParse(form) ? new URL(form).hostname.replace(/^\[|\]$/g, "") : "";
  return isIP(host) ? host : "127.0.0.1";
};

const tell = async (fetch: Fetch, url: string): Promise<string> => {
  try {
    return `${(await fetch(url)).status}`;
  } catch (error) {
    if (error instanceof NetError) return error.code;
    throw error;
  }
};
const isRefused = (outcome: string): boolean => outcome === "blocked" || outcome === "bad-url";

test("there are at least sixty spellings, each once", () => {
  expect(new Set(forbiddenForms).size).toBe(forbiddenForms.length);
  expect(forbiddenForms.length).toBeGreaterThanOrEqual(60);
});

describe("no connection is made", () => {
  test("to a spelling that is requested", async () => {
    const fetch = fixture.createFetch(resolve);
    const passed: string[] = [];
    for (const form of forbiddenForms) if (!isRefused(await tell(fetch, form))) passed.push(form);
    expect(passed).toEqual([]);
    expect(fixture.dials).toEqual([]);
    expect(fixture.canary.connections).toBe(0);
  });

  test("to a spelling in a redirect", async () => {
    const fetch = fixture.createFetch(resolve);
    const statuses = [301, 302, 303, 307, 308];
    // On a page of http, `http:` without slashes is a path of the same host.
    const forms = forbiddenForms.filter((form) => !/^http:\/?[^/\\]/.test(form));
    let at = 0;
    fixture.serve = (_path, response) => {
      const location = Buffer.from(forms[at] ?? "").toString("latin1");
      response.writeHead(statuses[at % statuses.length] ?? 302, { location }).end();
    };
    const passed: string[] = [];
    for (; at < forms.length; at += 1)
      if (!isRefused(await tell(fetch, "http://public.example/go"))) passed.push(forms[at] ?? "");
    expect(passed).toEqual([]);
    expect(fixture.visits).toHaveLength(forms.length);
    expect(fixture.dials.filter(({ address }) => address !== PUBLIC)).toEqual([]);
    expect(fixture.canary.connections).toBe(0);
  });

  test("to a forbidden address that only the second lookup of a name returns", async () => {
    fixture.serve = (path, response) => {
      if (path === "/again") response.end("public");
      else response.writeHead(302, { location: "/again" }).end();
    };
    const passed: string[] = [];
    for (const form of forbiddenForms) {
      let asked = 0;
      const fetch = fixture.createFetch(() => (++asked === 1 ? [PUBLIC] : [toAddress(form)]));
      if ((await tell(fetch, "http://rebinding.example/")) !== "blocked" || asked !== 2) passed.push(form);
    }
    expect(passed).toEqual([]);
    expect(fixture.dials).toHaveLength(forbiddenForms.length);
    expect(fixture.dials.filter(({ address }) => address !== PUBLIC)).toEqual([]);
    expect(fixture.canary.connections).toBe(0);
  });

  test("to any of a name's addresses when one of them is forbidden", async () => {
    const passed: string[] = [];
    for (const form of forbiddenForms) {
      const bad = toAddress(form);
      for (const answers of [[bad], [PUBLIC, bad], [bad, PUBLIC], [PUBLIC6, PUBLIC, bad], [bad, PUBLIC6]])
        if (
          (await tell(
            fixture.createFetch(() => answers),
            "http://mixed.example/",
          )) !== "blocked"
        )
          passed.push(form);
    }
    expect(passed).toEqual([]);
    expect(fixture.lookups).toHaveLength(forbiddenForms.length * 5);
    expect(fixture.dials).toEqual([]);
  });

  test.each(["127.1", "0x7f.0.0.1", "fe80::1%lo", "::1%1", "[::1]", "localhost", "", "1.1.1.1:80", " 1.1.1.1"])(
    "when a resolver answers %j",
    async (answer) => {
      expect(
        await tell(
          fixture.createFetch(() => [PUBLIC, answer]),
          "http://odd.example/",
        ),
      ).toBe("blocked");
      expect(fixture.dials).toEqual([]);
    },
  );

  test("to this machine's host name, regardless of its address", async () => {
    expect(
      await tell(
        fixture.createFetch(() => [PUBLIC]),
        "http://localhost/",
      ),
    ).toBe("blocked");
    expect(fixture.lookups).toEqual([]);
  });

  test("while reading robots.txt", async () => {
    const fetch = fixture.createFetch(resolve);
    fixture.serve = (_path, response) =>
      response.writeHead(302, { location: "http://169.254.169.254/robots.txt" }).end();
    await expect(fetch("http://public.example/page", { robots: true })).rejects.toMatchObject({ code: "blocked" });
    await expect(fetch("http://inside.example/page", { robots: true })).rejects.toMatchObject({ code: "blocked" });
    expect(fixture.visits).toEqual(["public.example/robots.txt"]);
    expect(fixture.canary.connections).toBe(0);
  });

  test("through a proxy", async () => {
    const fetch = fixture.createFetch(resolve, { proxy: `http://${PUBLIC}:3128` });
    const passed: string[] = [];
    for (const form of forbiddenForms) if (!isRefused(await tell(fetch, form))) passed.push(form);
    expect(passed).toEqual([]);
    expect(fixture.dials).toEqual([]);
  });
});

describe("the controls", () => {
  test("a public name is reached at the address that was checked", async () => {
    fixture.serve = (_path, response) => response.end("public");
    expect(await tell(fixture.createFetch(resolve), "http://public.example/")).toBe("200");
    expect(fixture.dials).toEqual([{ address: PUBLIC, port: 80 }]);
    expect(fixture.visits).toEqual(["public.example/"]);
  });

  test("a name that the operator maps to loopback is reached", async () => {
    const fetch = fixture.createFetch(() => ["127.0.0.1"], { allowPrivate: ["inside.example"] });
    expect(await tell(fetch, "http://inside.example/")).toBe("200");
    expect(fixture.canary.connections).toBe(1);
    expect(await tell(fetch, "http://other.example/")).toBe("blocked");
    expect(fixture.canary.connections).toBe(1);
  });

  test("with everything allowed the same forms do reach the canary", async () => {
    const fetch = fixture.createFetch(resolve, { allowPrivate: ["0.0.0.0/0", "::/0"] });
    let reached = 0;
    const plain = forbiddenForms.filter((form) => !/^\s*https:/.test(form));
    for (const form of plain) if ((await tell(fetch, form)) === "200") reached += 1;
    expect(reached).toBeGreaterThanOrEqual(60);
    expect(fixture.canary.connections).toBe(reached);
  });
});

describe.skipIf(!isShared)("third-party spellings", () => {
  test("none of them leads to the canary, asked for or redirected to", async () => {
    const fetch = fixture.createFetch(resolve);
    let next = "";
    fixture.serve = (path, response) => {
      if (path !== "/go") response.end("public");
      else response.writeHead(302, { location: Buffer.from(next.replace(/[\r\n]/g, "")).toString("latin1") }).end();
    };
    const strange: string[] = [];
    for (next of sharedForms)
      for (const url of [next, "http://public.example/go"]) {
        const outcome = await tell(fetch, url);
        if (!isRefused(outcome) && outcome !== "200") strange.push(`${outcome} ${url} ${next}`);
      }
    expect(strange).toEqual([]);
    expect(fixture.visits.filter((visit) => visit === "public.example/go")).toHaveLength(sharedForms.length);
    expect(fixture.dials.filter(({ address }) => address !== PUBLIC)).toEqual([]);
    expect(fixture.canary.connections).toBe(0);
  });
});
