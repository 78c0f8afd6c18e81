import { createPrivateKey, generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import type { Store } from "../store/contract.ts";

/** The server's key for push services (RFC 8292): a browser's subscription accepts only messages that are signed with it. */
export type Vapid = {
  /** As base64url, for the browser. */
  readonly publicKey: string;
  /** The `Authorization` of a message to this endpoint. */
  readonly authorize: (endpoint: URL) => string;
};

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly seal: Seal;
  /** Contact URL for operators of push services. */
  readonly contact: string;
};

const META_KEY = "push-key";
/** Push services allow at most 24 hours. */
const VALID_SECONDS = 12 * 3600;

/** The key is generated at its first use and stored sealed. One that was sealed with another instance key is replaced. */
export async function loadVapid({ store, log, clock, seal, contact }: Options): Promise<Vapid> {
  const readKey = async (): Promise<KeyObject | undefined> => {
    const sealed = await store.read.meta(META_KEY);
    if (sealed === undefined) return undefined;
    try {
      return createPrivateKey({ key: JSON.parse(seal.decrypt(sealed)) as JsonWebKey, format: "jwk" });
    } catch {
      return undefined;
    }
  };
  const createKey = async (): Promise<KeyObject> => {
    const before = await store.read.meta(META_KEY);
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const row = { key: META_KEY, value: seal.encrypt(JSON.stringify(privateKey.export({ format: "jwk" }))) };
    // Nodes that generate a key at the same time all use the first one.
    const write =
      before === undefined
        ? ({ do: "insert", table: "meta", row, ifAbsent: true } as const)
        : ({ do: "update", table: "meta", set: row, where: { key: META_KEY, value: before } } as const);
    await log.commit({ events: [], writes: [write] });
    return (await readKey()) ?? privateKey;
  };
  const key = (await readKey()) ?? (await createKey());
  const publicKey = toPublicKey(key);
  return {
    publicKey,
    authorize: ({ origin }) => {
      const expires = Math.floor(clock.now() / 1000) + VALID_SECONDS;
      const parts = [
        { typ: "JWT", alg: "ES256" },
        { aud: origin, exp: expires, sub: contact },
      ];
      const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
      const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
      return `vapid t=${signed}.${signature.toString("base64url")}, k=${publicKey}`;
    },
  };
}

function toPublicKey(key: KeyObject): string {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return Buffer.concat([UNCOMPRESSED, Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]).toString("base64url");
}

/** Begins a point with both coordinates. */
const UNCOMPRESSED = Buffer.from([4]);
