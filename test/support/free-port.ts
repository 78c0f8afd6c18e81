import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ephemeral ports, so that no other process gets it before it is used. */
const [FIRST, LAST] = [20_000, 32_000];

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
