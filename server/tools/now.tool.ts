import { z } from "zod";
import { defineTool, type CreateTool } from "./tool.ts";

const Input = z.object({
  timeZone: z
    .string()
    .max(60)
    .optional()
    .describe("An IANA name such as Europe/Berlin; the user's time zone if omitted"),
});

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "now",
    always: true,
    description: "Returns the current date and time in a time zone.",
    input: Input,
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 1000 },
    execute: async ({ timeZone }, context) => {
      const zone = timeZone ?? context.timeZone ?? "UTC";
      const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone: zone });
      return { output: format.format(clock.now()) };
    },
  });
export default create;
