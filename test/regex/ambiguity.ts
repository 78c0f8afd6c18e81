import {
  FEW_ROUNDS,
  LONGEST_BOUND,
  toAutomaton,
  toVariants,
  type Atom,
  type Automaton,
  type Edge,
} from "./automaton.ts";

/** Why a backtracking engine may need more than linear time for this expression; undefined: linear. */
export type Verdict = { readonly kind: "exponential" | "polynomial" | "unsupported"; readonly detail: string };

const MOST_STATES = 300_000;
const MOST_SUBSETS = 3000;

/**
 * Exponential: a state has two paths back to itself for the same text. Polynomial: two different loops, one reachable
 * from the other, both repeat the same text, and the second one can still fail afterwards. Without an anchor, the
 * search itself is the first loop. `isShort`: the input is short, so only exponential time matters.
 */
export function judge(source: string, flags: string, { isShort = false } = {}): Verdict | undefined {
  for (const variant of toVariants(source, flags)) {
    const verdict = judgeOne(variant, flags, isShort);
    if (verdict) return verdict;
  }
  return undefined;
}

function judgeOne(source: string, flags: string, isShort: boolean): Verdict | undefined {
  try {
    const exponential = toWalker(source, flags, FEW_ROUNDS).findExponential();
    return exponential ?? (isShort ? undefined : toWalker(source, flags, LONGEST_BOUND).findPolynomial());
  } catch (error) {
    if (error instanceof UnsupportedError) return { kind: "unsupported", detail: error.message };
    throw error;
  }
}

function toWalker(source: string, flags: string, longestBound: number): Walker {
  const automaton = toAutomaton(source, flags, longestBound);
  if (automaton.problem !== undefined) throw new UnsupportedError(automaton.problem);
  return new Walker(automaton);
}

class UnsupportedError extends Error {}

class Walker {
  readonly #automaton: Automaton;
  readonly #steps = new Map<number, readonly number[]>();
  readonly #size: number;
  readonly #width: number;
  #left = MOST_STATES;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    this.#size = automaton.sets.length;
    this.#width = automaton.atoms.length;
  }

  /** Targets after consuming atom `b` when `a` was consumed before; a target may appear more than once. */
  #step(state: number, a: number, b: number): readonly number[] {
    const key = (state * this.#width + a) * this.#width + b;
    const known = this.#steps.get(key);
    if (known) return known;
    const { edges, sets, atoms } = this.#automaton;
    const targets = (edges[state] ?? [])
      .filter(({ to, conditions }) => sets[to]?.has(b) && holds({ to, conditions }, atoms[a], atoms[b]))
      .map(({ to }) => to);
    this.#steps.set(key, targets);
    return targets;
  }

  /**
   * Without states where the match may end regardless of what follows: backtracking to one, the engine ends with a
   * match.
   */
  #failingStep(state: number, a: number, b: number): readonly number[] {
    const { accepts } = this.#automaton;
    return this.#step(state, a, b).filter(
      (target) => !(accepts[target] ?? []).some(({ conditions }) => conditions.length === 0),
    );
  }

  #spend(): void {
    if ((this.#left -= 1) < 0) throw new UnsupportedError("too large to analyse");
  }

  #describe(...atoms: readonly number[]): string {
    const text = atoms.map((atom) => String.fromCodePoint(this.#automaton.atoms[atom]?.sample ?? 0)).join("");
    return JSON.stringify(text);
  }

  findExponential(): Verdict | undefined {
    // Strongly connected components of pairs of states that read the same text.
    const graph = new Components((key) => this.#pairSteps(key));
    for (let state = 1; state < this.#size; state++)
      for (const atom of this.#automaton.sets[state] ?? []) graph.visit(this.#pair(state, state, atom));
    for (const component of graph.list) {
      const isDiagonal = (key: number): boolean => this.#left1(key) === this.#left2(key);
      const same = component.find(isDiagonal);
      if (same === undefined) continue;
      const other = component.find((key) => !isDiagonal(key));
      const inside = new Set(component);
      const twice =
        other === undefined &&
        component.find(
          (key) =>
            isDiagonal(key) &&
            this.#pairSteps(key).some(
              (next, at, all) => inside.has(next) && isDiagonal(next) && all.indexOf(next) !== at,
            ),
        );
      if (other === undefined && (twice === undefined || twice === false)) continue;
      const chars = component.slice(0, 12).map((key) => key % this.#width);
      return { kind: "exponential", detail: `pump near ${this.#describe(...chars)}` };
    }
    return undefined;
  }

  #pair(one: number, two: number, atom: number): number {
    return (one * this.#size + two) * this.#width + atom;
  }
  #left1(key: number): number {
    return Math.floor(key / this.#width / this.#size);
  }
  #left2(key: number): number {
    return Math.floor(key / this.#width) % this.#size;
  }

  #pairSteps(key: number): readonly number[] {
    this.#spend();
    const [one, two, a] = [this.#left1(key), this.#left2(key), key % this.#width];
    const next: number[] = [];
    for (let b = 0; b < this.#width; b++) {
      const first = this.#failingStep(one, a, b);
      if (first.length === 0) continue;
      const second = one === two ? first : this.#failingStep(two, a, b);
      // On the diagonal, a repeated target is a second path for the same text.
      for (const [at, x] of first.entries())
        for (const [from, y] of second.entries()) if (one !== two || at <= from) next.push(this.#pair(x, y, b));
    }
    return next;
  }

  findPolynomial(): Verdict | undefined {
    const everything = Array.from({ length: this.#size }, (_, state) => state);
    const reached = everything.map((state) => this.#reach(state, new Set()));
    const loops = everything.filter((state) => reached[state]?.has(state));
    const cuts = this.#cutLoops(loops.filter((state) => state !== 0));
    for (const q of cuts)
      for (const p of loops) {
        if (p === q || (p !== 0 && !reached[p]?.has(q))) continue;
        const shared = [...(this.#automaton.sets[p] ?? [])].filter((atom) => this.#automaton.sets[q]?.has(atom));
        for (const atom of shared) {
          const pump = this.#findPump(p, q, atom);
          if (pump && this.#canFail(q, atom))
            return {
              kind: "polynomial",
              detail: `${p === 0 ? "search" : "loop"} and loop both repeat ${this.#describe(...pump)}`,
            };
        }
      }
    return undefined;
  }

  /** States reachable from one without passing through `removed`. */
  #reach(state: number, removed: ReadonlySet<number>): ReadonlySet<number> {
    const seen = new Set<number>();
    const queue = [state];
    for (const one of queue)
      for (const { to } of this.#automaton.edges[one] ?? [])
        if (!seen.has(to) && !removed.has(to)) {
          seen.add(to);
          queue.push(to);
        }
    return seen;
  }

  /** A set of states that every loop passes through: by rotation, a pump for any loop is one for a state of this set. */
  #cutLoops(loops: readonly number[]): readonly number[] {
    const cuts = new Set<number>();
    const degrees = new Map(loops.map((state) => [state, this.#automaton.edges[state]?.length ?? 0]));
    for (const state of loops)
      for (const { to } of this.#automaton.edges[state] ?? []) degrees.set(to, (degrees.get(to) ?? 0) + 1);
    for (const state of loops.toSorted((a, b) => (degrees.get(b) ?? 0) - (degrees.get(a) ?? 0)))
      if (this.#reach(state, cuts).has(state)) cuts.add(state);
    return [...cuts];
  }

  /** A text that leads from p to p, from p to q and from q to q. */
  #findPump(p: number, q: number, atom: number): readonly number[] | undefined {
    const size = this.#size;
    const toKey = (x: number, y: number, z: number, a: number): number => ((x * size + y) * size + z) * this.#width + a;
    const goal = toKey(p, q, q, atom);
    const from = new Map<number, number>([[toKey(p, p, q, atom), -1]]);
    const queue = [[p, p, q, atom] as const];
    for (const [x, y, z, a] of queue) {
      this.#spend();
      for (let b = 0; b < this.#width; b++) {
        for (const [first, second, third] of this.#tripleSteps([x, y, z], a, b)) {
          const key = toKey(first, second, third, b);
          if (from.has(key)) continue;
          from.set(key, toKey(x, y, z, a));
          if (key === goal) return trace(from, key, this.#width);
          queue.push([first, second, third, b]);
        }
      }
    }
    return undefined;
  }

  #tripleSteps(
    [x, y, z]: readonly [number, number, number],
    a: number,
    b: number,
  ): readonly (readonly [number, number, number])[] {
    const thirds = this.#failingStep(z, a, b);
    if (thirds.length === 0) return [];
    const [firsts, seconds] = [this.#step(x, a, b), this.#step(y, a, b)];
    return thirds.flatMap((third) =>
      firsts.flatMap((first) => seconds.map((second) => [first, second, third] as const)),
    );
  }

  /** Whether a continuation exists that is not accepted from here, so that the engine backtracks. */
  #canFail(state: number, atom: number): boolean {
    const { accepts, atoms } = this.#automaton;
    const isAccepted = (states: readonly number[], a: number, after: Atom | undefined): boolean =>
      states.some((one) => (accepts[one] ?? []).some((edge) => holds(edge, atoms[a], after, false)));
    const seen = new Set<string>();
    const queue: (readonly [readonly number[], number])[] = [[[state], atom]];
    for (const [states, a] of queue) {
      if (!isAccepted(states, a, undefined)) return true;
      for (let b = 0; b < this.#width; b++) {
        if (isAccepted(states, a, atoms[b])) continue;
        const next = [...new Set(states.flatMap((one) => this.#sureSteps(one, a, b)))].toSorted((x, y) => x - y);
        if (next.length === 0) return true;
        const key = `${next.join()}:${b}`;
        if (seen.has(key)) continue;
        if (seen.size > MOST_SUBSETS) return true;
        seen.add(key);
        queue.push([next, b]);
      }
    }
    return false;
  }

  #sureSteps(state: number, a: number, b: number): readonly number[] {
    const { edges, sets, atoms } = this.#automaton;
    return (edges[state] ?? [])
      .filter((edge) => sets[edge.to]?.has(b) && holds(edge, atoms[a], atoms[b], false))
      .map(({ to }) => to);
  }
}

/** Every condition holds; an unknown one counts as `ifUnknown`. */
const holds = ({ conditions }: Edge, before: Atom | undefined, after: Atom | undefined, ifUnknown = true): boolean =>
  conditions.every((condition) => {
    const is = condition(before, after);
    return is === "unknown" ? ifUnknown : is;
  });

function trace(from: ReadonlyMap<number, number>, end: number, width: number): readonly number[] {
  const atoms: number[] = [];
  for (let key = end; from.get(key) !== -1 && atoms.length < 40; key = from.get(key) ?? -1) atoms.push(key % width);
  return atoms.toReversed();
}

/** Tarjan's algorithm without recursion. */
class Components {
  readonly list: number[][] = [];
  readonly #next: (key: number) => readonly number[];
  readonly #index = new Map<number, number>();
  readonly #low = new Map<number, number>();
  readonly #stack: number[] = [];
  readonly #open = new Set<number>();

  constructor(next: (key: number) => readonly number[]) {
    this.#next = next;
  }

  visit(root: number): void {
    if (this.#index.has(root)) return;
    const work = [{ key: root, next: this.#enter(root), at: 0 }];
    for (let frame = work.at(-1); frame; frame = work.at(-1)) {
      const target = frame.next[frame.at++];
      if (target === undefined) {
        work.pop();
        this.#leave(frame.key, work.at(-1)?.key);
      } else if (!this.#index.has(target)) work.push({ key: target, next: this.#enter(target), at: 0 });
      else if (this.#open.has(target)) this.#lower(frame.key, this.#index.get(target) ?? 0);
    }
  }

  #enter(key: number): readonly number[] {
    this.#low.set(key, this.#index.size);
    this.#index.set(key, this.#index.size);
    this.#stack.push(key);
    this.#open.add(key);
    return this.#next(key);
  }

  #lower(key: number, value: number): void {
    this.#low.set(key, Math.min(this.#low.get(key) ?? value, value));
  }

  #leave(key: number, parent: number | undefined): void {
    const low = this.#low.get(key) ?? 0;
    if (parent !== undefined) this.#lower(parent, low);
    if (low !== this.#index.get(key)) return;
    const component: number[] = [];
    for (let member = this.#stack.pop(); member !== undefined; member = this.#stack.pop()) {
      this.#open.delete(member);
      component.push(member);
      if (member === key) break;
    }
    this.list.push(component);
  }
}
