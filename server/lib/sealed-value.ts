import type { Clock } from "./clock.ts";
import type { Seal } from "./seal.ts";

type Options = {
  readonly seal: Seal;
  readonly clock: Pick<Clock, "now">;
  /** A value that was sealed as another kind is not opened. */
  readonly kind: string;
  readonly lifeMs: number;
};

/** A value that a client stores until it expires, without being able to read or change it. */
export type SealedValue<T> = {
  readonly seal: (value: T) => string;
  /** undefined if it is unreadable, of another kind, or expired. */
  readonly unseal: (sealed: string) => T | undefined;
};

export function createSealedValue<T>({ seal, clock, kind, lifeMs }: Options): SealedValue<T> {
  return {
    seal: (value) => seal.encrypt(JSON.stringify({ kind, until: clock.now() + lifeMs, value })),
    unseal: (sealed) => {
      try {
        const found = JSON.parse(seal.decrypt(sealed)) as { kind: string; until: number; value: T };
        return found.kind === kind && found.until > clock.now() ? found.value : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** A sealed value in a cookie that scripts cannot read. With TLS it is bound to this host. `create` and `clear` return `Set-Cookie` values. */
export type SealedCookie<T> = {
  readonly create: (value: T, https: boolean) => string;
  readonly clear: (https: boolean) => string;
  /** Reads a `Cookie` header. */
  readonly read: (header: string | undefined) => T | undefined;
};

/** `kind` is also the name of the cookie. `Lax`: it is also sent when the browser follows a link or redirect from another site. */
export function createSealedCookie<T>(options: Options & { readonly sameSite: "Strict" | "Lax" }): SealedCookie<T> {
  const { kind, lifeMs, sameSite } = options;
  const sealed = createSealedValue<T>(options);
  const toCookie = (value: string, seconds: number, https: boolean): string =>
    `${https ? `__Host-${kind}` : kind}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${https ? "; Secure" : ""}`;
  return {
    create: (value, https) => toCookie(sealed.seal(value), lifeMs / 1000, https),
    clear: (https) => toCookie("", 0, https),
    read: (header) => {
      for (const pair of (header ?? "").split(";")) {
        const at = pair.indexOf("=");
        const name = pair.slice(0, at).trim();
        const value = name === kind || name === `__Host-${kind}` ? sealed.unseal(pair.slice(at + 1).trim()) : undefined;
        if (value !== undefined) return value;
      }
      return undefined;
    },
  };
}
