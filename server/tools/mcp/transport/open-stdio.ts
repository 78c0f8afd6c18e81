import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
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
  /** Receives notes for the operator only: a program's error output may contain secrets. */
  readonly onNote: (note: string) => void;
};

/** A program that does not answer in this time ignores the question, or is still starting. Then it is treated as a server of the 2025 specification. */
const PROBE_MS = 800;

/** A program of 2025 may exit when it is asked about the specification of 2026. Then it is started once more without asking. */
export async function openStdio(options: Options, signal: AbortSignal): Promise<OpenedConnection> {
  try {
    return await start(options, signal, "auto");
  } catch (error) {
    if (!(error instanceof Error) || !isProbeFailure(error) || signal.aborted) throw error;
    return start(options, signal, "legacy");
  }
}

const isProbeFailure = ({ cause }: Error): boolean => {
  const reason = cause instanceof Error ? cause.cause : undefined;
  return reason instanceof SdkError && reason.code === SdkErrorCode.EraNegotiationFailed;
};

async function start(options: Options, signal: AbortSignal, mode: "auto" | "legacy"): Promise<OpenedConnection> {
  const { settings, environment, clock, timeoutMs, onNote } = options;
  const transport = createStdioTransport({ settings, environment, clock });
  const reportErrorOutput = (): void => {
    const output = transport.errorOutput();
    if (output !== "") onNote(`Last error output of the MCP server ${settings.name}: ${output}`);
  };
  try {
    const link = await openLink(transport, { signal, timeoutMs, mode, probeMs: PROBE_MS });
    void link.ended.then(reportErrorOutput);
    return { link, why: transport.why };
  } catch (error) {
    reportErrorOutput();
    if (signal.aborted) throw new Error("It did not respond in time.", { cause: error });
    throw new Error(transport.why() || toSentence(error), { cause: error });
  }
}
