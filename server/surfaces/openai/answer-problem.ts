import { textOf } from "../../../protocol/fold.ts";
import type { CallSettings } from "../../../protocol/model.ts";
import { checkSchema } from "../../tools/mcp/check-schema.ts";
import type { Answer } from "./answer.ts";
import { toAnswerFailure, type AnswerFailure } from "./errors.ts";
import { listClientCalls } from "./items.ts";

export type Format = CallSettings["format"];

/** Why a finished answer cannot be returned to the caller: it failed, or it is not the JSON that the request asked for. */
export function findProblem({ run, messageId, parts }: Answer, format: Format): AnswerFailure | undefined {
  if (messageId === "") return toAnswerFailure({ code: "stopped", text: "The message was withdrawn." });
  if (run?.outcome === "failed" || run?.state === "parked") return toAnswerFailure(run.reason);
  const isWhole = run?.outcome === "done" && listClientCalls(parts).length === 0;
  const problem = format === undefined || !isWhole ? undefined : checkFormat(textOf(parts), format.schema);
  if (problem === undefined) return undefined;
  const message = `The model's answer is not in the requested format: ${problem}`.slice(0, 500);
  return { status: 502, error: { message, type: "server_error", param: null, code: "invalid_output" } };
}

function checkFormat(text: string, schema: object | undefined): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not JSON.";
  }
  const [issue] = schema === undefined ? [] : checkSchema(schema as Readonly<Record<string, unknown>>, value);
  return issue === undefined ? undefined : `${issue.path.join(".") || "the value"}: ${issue.message}.`;
}
