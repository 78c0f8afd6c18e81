import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { cleanText } from "../clean-text.ts";
import { ServerFailure } from "./server-failure.ts";

const LONGEST = 2000;

/** From the package's errors to ours: its classes go no further. */
export function toFailure(error: unknown): ServerFailure {
  const status = error instanceof StreamableHTTPError ? error.code : undefined;
  if (error instanceof UnauthorizedError || status === 401)
    return new ServerFailure("signed-out", "It asks you to sign in.", { cause: error });
  return new ServerFailure(status === 404 ? "session-lost" : "failed", toText(error, status), { cause: error });
}

function toText(error: unknown, status: number | undefined): string {
  if (status !== undefined && status > 0) return `It answered with status ${status}.`;
  if (error instanceof z.core.$ZodError) return "Its answer is not what the protocol asks for.";
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) return "It did not answer in time.";
  const text = error instanceof Error ? error.message : String(error);
  return cleanText(text.replace(/^MCP error -?\d+: (Error: )?/, "")).slice(0, LONGEST);
}
