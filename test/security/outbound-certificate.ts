import { generateKeyPairSync, sign } from "node:crypto";

/** A certificate for tests, made on the spot: it signs itself, for one name and 127.0.0.1. Times are UTC, `YYMMDDhhmmssZ`. */
export type Certificate = { readonly key: string; readonly cert: string };

export function createCertificate(name: string, [from, to] = ["200101000000Z", "491231235959Z"]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const who = der(0x30, der(0x31, der(0x30, der(0x06, oid(2, 5, 4, 3)), der(0x0c, Buffer.from(name)))));
  const algorithm = der(0x30, der(0x06, oid(1, 2, 840, 10045, 4, 3, 2)));
  const names = der(0x30, der(0x82, Buffer.from(name)), der(0x87, Buffer.from([127, 0, 0, 1])));
  const isAuthority = der(0x30, der(0x01, Buffer.from([0xff])));
  const extensions = der(
    0x30,
    der(0x30, der(0x06, oid(2, 5, 29, 17)), der(0x04, names)),
    der(0x30, der(0x06, oid(2, 5, 29, 19)), der(0x04, isAuthority)),
  );
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    who,
    der(0x30, der(0x17, Buffer.from(from ?? "")), der(0x17, Buffer.from(to ?? ""))),
    who,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, privateKey));
  const body = der(0x30, content, algorithm, signature).toString("base64").replace(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const oid = (first: number, second: number, ...rest: readonly number[]): Buffer =>
  Buffer.from([first * 40 + second, ...rest.flatMap(toDigits)]);

const toDigits = (value: number): readonly number[] =>
  value < 128 ? [value] : [...toDigits(value >> 7).map((digit) => digit | 0x80), value & 0x7f];
