import { parseSync } from "vite";

/** One small change to a source file that a test has to notice. */
export type Mutant = {
  readonly line: number;
  /** Such as `=== -> !==`. */
  readonly change: string;
  /** The whole file with the change. */
  readonly text: string;
};

type Syntax = { readonly type: string; readonly start: number; readonly end: number; readonly [key: string]: unknown };
type Edit = { readonly start: number; readonly end: number; readonly by: string; readonly change: string };

const operators: Readonly<Record<string, string>> = {
  ...{ "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">" },
  ...{ "+": "-", "-": "+", "*": "/", "&&": "||", "||": "&&", "??": "&&" },
};
const methods: Readonly<Record<string, string>> = {
  ...{ some: "every", every: "some", startsWith: "endsWith", endsWith: "startsWith", min: "max", max: "min" },
};

/** All mutants of a file. Texts of errors and heads of loops stay as they are: the first decide nothing, the others could run forever. */
export function listMutants(path: string, text: string): readonly Mutant[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} could not be parsed: ${errors[0]?.message ?? ""}`);
  const edits: Edit[] = [];
  const add = ({ start, end }: Syntax, by: string, change: string) => edits.push({ start, end, by, change });
  const source = ({ start, end }: Syntax): string => text.slice(start, end);

  const mutate = (node: Syntax): void => {
    const { type } = node;
    if (type === "BinaryExpression" || type === "LogicalExpression") {
      const [left, right] = [node["left"] as Syntax, node["right"] as Syntax];
      const operator = String(node["operator"]);
      const other = operators[operator];
      // A text is only joined, never subtracted.
      const isText = [left, right].some((one) => one.type === "TemplateLiteral" || typeof one["value"] === "string");
      if (other !== undefined && !(operator === "+" && isText)) {
        const between = text.slice(left.end, right.start).replace(operator, other);
        add(node, `((${source(left)})${between}(${source(right)}))`, `${operator} -> ${other}`);
      }
    }
    if (type === "UnaryExpression" && node["operator"] === "!") {
      add(node, `(${source(node["argument"] as Syntax)})`, "without !");
    }
    if (type === "Literal" && typeof node["value"] === "boolean")
      add(node, String(!node["value"]), `${source(node)} -> ${!node["value"]}`);
    if (type === "Literal" && typeof node["value"] === "number")
      add(node, `(${source(node)} + 1)`, `${source(node)} + 1`);
    if (type === "Literal" && typeof node["value"] === "string" && node["value"] !== "")
      add(node, '""', `${source(node)} -> ""`);
    if (type === "ConditionalExpression") {
      for (const name of ["consequent", "alternate"]) {
        add(node, `(${source(node[name] as Syntax)})`, `only the ${name}`);
      }
    }
    if (type === "IfStatement") {
      add(node["test"] as Syntax, "true", "if true");
      add(node["test"] as Syntax, "false", "if false");
    }
    if (type === "ThrowStatement") add(node, ";", "without throw");
    if (type === "ArrayExpression" && (node["elements"] as readonly unknown[]).length > 0)
      add(node, "[]", "empty list");
    if (type === "CallExpression") {
      const callee = node["callee"] as Syntax;
      const property = callee["property"] as Syntax | undefined;
      const other = callee.type === "MemberExpression" ? methods[String(property?.["name"])] : undefined;
      if (property && other !== undefined) add(property, other, `${source(property)} -> ${other}`);
    }
    if (type === "ExpressionStatement" && (node["expression"] as Syntax).type === "CallExpression") {
      add(node, ";", `without ${source(node).slice(0, 30)}`);
    }
  };

  const visit = (value: unknown, isMutated: boolean): void => {
    if (Array.isArray(value)) return value.forEach((each) => visit(each, isMutated));
    if (typeof value !== "object" || value === null) return;
    const node = value as Syntax;
    if (typeof node.type !== "string") return;
    if (isType(node)) return;
    if (isMutated) mutate(node);
    for (const [key, child] of Object.entries(node)) {
      const isHead = /^(?:For|While|DoWhile)/.test(node.type) && ["test", "update", "init"].includes(key);
      const isText = node.type === "NewExpression" || node.type === "TemplateLiteral" || node.type === "ThrowStatement";
      const isName = key === "key" || (key === "property" && node["computed"] !== true);
      visit(child, isMutated && !isHead && !isText && !isName);
    }
  };
  visit(program, true);
  return edits
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map(({ start, end, by, change }) => ({
      line: text.slice(0, start).split("\n").length,
      change,
      text: text.slice(0, start) + by + text.slice(end),
    }));
}

/** Types are erased, so a change of them changes nothing. `x as T` and `x satisfies T` contain an expression. */
const isType = ({ type }: Syntax): boolean =>
  type === "ImportDeclaration" ||
  (type.startsWith("TS") && !["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"].includes(type));
