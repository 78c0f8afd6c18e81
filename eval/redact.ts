import { createRedactor } from "../server/redact/redact.ts";
import { createReport } from "./report.ts";
import { readAirline, readPages, readSecrets, readSession, type SecretFile } from "./redact/benign-and-secret.ts";
import { countSplitLeaks } from "./redact/split.ts";
import { measureKnown } from "./redact/known-values.ts";
import { createSecretlint } from "./redact/secretlint.ts";

/**
 * `npm run eval:redact`: the share of secret values that are gone, false redactions in harmless text, leaks at the borders of
 * pieces, known values in every spelling, and speed; secretlint's recommended preset on the same files for comparison.
 */
const report = createReport({
  "redact.recall": { atLeast: 0.85 },
  "redact.false-per-mchar": { atMost: 20 },
  "redact.known": { atLeast: 1 },
  "redact.split-leaks": { atMost: 0 },
  "redact.mb-per-s": { atLeast: 20 },
});
const redactor = createRedactor({ salt: "evaluation" });
const redactText = (text: string): string => redactor.text(text).value;
const redactStream = (text: string): string => {
  const stream = redactor.stream();
  return stream.push(text) + stream.end();
};

const files = readSecrets(report.find("secrets/positives.json.gz"));
const benign: Readonly<Record<string, readonly string[]>> = {
  session: readSession(report.find("sessions/large-session.jsonl.gz")),
  airline: readAirline(report.find("tau-airline/runs.json.gz")),
  pages: readPages(report.find("pages")),
};
const harmless = Object.values(benign).flat();

if (report.wants("redact.recall") && files.length > 0) {
  await measureRecall("redact.recall", redactText);
  await measureRecall("redact.recall.stream", redactStream);
  const secretlint = await createSecretlint();
  await measureRecall("redact.recall.secretlint", secretlint.mask);
}
if (report.wants("redact.false") && harmless.length > 0) {
  measureFalse("redact.false-per-mchar", harmless);
  for (const [name, texts] of Object.entries(benign)) measureFalse(`redact.false-per-mchar.${name}`, texts);
}
if (report.wants("redact.known")) report.add({ id: "redact.known", unit: "share", ...measureKnown(harmless) });
if (report.wants("redact.split-leaks") && files.length > 0)
  report.add({ id: "redact.split-leaks", unit: "leaks", ...countSplitLeaks(redactor, files) });
if (report.wants("redact.mb-per-s") && harmless.length > 0) measureSpeed();
report.print();

/** The halves are the files with an even and an odd first byte of their hash: rules were written while looking at the even ones only. */
async function measureRecall(id: string, redact: (text: string) => string | Promise<string>): Promise<void> {
  const whole = await countGone(files, redact);
  const halves = [
    await countGone(
      files.filter((file) => file.isSeen),
      redact,
    ),
    await countGone(
      files.filter((file) => !file.isSeen),
      redact,
    ),
  ];
  const shares = halves.filter(({ all }) => all > 0).map(({ gone, all }) => gone / all);
  report.add({
    id,
    value: whole.gone / whole.all,
    unit: "share",
    low: Math.min(...shares),
    high: Math.max(...shares),
    n: whole.all,
  });
  report.add({ id: `${id}.halves`, value: whole.halves / whole.all, unit: "share", n: whole.all });
  for (const [at, name] of ["seen", "unseen"].entries()) {
    const half = halves[at];
    if (half && half.all > 0)
      report.add({ id: `${id}.${name}`, value: half.gone / half.all, unit: "share", n: half.all });
  }
}

async function countGone(some: readonly SecretFile[], redact: (text: string) => string | Promise<string>) {
  let [gone, all, halves] = [0, 0, 0];
  for (const { text, secrets } of some) {
    const left = await redact(text);
    all += secrets.length;
    const absent = secrets.filter((secret) => !left.includes(secret));
    gone += absent.length;
    halves += absent.filter((secret) => !toHalves(secret).some((half) => left.includes(half))).length;
  }
  return { gone, all, halves };
}

/** A secret of which half is left is not gone; the halves of a short one may stand anywhere. */
function toHalves(secret: string): readonly string[] {
  const middle = Math.floor(secret.length / 2);
  return middle < 8 ? [] : [secret.slice(0, middle), secret.slice(middle)];
}

function measureFalse(id: string, texts: readonly string[]): void {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const count = texts.reduce((sum, text) => sum + redactor.text(text).found.length, 0);
  if (length > 0) report.add({ id, value: (count / length) * 1e6, unit: "per Mchar", n: length });
}

function measureSpeed(): void {
  const bytes = harmless.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  for (const [id, redact] of [
    ["redact.mb-per-s", redactText],
    ["redact.mb-per-s.stream", redactStream],
  ] as const) {
    const rates = Array.from({ length: 6 }, () => {
      const startedAt = performance.now();
      for (const text of harmless) redact(text);
      return bytes / 1e3 / (performance.now() - startedAt);
    })
      .slice(1)
      .toSorted((a, b) => a - b);
    report.add({
      id,
      value: rates[2] ?? 0,
      unit: "MB/s",
      low: rates[0] ?? 0,
      high: rates.at(-1) ?? 0,
      n: rates.length,
    });
  }
}
