import { subscribe } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import type { Socket } from "node:net";

/**
 * Loaded into a server under test by `--import`: every TCP connection the process tries to open is written to stderr as
 * `[connection] address:port`, whichever library opens it.
 */
subscribe("net.client.socket", (message) => {
  const { socket } = message as { readonly socket: Socket };
  socket.on("connectionAttempt", (address: string, port: number) => writeSync(2, `[connection] ${address}:${port}\n`));
});
