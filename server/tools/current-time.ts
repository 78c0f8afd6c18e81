import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import { defineTool, type Tool } from "./tool.ts";

const Input = z.object({
  timeZone: z.string().max(60).optional().describe("An IANA name such as Europe/Berlin; UTC when left out"),
});

export const createCurrentTime = (clock: Clock): Tool =>
  defineTool({
    name: "current_time",
    description: "The current date and time, in a time zone of choice.",
    input: Input,
    repeat: "pure",
    timeoutMs: 1000,
    execute: async ({ timeZone = "UTC" }) => {
      const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone });
      return { output: format.format(clock.now()) };
    },
  });
