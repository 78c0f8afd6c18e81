import { z } from "zod";
import { defineTool, type CreateTool } from "./tool.ts";

const Input = z.object({
  timeZone: z.string().max(60).optional().describe("An IANA name such as Europe/Berlin; UTC if omitted"),
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
    execute: async ({ timeZone = "UTC" }) => {
      const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone });
      return { output: format.format(clock.now()) };
    },
  });
export default create;
