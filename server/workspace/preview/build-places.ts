/** Per line of the compiled text: [column, source, line, column of the source], all from 0. */
type BuildFolders = {
  readonly sources: readonly string[];
  readonly lines: Readonly<Record<number, readonly (readonly [number, number, number, number])[]>>;
};

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const valueOf = new Map([...digits].map((digit, value) => [digit, value]));
const PREFIX = /^(?:.*\/)?workspace:/;

/** The mappings of a source map for files of the workspace, without packages. */
export function toBuildFolders(mapText: string, linesBefore: number): BuildFolders {
  const map = JSON.parse(mapText) as { readonly sources: readonly string[]; readonly mappings: string };
  const kept = map.sources.map((source) => PREFIX.test(source));
  const lines: Record<number, [number, number, number, number][]> = {};
  let [source, line, column] = [0, 0, 0];
  for (const [index, group] of map.mappings.split(";").entries()) {
    let at = 0;
    for (const segment of group === "" ? [] : group.split(",")) {
      const [step = 0, sourceStep, lineStep = 0, columnStep = 0] = decode(segment);
      at += step;
      if (sourceStep === undefined) continue;
      source += sourceStep;
      line += lineStep;
      column += columnStep;
      if (kept[source]) (lines[index + linesBefore] ??= []).push([at, source, line, column]);
    }
  }
  return { sources: map.sources.map((name, index) => (kept[index] ? name.replace(PREFIX, "") : "")), lines };
}

/** Base64 VLQ: five bits per digit, the sixth marks continuation, the lowest bit of the value is the sign. */
function decode(segment: string): readonly number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = valueOf.get(digit) ?? 0;
    value += (bits & 31) * 2 ** shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value % 2 === 1 ? -((value - 1) / 2) : value / 2);
    [value, shift] = [0, 0];
  }
  return numbers;
}
