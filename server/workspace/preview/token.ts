import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import type { Seal } from "../../lib/seal.ts";

/** An hour: long enough to build something, short enough for an address that someone copied. */
export const TOKEN_MS = 60 * 60_000;

const Sealed = z.object({
  for: z.literal("preview"),
  project: z.string(),
  user: z.string(),
  expiresAt: z.number(),
});

export type Pass = { readonly project: string; readonly user: string; readonly expiresAt: number };
export type TokenResult = Pass | "unknown" | "expired";

/** What stands in a preview's address: it lets whoever has it read one workspace for a while, and nothing else. */
export const createTokens = ({ seal, clock }: { readonly seal: Seal; readonly clock: Clock }) => ({
  mint: (project: string, user: string): { readonly token: string; readonly expiresAt: number } => {
    const expiresAt = clock.now() + TOKEN_MS;
    return { token: seal.encrypt(JSON.stringify({ for: "preview", project, user, expiresAt })), expiresAt };
  },
  open: (token: string): TokenResult => {
    const pass = parse(seal, token);
    if (!pass) return "unknown";
    return pass.expiresAt > clock.now() ? pass : "expired";
  },
});

function parse(seal: Seal, token: string): Pass | undefined {
  if (!/^[\w-]{40,2000}$/.test(token)) return undefined;
  try {
    return Sealed.safeParse(JSON.parse(seal.decrypt(token))).data;
  } catch {
    return undefined;
  }
}
