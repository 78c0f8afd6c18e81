import type { Clock } from "../../../lib/clock.ts";
import type { OpenedConnection } from "../connection.ts";
import { openLink } from "./link.ts";
import type { StdioSettings } from "../mcp-file.ts";
import { toSentence } from "./server-failure.ts";
import { createStdioTransport } from "./stdio-transport.ts";

type Options = {
  readonly settings: StdioSettings;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** For the operator only: a program's error output may contain secrets. */
  readonly onNote: (note: string) => void;
};

export async function openStdio(options: Options, signal: AbortSignal): Promise<OpenedConnection> {
  const { settings, environment, clock, timeoutMs, onNote } = options;
  const transport = createStdioTransport({ settings, environment, clock });
  const reportErrorOutput = (): void => {
    const output = transport.errorOutput();
    if (output !== "") onNote(`Last error output of the MCP server ${settings.name}: ${output}`);
  };
  try {
    const link = await openLink(transport, signal, timeoutMs);
    void link.ended.then(reportErrorOutput);
    return { link, why: transport.why };
  } catch (error) {
    reportErrorOutput();
    if (signal.aborted) throw new Error("It did not respond in time.", { cause: error });
    throw new Error(transport.why() || toSentence(error), { cause: error });
  }
}
