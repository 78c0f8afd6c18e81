import { RegExpParser, type AST } from "@eslint-community/regexpp";
import { toUnicodeSet, type ReadonlyFlags } from "regexp-ast-analysis";

/**
 * A regular expression as a nondeterministic automaton over character classes, for ambiguity analysis. Bounded
 * repetitions are shortened, assertions about one character are kept, longer lookarounds become branches.
 */
export type Automaton = {
  /** The characters that a state consumes, as atom numbers. State 0 is the search loop: a match may start anywhere. */
  readonly sets: readonly ReadonlySet<number>[];
  readonly edges: readonly (readonly Edge[])[];
  readonly accepts: readonly (readonly Edge[])[];
  readonly atoms: readonly Atom[];
  /** Something that cannot be modeled, so that the expression must be rewritten. */
  readonly problem?: string;
};

/** Leads from one consuming state to the next, if every condition holds between the two characters. */
export type Edge = { readonly to: number; readonly conditions: readonly Condition[] };
/** `undefined`: the start or the end of the text. */
export type Condition = (before: Atom | undefined, after: Atom | undefined) => boolean | "unknown";
export type Atom = { readonly sample: number; readonly classes: ReadonlySet<Ranges> };

type Ranges = readonly { readonly min: number; readonly max: number }[];
type Node = { set?: Ranges; condition?: Condition; isAccept?: boolean; readonly next: number[] };

/** Repetitions with a higher bound count as unbounded: a loop within one costs this much at every start. */
export const LONGEST_BOUND = 300;
/** The same for exponential time, where a few rounds are enough. */
export const FEW_ROUNDS = 8;
const MOST_PATHS = 20_000;

export const toAutomaton = (source: string, flags: string, longestBound: number): Automaton =>
  new Builder(source, flags, longestBound).toAutomaton();

/**
 * Alternatives outside every repetition cannot make each other ambiguous: each is judged separately, which keeps
 * automata small.
 */
export function toVariants(source: string, flags: string): readonly string[] {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  if (/\\(?:[1-9]|k<)/.test(source)) return [source];
  if (pattern.alternatives.length > 1) return pattern.alternatives.flatMap(({ raw }) => toVariants(raw, flags));
  const groups = (pattern.alternatives[0]?.elements ?? []).filter(
    (element) => element.type === "Group" || element.type === "CapturingGroup",
  );
  const [largest] = groups.toSorted((a, b) => b.alternatives.length - a.alternatives.length);
  if (!largest || largest.alternatives.length < 8) return [source];
  const [before, after] = [source.slice(0, largest.start), source.slice(largest.end)];
  return largest.alternatives.map(({ raw }) => `${before}(?:${raw})${after}`);
}

class Builder {
  readonly nodes: Node[] = [];
  readonly flags: ReadonlyFlags & { readonly multiline: boolean };
  readonly pattern: AST.Pattern;
  readonly #ranges = new Map<string, Ranges>();
  readonly #longestBound: number;
  readonly #largest: number;
  readonly #isSticky: boolean;
  problem: string | undefined;

  constructor(source: string, flags: string, longestBound: number) {
    this.#longestBound = longestBound;
    const unicode = flags.includes("u");
    const unicodeSets = flags.includes("v");
    this.pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode, unicodeSets });
    this.#largest = unicode || unicodeSets ? 0x10ffff : 0xffff;
    this.#isSticky = flags.includes("y");
    this.flags = {
      unicode,
      unicodeSets,
      ignoreCase: flags.includes("i"),
      dotAll: flags.includes("s"),
      multiline: flags.includes("m"),
    };
  }

  toAutomaton(): Automaton {
    const accept = this.#add({ isAccept: true });
    const start = this.#alternatives(this.pattern.alternatives, accept);
    // A sticky expression is tried at one position; its caller continues where it ended.
    const search = this.#add({ set: this.#classOf([{ min: 0, max: this.#largest }]) });
    this.#node(search).next.push(...(this.#isSticky ? [] : [search]), start);
    const consuming = this.nodes.flatMap((node, id) => (node.set ? [id] : [])).toSorted((a, b) => b - a);
    const place = new Map(consuming.map((id, at) => [id, at]));
    const atoms = toAtoms([...this.#ranges.values()]);
    const sets = consuming.map((id) => {
      const { set } = this.#node(id);
      return new Set(atoms.flatMap(({ classes }, at) => (set && classes.has(set) ? [at] : [])));
    });
    const paths = consuming.map((id) => this.#paths(id));
    return {
      sets,
      edges: paths.map((list) =>
        list.flatMap(({ node, conditions }) => {
          const to = place.get(node);
          return to === undefined ? [] : [{ to, conditions }];
        }),
      ),
      accepts: paths.map((list) => list.flatMap((path) => (path.node === accept ? [{ to: -1, ...path }] : []))),
      atoms,
      ...(this.problem === undefined ? {} : { problem: this.problem }),
    };
  }

  /** Simple paths without consumption to the next consuming nodes and to the end. */
  #paths(from: number): readonly { readonly node: number; readonly conditions: readonly Condition[] }[] {
    const found: { node: number; conditions: readonly Condition[] }[] = [];
    const visited = new Set<number>();
    const visit = (id: number, conditions: readonly Condition[]): void => {
      const node = this.#node(id);
      if (node.set || node.isAccept) {
        if (found.length < MOST_PATHS) found.push({ node: id, conditions });
        else this.problem = "too many alternatives without a character between them";
        return;
      }
      if (visited.has(id)) return;
      visited.add(id);
      const held = node.condition ? [...conditions, node.condition] : conditions;
      for (const next of node.next) visit(next, held);
      visited.delete(id);
    };
    for (const next of this.#node(from).next) visit(next, []);
    return found;
  }

  #node(id: number): Node {
    const node = this.nodes[id];
    if (!node) throw new Error(`no node ${id}`);
    return node;
  }

  #add(node: Omit<Node, "next">, ...next: number[]): number {
    return this.nodes.push({ ...node, next }) - 1;
  }

  #classOf(ranges: Ranges): Ranges {
    const key = ranges.map(({ min, max }) => `${min}-${max}`).join();
    const known = this.#ranges.get(key) ?? ranges;
    this.#ranges.set(key, known);
    return known;
  }

  #alternatives(list: readonly AST.Alternative[], next: number): number {
    const starts = list.map(({ elements }) =>
      elements.reduceRight((after, element) => this.#element(element, after), next),
    );
    return starts.length === 1 ? (starts[0] ?? next) : this.#add({}, ...starts);
  }

  /** Adds an element that continues at `next`; returns its start. */
  #element(element: AST.Element, next: number): number {
    switch (element.type) {
      case "Group":
      case "CapturingGroup":
        return this.#alternatives(element.alternatives, next);
      case "Quantifier":
        return this.#repeat(element, next);
      case "Assertion":
        return this.#assertion(element, next);
      case "Backreference":
        return this.#backreference(element, next);
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass": {
        const { chars, accept } = toUnicodeSet(element, this.flags);
        if (!accept.isEmpty) this.problem = "strings within a character class";
        return this.#add({ set: this.#classOf(chars.ranges) }, next);
      }
    }
  }

  /** Any text that its group accepts, or none. */
  #backreference({ resolved }: AST.Backreference, next: number): number {
    if (Array.isArray(resolved)) this.problem = "a backreference to several groups";
    else return this.#add({}, this.#alternatives((resolved as AST.CapturingGroup).alternatives, next), next);
    return next;
  }

  #repeat({ element, min, max }: AST.Quantifier, next: number): number {
    const isUnbounded = max > this.#longestBound;
    const least = Math.min(min, 2);
    const more = isUnbounded ? 0 : Math.min(max - min, min > 2 || max > 3 ? 1 + (least < 2 ? 1 : 0) : max - min);
    let after = next;
    if (isUnbounded) {
      const loop = this.#add({}, next);
      this.#node(loop).next.unshift(this.#element(element, loop));
      after = loop;
    }
    for (let n = 0; n < more; n++) after = this.#add({}, this.#element(element, after), next);
    for (let n = 0; n < least; n++) after = this.#element(element, after);
    return after;
  }

  #assertion(assertion: AST.Assertion, next: number): number {
    if (assertion.kind === "lookahead" || assertion.kind === "lookbehind") return this.#lookaround(assertion, next);
    if (assertion.kind !== "word") {
      const lines = this.#classOf(LINE_ENDS);
      const { multiline } = this.flags;
      const isEdge = (atom: Atom | undefined): boolean => !atom || (multiline && atom.classes.has(lines));
      const condition: Condition = (before, after) => isEdge(assertion.kind === "start" ? before : after);
      return this.#add({ condition }, next);
    }
    const word = this.#classOf(this.flags.unicode && this.flags.ignoreCase ? FOLDED_WORD : WORD);
    const isWord = (atom: Atom | undefined): boolean => atom?.classes.has(word) ?? false;
    const condition: Condition = (before, after) => (isWord(before) !== isWord(after)) !== assertion.negate;
    return this.#add({ condition }, next);
  }

  #lookaround(assertion: AST.LookaroundAssertion, next: number): number {
    const single = this.#single(assertion.alternatives);
    if (single) {
      const isAhead = assertion.kind === "lookahead";
      const condition: Condition = (before, after) => {
        const atom = isAhead ? after : before;
        const isMet = atom ? single.sets.some((set) => atom.classes.has(set)) : single.atEdge;
        return isMet !== assertion.negate;
      };
      return this.#add({ condition }, next);
    }
    const pass = this.#add({ condition: () => "unknown" }, next);
    const dead = this.#add({ condition: () => false });
    if (assertion.kind === "lookahead") return this.#add({}, this.#alternatives(assertion.alternatives, dead), pass);
    if (hasLoop(assertion.alternatives)) this.problem = "an unbounded repetition in a lookbehind";
    return pass;
  }

  /** A lookaround over exactly one character, or the edge of the text. */
  #single(
    list: readonly AST.Alternative[],
  ): { readonly sets: readonly Ranges[]; readonly atEdge: boolean } | undefined {
    const sets: Ranges[] = [];
    let atEdge = false;
    for (const { elements } of list) {
      const [element] = elements;
      if (elements.length !== 1 || !element) return undefined;
      if (element.type === "Group" || element.type === "CapturingGroup") {
        const inner = this.#single(element.alternatives);
        if (!inner) return undefined;
        sets.push(...inner.sets);
        atEdge ||= inner.atEdge;
      } else if (element.type === "Assertion" && (element.kind === "start" || element.kind === "end")) {
        atEdge = true;
        if (this.flags.multiline) sets.push(this.#classOf(LINE_ENDS));
      } else if (
        element.type === "Character" ||
        element.type === "CharacterSet" ||
        element.type === "CharacterClass" ||
        element.type === "ExpressionCharacterClass"
      ) {
        sets.push(this.#classOf(toUnicodeSet(element, this.flags).chars.ranges));
      } else return undefined;
    }
    return { sets, atEdge };
  }
}

const LINE_ENDS: Ranges = [
  { min: 0x0a, max: 0x0a },
  { min: 0x0d, max: 0x0d },
  { min: 0x2028, max: 0x2029 },
];
const WORD: Ranges = [
  { min: 0x30, max: 0x39 },
  { min: 0x41, max: 0x5a },
  { min: 0x5f, max: 0x5f },
  { min: 0x61, max: 0x7a },
];
/** With both flags, \w and \b also match the long s and the Kelvin sign. */
const FOLDED_WORD: Ranges = [...WORD, { min: 0x17f, max: 0x17f }, { min: 0x212a, max: 0x212a }];

function hasLoop(list: readonly AST.Alternative[]): boolean {
  return list.some(({ elements }) =>
    elements.some((element) => {
      if (element.type === "Quantifier") return element.max > LONGEST_BOUND || hasLoop([wrap(element.element)]);
      return "alternatives" in element && hasLoop(element.alternatives as readonly AST.Alternative[]);
    }),
  );
}

const wrap = (element: AST.Element): AST.Alternative => ({ elements: [element] }) as unknown as AST.Alternative;

/** Characters that every class treats alike, one atom each. */
function toAtoms(classes: readonly Ranges[]): readonly Atom[] {
  const borders = [...new Set(classes.flatMap((ranges) => ranges.flatMap(({ min, max }) => [min, max + 1])))].toSorted(
    (a, b) => a - b,
  );
  const cursors = classes.map(() => 0);
  const atoms = new Map<string, Atom>();
  for (const border of borders) {
    if (border > 0x10ffff) continue;
    const member: Ranges[] = [];
    let key = "";
    for (const [at, ranges] of classes.entries()) {
      let cursor = cursors[at] ?? 0;
      while (cursor < ranges.length && (ranges[cursor]?.max ?? 0) < border) cursor++;
      cursors[at] = cursor;
      const range = ranges[cursor];
      if (!range || range.min > border) continue;
      member.push(ranges);
      key += `${at},`;
    }
    if (key !== "" && !atoms.has(key)) atoms.set(key, { sample: border, classes: new Set(member) });
  }
  return [...atoms.values()];
}
