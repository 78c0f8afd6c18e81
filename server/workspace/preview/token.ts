import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import type { Seal } from "../../lib/seal.ts";

/** One hour: long enough for work, short enough if the address is copied. */
export const TOKEN_MS = 60 * 60_000;

const Sealed = z.object({
  for: z.literal("preview"),
  project: z.string(),
  user: z.string(),
  /** Hash of the session or API key that opened it; absent if the server needs none. */
  session: z.string().optional(),
  expiresAt: z.number(),
});

type Opener = { readonly user: string; readonly session?: string | undefined };
type Pass = Opener & { readonly project: string; readonly expiresAt: number };
type TokenResult = Pass | "unknown" | "expired";

/** The token in a preview's address. It grants read access to one workspace for a limited time. */
export const createTokens = ({ seal, clock }: { readonly seal: Seal; readonly clock: Clock }) => ({
  mint: (project: string, opener: Opener): { readonly token: string; readonly expiresAt: number } => {
    const expiresAt = clock.now() + TOKEN_MS;
    return { token: seal.encrypt(JSON.stringify({ for: "preview", project, ...opener, expiresAt })), expiresAt };
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
