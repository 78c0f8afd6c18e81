import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { toMarkdown, type Measure } from "./report.ts";

export type DocumentOptions = {
  readonly measures: readonly Measure[];
  /** The npm command; `bench` by default. */
  readonly command?: string;
  readonly args: readonly string[];
  /** The load average before the run, caused by other processes. */
  readonly loadBefore: number;
};

export const readLoad = (): number => loadavg()[0] ?? 0;

/** Writes the figures of a run into the document, between `<!-- place -->` and `<!-- /place -->`. */
export function writeDocs(file: string, place: string, told: DocumentOptions): void {
  const text = readFileSync(file, "utf8");
  const [begin, end] = [`<!-- ${place} -->`, `<!-- /${place} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no place "${place}".`);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n${toSection(told)}\n${text.slice(to)}`);
}

function toSection({ measures, command = "bench", args, loadBefore }: DocumentOptions): string {
  const day = new Date().toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const shown = args.filter((arg) => !arg.includes("/")).join(" ");
  return [
    `${day}, ${cpus().length} cores, ${process.platform}, Node ${process.versions.node}: \`npm run ${command} -- ${shown}\`. The load average`,
    `before the run, which is the work of others on the machine, was ${loadBefore.toFixed(1)}.`,
    "",
    toMarkdown(measures),
  ].join("\n");
}
