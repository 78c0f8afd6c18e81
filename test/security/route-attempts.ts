import fc from "../support/fast-check.ts";
import type { z } from "zod";
import { api, limits } from "../../protocol/api.ts";
import { routes, type RouteName } from "../../protocol/routes.ts";
import { accepted, hostileValue } from "./arbitrary-input.ts";
import { origin } from "./test-app.ts";

const json = "application/json";

/** A request to a route, meant well or spoilt in one place. `kind` says which. */
export type Attempt = {
  readonly kind: string;
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
};

export function attempts(name: RouteName): fc.Arbitrary<Attempt> {
  const schemas: { params: z.ZodObject; query: z.ZodObject; body: z.ZodObject | null } = api[name];
  const params = accepted(schemas.params);
  const query = accepted(schemas.query);
  const body: fc.Arbitrary<Record<string, unknown>> = schemas.body === null ? fc.constant({}) : accepted(schemas.body);
  const good = fc.record({ params, query, body: body.map((value) => JSON.stringify(value)), type: fc.constant(json) });
  const alter = (change: fc.Arbitrary<Partial<Attempt>>, kind: string) =>
    fc.tuple(good, change).map(([attempt, changed]): Attempt => ({ ...attempt, ...changed, kind }));
  const inAddress = [
    {
      weight: 3,
      arbitrary: alter(
        spoil(params).map((value) => ({ params: value })),
        "params",
      ),
    },
    {
      weight: 3,
      arbitrary: alter(
        spoil(query).map((value) => ({ query: value })),
        "query",
      ),
    },
  ].filter((_, at) => Object.keys([schemas.params, schemas.query][at]?.shape ?? {}).length > 0);
  const inBody = [
    {
      weight: 6,
      arbitrary: alter(
        spoil(body).map((value) => ({ body: toJsonText(value) })),
        "body field",
      ),
    },
    {
      weight: 3,
      arbitrary: alter(
        rawBody.map((value) => ({ body: value })),
        "raw body",
      ),
    },
    {
      weight: 1,
      arbitrary: alter(
        hugeBody.map((value) => ({ body: value })),
        "huge body",
      ),
    },
    {
      weight: 2,
      arbitrary: alter(
        contentType.map((value) => ({ type: value })),
        "type",
      ),
    },
  ].filter(() => routes[name].method !== "GET");
  const asMeant = { weight: 3, arbitrary: good.map((attempt) => ({ ...attempt, kind: "good" })) };
  return fc.oneof(asMeant, ...inAddress, ...inBody);
}

/** A good value with one field dropped, replaced or added. */
const spoil = (value: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(value, hostileValue, fc.nat(), fc.constantFrom("drop", "replace", "add"))
    .map(([fields, hostile, at, how]) => {
      const keys = Object.keys(fields);
      const key = keys[at % Math.max(1, keys.length)] ?? "nothing";
      if (how === "add") return { ...fields, [typeof hostile === "string" ? hostile : "more"]: hostile };
      if (how === "replace") return { ...fields, [key]: hostile };
      const { [key]: _, ...rest } = fields;
      return rest;
    });

/** Numbers that JSON can say and JavaScript cannot hold are put in by hand. */
const toJsonText = (value: unknown): string => JSON.stringify(value).replace("1e+308", "1e999");

const rawBody: fc.Arbitrary<string | Uint8Array<ArrayBuffer>> = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "null",
    "[]",
    "1",
    '"text"',
    "{",
    "{}}",
    "{'a':1}",
    '{"a":1,}',
    "NaN",
    "\ufeff{}",
    "\u0000",
    "a=b&c=d",
  ),
  fc.string({ maxLength: 200 }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes)),
  fc
    .constantFrom([0xff, 0xfe, 0x7b, 0x00], [0x7b, 0x22, 0xc3, 0x28, 0x22], [0xed, 0xa0, 0x80])
    .map((bytes) => Uint8Array.from(bytes)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);

const hugeBody: fc.Arbitrary<string> = fc.constantFrom(
  `{"id":"a","text":"${"x".repeat(limits.bodyBytes)}"}`,
  `{"id":"a","text":"${"x".repeat(limits.messageCharacters + 1)}"}`,
  `{"id":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
  `{"id":"a","n":${"9".repeat(100_000)}}`,
  `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join(",")}}`,
  `{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}},"id":"a"}`,
);

const contentType = fc.oneof(
  fc.constantFrom(
    "",
    "text/plain",
    "application/json; charset=utf-16",
    "application/jsonp",
    "application/json, text/html",
    "*/*",
  ),
  fc.stringMatching(/^[a-z/;=. -]{0,40}$/),
);

export function toHttp(name: RouteName, { params, query, body, type }: Attempt): Request {
  const { method, path } = routes[name];
  const url = origin + path.replace(/:(\w+)/g, (_, key: string) => toPathStep(params[key]));
  const entries = Object.entries(query).map(([key, value]): [string, string] => [toText(key), toText(value)]);
  const search = new URLSearchParams(entries).toString();
  return new Request(search ? `${url}?${search}` : url, {
    method,
    headers: method === "GET" ? {} : { "content-type": type },
    ...(method === "GET" ? {} : { body }),
  });
}

const toText = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined")).toWellFormed();
const toPathStep = (value: unknown): string => encodeURIComponent(toText(value)) || "%20";
