import { createHmac } from "node:crypto";
import type { Client } from "../../../protocol/client.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** An authenticator app of the test: the code that it shows for a key at a time, as RFC 6238 defines it. */
export function showCode(key: string, timeMs: number): string {
  const bits = [...key].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  const counter = Buffer.alloc(8);
  counter.writeUInt32BE(Math.floor(timeMs / 30_000), 4);
  const hash = createHmac("sha1", Buffer.from(bytes)).update(counter).digest();
  const value = hash.readUInt32BE((hash[19] ?? 0) & 15) & 0x7fffffff;
  return String(value % 1_000_000).padStart(6, "0");
}

/** A clock that only the test moves. Codes of one time step can be used once, so most tests need later ones. */
export function createTestClock() {
  const startedAt = Date.now();
  let passedMs = 0;
  return {
    now: () => startedAt + passedMs,
    monotonic: () => passedMs,
    pass: (ms: number) => {
      passedMs += ms;
    },
  };
}

export type TestClock = ReturnType<typeof createTestClock>;

/** The next code that the server accepts. */
export function nextCode(key: string, clock: TestClock): string {
  clock.pass(30_000);
  return showCode(key, clock.now());
}

/** Turns on an authenticator app. Returns its key and the recovery codes. */
export async function addApp(client: Client, clock: TestClock) {
  const { key, uri, state } = await client.startAuthenticator({ body: {} });
  const answer = await client.addAuthenticator({ body: { state, code: nextCode(key, clock) } });
  return { key, uri, ...answer };
}
