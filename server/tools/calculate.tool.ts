import { z } from "zod";
import { calculate, MAX_EXPRESSION_LENGTH, type Calculation } from "./calculate/calculate.ts";
import { defineTool, type CreateTool } from "./tool.ts";

const Input = z.object({
  expression: z
    .string()
    .min(1)
    .max(MAX_EXPRESSION_LENGTH)
    .describe("For example (1250 * 1.19) / 12 or round(sqrt(2), 4)"),
});

const create: CreateTool = () =>
  defineTool({
    name: "calculate",
    always: true,
    description:
      "Exact arithmetic: + - * / ^, a % b for the remainder, 15% of 80, 200 + 10% (= 220), parentheses; sqrt abs round " +
      "floor ceil min max mod log (base 10, or log(x, base)) ln exp sin cos tan (radians; 30*deg); pi e tau. No thousands " +
      "separators. Use this instead of doing arithmetic yourself.",
    input: Input,
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 2000 },
    describe: ({ expression }) => expression,
    summarize: (_, output) => {
      const { read, exact, result } = output as Calculation;
      return `${read} ${exact ? "=" : "≈"} ${result}`;
    },
    execute: async ({ expression }) => ({ output: calculate(expression) }),
  });
export default create;
