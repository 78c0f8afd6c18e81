import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import type { Seal } from "../../lib/seal.ts";

/** One hour: long enough for work, short enough if the address is copied. */
export const TOKEN_MS = 60 * 60_000;

const Sealed = z.object({
  for: z.literal("preview"),
  project: z.string(),
  user: z.string(),
  expiresAt: z.number(),
});

type Pass = { readonly project: string; readonly user: string; readonly expiresAt: number };
type TokenResult = Pass | "unknown" | "expired";

/** The token in a preview's address. It grants read access to one workspace for a limited time. */
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
