import { createInterface } from "node:readline";

/** Ctrl+C, from a signal or from the keyboard. Only the newest callback is called; before the first one, the program exits. */
export type Interrupts = { readonly handle: (callback: () => void) => void; readonly raise: () => void };

export function createInterrupts(): Interrupts {
  let current = (): void => process.exit(130);
  const raise = (): void => current();
  process.on("SIGINT", raise);
  return {
    raise,
    handle: (callback) => {
      current = callback;
    },
  };
}

/** Lines from the keyboard or a pipe. */
export type Terminal = {
  /** Returns null at the end of the input. */
  readonly ask: (prompt: string) => Promise<string | null>;
  readonly close: () => void;
};

export function openTerminal(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  { raise }: Pick<Interrupts, "raise">,
): Terminal {
  const isInteractive = input.isTTY === true;
  const lines = createInterface({ input, output, terminal: isInteractive });
  const waiting: string[] = [];
  let next: ((line: string | null) => void) | undefined;
  let isClosed = false;

  const deliver = (line: string | null): void => {
    const resolve = next;
    next = undefined;
    resolve?.(line);
  };
  lines.on("line", (line) => (next ? deliver(line) : waiting.push(line)));
  lines.on("close", () => {
    isClosed = true;
    // The prompt is left without Enter.
    if (isInteractive && next) output.write("\n");
    deliver(null);
  });
  lines.on("SIGINT", raise);

  return {
    ask: (prompt) => {
      if (isInteractive) {
        lines.setPrompt(prompt);
        lines.prompt();
      }
      const line = waiting.shift();
      if (line !== undefined || isClosed) return Promise.resolve(line ?? null);
      return new Promise((resolve) => (next = resolve));
    },
    close: () => lines.close(),
  };
}
