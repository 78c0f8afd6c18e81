import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** Faults of the test's authenticator. */
export type Quirks = {
  readonly origin?: string;
  readonly challenge?: string;
  readonly rpId?: string;
  readonly userHandle?: string;
  /** The user's presence and verification are claimed unless these say otherwise. */
  readonly isVerified?: boolean;
  readonly counter?: number;
};

type Options = {
  readonly challenge: string;
  readonly rp?: { readonly id?: string };
  readonly rpId?: string;
  readonly user?: { readonly id: string };
};

/** A software authenticator with one credential (ES256), and the browser around it, in the JSON form of WebAuthn. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(32);
  let counter = 0;
  let handle = "";

  const toClientData = (type: string, options: Options, quirks: Quirks): Buffer =>
    Buffer.from(
      JSON.stringify({
        ...{ type, challenge: quirks.challenge ?? options.challenge },
        ...{ origin: quirks.origin ?? origin, crossOrigin: false },
      }),
    );

  const toAuthData = (rpId: string, quirks: Quirks, attested: Buffer = Buffer.alloc(0)): Buffer => {
    counter = quirks.counter ?? counter + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = 0x01 | ((quirks.isVerified ?? true) ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    return Buffer.concat([sha256(quirks.rpId ?? rpId), Buffer.from([flags]), count, attested]);
  };

  return {
    id: id.toString("base64url"),

    create: (options: object, quirks: Quirks = {}) => {
      const given = options as Options;
      handle = given.user?.id ?? "";
      const cose = cborMap([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]);
      const length = Buffer.from([0, id.length]);
      const authData = toAuthData(given.rp?.id ?? "", quirks, Buffer.concat([Buffer.alloc(16), length, id, cose]));
      const attestation = cborMap([
        ["fmt", "none"],
        ["attStmt", []],
        ["authData", authData],
      ]);
      return {
        id: id.toString("base64url"),
        response: {
          clientDataJSON: toClientData("webauthn.create", given, quirks).toString("base64url"),
          attestationObject: attestation.toString("base64url"),
          transports: ["internal"],
        },
      };
    },

    get: (options: object, quirks: Quirks = {}) => {
      const given = options as Options;
      const clientData = toClientData("webauthn.get", given, quirks);
      const authData = toAuthData(given.rpId ?? "", quirks);
      const signature = sign("sha256", Buffer.concat([authData, sha256(clientData)]), privateKey);
      return {
        id: id.toString("base64url"),
        response: {
          clientDataJSON: clientData.toString("base64url"),
          authenticatorData: authData.toString("base64url"),
          signature: signature.toString("base64url"),
          userHandle: quirks.userHandle ?? handle,
        },
      };
    },
  };
}

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

type Cbor = number | string | Buffer | readonly [];

/** The few forms of CBOR that an attestation needs. An empty list is written as an empty map. */
function cborMap(entries: readonly (readonly [Cbor, Cbor])[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flat().map((one) => cbor(one as Cbor))]);
}

function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  return Buffer.isBuffer(value) ? Buffer.concat([head(2, value.length), value]) : head(5, 0);
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
