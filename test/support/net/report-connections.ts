import { subscribe } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import type { Socket } from "node:net";

/**
 * Loaded into a server under test with `--import`: writes every TCP connection that the process tries to open to stderr
 * as `[connection] address:port`, regardless of the library.
 */
subscribe("net.client.socket", (message) => {
  const { socket } = message as { readonly socket: Socket };
  socket.on("connectionAttempt", (address: string, port: number) => writeSync(2, `[connection] ${address}:${port}\n`));
});
