import { parseSync } from "vite";
import { isIn, type Rule, type Source } from "./source.ts";

/**
 * A promise that is started and awaited only after another `await` has no handler in between. If it rejects then, the
 * rejection is unhandled although the code below would have caught it.
 */
export const startedPromisesAreAwaitedTogether: Rule = (sources) =>
  sources
    .filter(isIn("protocol", "server", "web"))
    .flatMap((source) =>
      findLatePromises(source).map(
        ({ line, name }) =>
          `${source.path}:${line} starts "${name}" and awaits something else first: use Promise.all, or start it later`,
      ),
    );

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [key: string]: unknown };
type Late = { readonly name: string; readonly line: number };
type StartedPromise = { readonly name: string; readonly at: Node };

function findLatePromises({ path, text }: Source): readonly Late[] {
  if (!/\bawait\b/.test(text)) return [];
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const found: Late[] = [];
  for (const body of listFunctions(program as unknown as Node)) {
    const nodes = listWithin(body);
    for (const { name, at } of nodes.flatMap(toStarted)) {
      const uses = nodes.filter((node) => isNamed(node, name) && node.start >= at.end);
      const first = Math.min(...uses.map(({ start }) => start));
      const isPromise = nodes.some((node) => awaits(node, name) && node.start >= at.end);
      const isLate = nodes.some(
        (node) => leaves(node) && node.start >= at.end && node.start < first && !contains(node, first),
      );
      if (isPromise && isLate) found.push({ name, line: text.slice(0, at.start).split("\n").length });
    }
    for (const loop of nodes.filter((node) => isLoopOfPromises(node, nodes))) {
      found.push({
        name: text.slice(loop.start).split("\n")[0] ?? "",
        line: text.slice(0, loop.start).split("\n").length,
      });
    }
  }
  return found;
}

const callTypes = ["CallExpression", "NewExpression", "ConditionalExpression", "LogicalExpression"];

/** `const x = start()` or `const [x, y] = [start(), start()]`, without an `await` in it. */
function toStarted(node: Node): readonly StartedPromise[] {
  const { id, init } = node as { readonly id?: Node; readonly init?: Node };
  if (node.type !== "VariableDeclarator" || !id || !init) return [];
  const isPair = id.type === "ArrayPattern" && init.type === "ArrayExpression";
  const names = isPair ? (id["elements"] as readonly (Node | null)[]) : [id];
  const values = isPair ? (init["elements"] as readonly (Node | null)[]) : [init];
  return names.flatMap((named, index) => {
    const value = values[index];
    const starts = named?.type === "Identifier" && value && callTypes.includes(value.type);
    return starts && !listWithin(value).some(isAwait) ? [{ name: String(named["name"]), at: node }] : [];
  });
}

/** `await x`, or `x` passed to a promise combinator. */
function awaits(node: Node, name: string): boolean {
  if (node.type === "AwaitExpression") return isNamed(node["argument"] as Node, name);
  const { callee, arguments: given } = node as { readonly callee?: Node; readonly arguments?: readonly Node[] };
  if (node.type !== "CallExpression" || !isNamed(callee?.["object"] as Node | undefined, "Promise")) return false;
  const elements = (given?.[0]?.["elements"] as readonly (Node | null)[] | undefined) ?? given ?? [];
  return elements.some((element) => element && isNamed(element, name));
}

/** Promises started by `.map(async …)`, stored in a variable and awaited one after the other. */
function isLoopOfPromises(node: Node, nodes: readonly Node[]): boolean {
  if (node.type !== "ForOfStatement") return false;
  const { left, right, body } = node as unknown as { left: Node; right: Node; body: Node };
  const declared = (left["declarations"] as readonly Node[] | undefined)?.[0]?.["id"] as Node | undefined;
  if (declared?.type !== "Identifier" || right.type !== "Identifier") return false;
  const isAwaited = listWithin(body).some((inner) => awaits(inner, String(declared["name"])));
  return isAwaited && nodes.some((inner) => toStarted(inner).some(({ name }) => name === right["name"]));
}

const leaves = (node: Node): boolean => isAwait(node) || ["ReturnStatement", "ThrowStatement"].includes(node.type);
const isAwait = (node: Node): boolean => node.type === "AwaitExpression" || isForAwait(node);
const isForAwait = (node: Node): boolean => node.type === "ForOfStatement" && node["await"] === true;
const isNamed = (node: Node | undefined, name: string): boolean => node?.type === "Identifier" && node["name"] === name;
const contains = ({ start, end }: Node, at: number): boolean => at >= start && at < end;
const isFunction = ({ type, body }: Node): boolean => /Function/.test(type) && Boolean(body);

function listFunctions(program: Node): readonly Node[] {
  const found: Node[] = [program];
  visit(program, (node) => {
    if (isFunction(node)) found.push(node["body"] as Node);
    return true;
  });
  return found;
}

/** Nodes that run as part of the body: not those of nested functions. */
function listWithin(body: Node): readonly Node[] {
  const found: Node[] = [];
  visit(body, (node) => {
    if (node !== body && isFunction(node)) return false;
    found.push(node);
    return true;
  });
  return found;
}

function visit(node: Node, enter: (node: Node) => boolean): void {
  if (!enter(node)) return;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof (child as Node | null)?.type === "string") visit(child as Node, enter);
    }
  }
}
