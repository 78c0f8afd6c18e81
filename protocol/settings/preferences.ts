import { z } from "zod";
import { Text } from "../text.ts";

export const preferenceLimits = { instructionsCharacters: 4000, disabledTools: 200 } as const;

/** Settings of a user that hold for all threads. */
export const Preferences = z.object({
  /** A model of the thread's provider writes a title after the first answer. */
  titles: z.boolean(),
  /** Off: nothing is stored in memory, and memory is in no prompt. Stored memory stays until it is deleted. */
  memory: z.boolean(),
  /** Added to the instructions of every profile. */
  instructions: z.string(),
  /** Names of tools that no model is offered or may call. */
  disabledTools: z.array(z.string()).readonly(),
  /** An IANA name such as Europe/Berlin, for times in prompts and results of tools. null: UTC. The page sets that of its browser. */
  timeZone: z.string().nullable(),
});
export type Preferences = z.infer<typeof Preferences>;

export const defaultPreferences: Preferences = {
  titles: true,
  memory: true,
  instructions: "",
  disabledTools: [],
  timeZone: null,
};

const TimeZone = z
  .string()
  .max(60)
  .refine((name) => isTimeZone(name), "must be the name of a time zone, such as Europe/Berlin")
  .meta({ examples: ["Europe/Berlin", "America/New_York", "UTC"] });

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const none = z.object({});
const shown = { status: 200, response: z.object({ preferences: Preferences }) } as const;

export const preferenceApi = {
  getPreferences: { summary: "Your settings for all threads", params: none, query: none, body: null, ...shown },
  setPreferences: {
    summary: "Change some of your settings for all threads",
    params: none,
    query: none,
    body: z
      .object({
        titles: z.boolean().optional(),
        memory: z.boolean().optional(),
        instructions: Text.trim().max(preferenceLimits.instructionsCharacters).optional(),
        disabledTools: z.array(z.string().min(1).max(200)).max(preferenceLimits.disabledTools).optional(),
        timeZone: TimeZone.nullable().optional(),
      })
      .strict(),
    ...shown,
  },
} as const;
