import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { cleanText } from "./clean-text.ts";

const LONGEST = 2000;

/** What went wrong with a server, for the card and the model: its own words are bounded, and no header or key is in it. */
export function toSentence(error: unknown): string {
  if (error instanceof UnauthorizedError || isStatus(error, 401)) return "It asks you to sign in.";
  if (error instanceof StreamableHTTPError) return toStatusSentence(error);
  if (error instanceof z.core.$ZodError) return "Its answer is not what the protocol asks for.";
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) return "It did not answer in time.";
  if (error instanceof McpError) return cut(error.message.replace(/^MCP error -?\d+: (Error: )?/, ""));
  return cut(error instanceof Error ? error.message : String(error));
}

const toStatusSentence = ({ code, message }: StreamableHTTPError): string =>
  code !== undefined && code > 0 ? `It answered with status ${code}.` : cut(message);

const cut = (text: string): string => cleanText(text).slice(0, LONGEST);

export const isSignedOut = (error: unknown): boolean => error instanceof UnauthorizedError || isStatus(error, 401);

/** The server has forgotten the session, so nothing of the request was done. */
export const isSessionLost = (error: unknown): boolean => isStatus(error, 404);

const isStatus = (error: unknown, status: number): boolean =>
  error instanceof StreamableHTTPError && error.code === status;
