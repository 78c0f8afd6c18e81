import { createHash } from "node:crypto";
import { createRedactor } from "../../server/redact/redact.ts";

/** Values as people and providers choose them; made here, from a hash, so that every run has the same. */
const values: readonly string[] = [
  ...Array.from({ length: 20 }, (_, at) =>
    createHash("sha256")
      .update(`key ${at}`)
      .digest("base64url")
      .slice(0, 12 + 2 * at),
  ),
  "correct horse battery staple",
  "Tr0ub4dor&3",
  "p@ss/w+rd=?&%",
  'quo"ted\\back',
  "hunter2",
  "пароль-секрет",
  "wörter mit ümläuten",
  "plainword",
];

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");
const half = (text: string): number => Math.floor(text.length / 2);
/** Spellings of a known value in tool output. */
const spellings: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  percent: encodeURIComponent,
  json: (value) => JSON.stringify({ a: value }),
  "json in json": (value) => JSON.stringify(JSON.stringify({ a: value })),
  base64: toBase64,
  "basic authorization": (value) => `Authorization: Basic ${toBase64(`user:${value}`)}`,
  "base64 at the second place": (value) => toBase64(`ab${value}cd`),
  base64url: (value) => Buffer.from(`{"k":"${value}"}`).toString("base64url"),
  hexadecimal: (value) => Buffer.from(value).toString("hex"),
  "in a word": (value) => `xx${value}yy`,
  "in an address": (value) => `https://example.org/?q=1&k=${encodeURIComponent(value)}&z=2`,
};
/** Only for values long enough to be recognized when they are broken. */
const broken: Readonly<Record<string, (value: string) => string>> = {
  "over two lines": (value) => `${value.slice(0, half(value))}\n    ${value.slice(half(value))}`,
  "as two literals": (value) => `"${value.slice(0, half(value))}" + "${value.slice(half(value))}"`,
};

export function measureKnown(around: readonly string[]) {
  const redactor = createRedactor({
    salt: "known",
    known: values.map((value, at) => ({ name: `known-${at}`, value })),
  });
  const context = around.filter((text) => text.length > 200).slice(0, 50);
  let [gone, n] = [0, 0];
  for (const [at, value] of values.entries()) {
    const forms = value.replace(/\s/g, "").length >= 12 ? { ...spellings, ...broken } : spellings;
    for (const spell of Object.values(forms)) {
      const text = `${context[at % Math.max(1, context.length)]?.slice(0, 200) ?? ""} ${spell(value)} and so on.`;
      const stream = redactor.stream();
      const streamed = [...text].map((piece) => stream.push(piece)).join("") + stream.end();
      for (const left of [redactor.text(text).value, streamed]) {
        n += 1;
        if (!left.includes(spell(value)) && !left.includes(value)) gone += 1;
      }
    }
  }
  return { value: gone / n, n };
}
