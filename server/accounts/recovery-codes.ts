import type { Seal } from "../lib/seal.ts";
import { randomKey } from "../lib/random.ts";
import type { Write } from "../store/contract.ts";
import { toBase32 } from "./totp.ts";

const COUNT = 10;
/** 80 bits: too many to guess one. */
const CODE_BYTES = 10;

/** Keyed with the instance key: the database alone is not enough to try codes. */
export const hashRecoveryCode = (seal: Pick<Seal, "derive">, account: string, code: string): string =>
  seal.derive(`recovery code of ${account}: ${normalize(code)}`);

/** New codes, which replace the earlier ones. */
export function planRecoveryCodes(seal: Pick<Seal, "derive">, account: string) {
  const codes = Array.from({ length: COUNT }, () =>
    toGroups(toBase32(Buffer.from(randomKey(CODE_BYTES), "base64url"))),
  );
  const writes: readonly Write[] = [
    { do: "delete", table: "recovery_codes", where: { account } },
    ...codes.map((code): Write => {
      const row = { account, hash: hashRecoveryCode(seal, account, code), used: 0 };
      return { do: "insert", table: "recovery_codes", row };
    }),
  ];
  return { codes, writes };
}

/** Four groups of four are easier to copy from paper. */
const toGroups = (code: string): string => (code.toLowerCase().match(/.{4}/g) ?? []).join("-");

/** As it may have been typed. The alphabet has neither 0 nor 1. */
const normalize = (code: string): string =>
  code
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .replaceAll("0", "o")
    .replaceAll("1", "l");
