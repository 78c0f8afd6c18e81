import type { Box } from "./layout.ts";
import { createHints, hintNames } from "./hints.ts";

/** Kinds of ancestors of a run, by tag or role. */
export const areaNames = ["nav", "footer", "header", "aside", "article", "main", "ul", "dl", "pre"] as const;
type Area = (typeof areaNames)[number];
const hintsAt = areaNames.length;
const width = hintsAt + hintNames.length;

export type Surroundings = {
  /** Steps from a box outwards to the nearest of these, counting itself; Infinity if there is none. */
  readonly toArea: (box: Box, area: Area) => number;
  readonly toHint: (box: Box, hint: (typeof hintNames)[number]) => number;
};

/** Visits each box once, independent of the number of runs in it. */
export function createSurroundings(): Surroundings {
  const readHints = createHints();
  const known = new Map<Box, Int16Array>();
  /** The depth of the nearest box of each kind, or -1. */
  const findDepths = (box: Box): Int16Array => {
    const found = known.get(box);
    if (found !== undefined) return found;
    const depths = box.parent === undefined ? new Int16Array(width).fill(-1) : findDepths(box.parent).slice();
    known.set(box, depths);
    const area = areaNames.indexOf(toAreaName(box) as Area);
    if (area >= 0) depths[area] = box.depth;
    for (let hints = readHints(box), bit = 0; hints > 0; hints >>= 1, bit += 1)
      if ((hints & 1) === 1) depths[hintsAt + bit] = box.depth;
    return depths;
  };
  const toSteps = (box: Box, kind: number): number => {
    const depth = findDepths(box)[kind] ?? -1;
    return depth < 0 ? Infinity : box.depth - depth + 1;
  };
  return {
    toArea: (box, area) => toSteps(box, areaNames.indexOf(area)),
    toHint: (box, hint) => toSteps(box, hintsAt + hintNames.indexOf(hint)),
  };
}

const areaOfRole: Readonly<Record<string, string>> = {
  navigation: "nav",
  contentinfo: "footer",
  banner: "header",
  complementary: "aside",
  main: "main",
};

/** Roles count as the matching tag, and `ol` as `ul`. */
const toAreaName = ({ element, tag }: Box): string =>
  areaOfRole[element.attributes.get("role") ?? ""] ?? (tag === "ol" ? "ul" : tag);
