import { ApiError } from "../../protocol/errors.ts";
import { createRedactor } from "../redact/redact.ts";

const { text: redact } = createRedactor({ salt: "" });

/** Memory is part of every prompt, so keys and passwords are rejected, also from the user. */
export function refuseSecrets(field: string, ...texts: readonly string[]): void {
  if (redact(texts.join("\n")).found.length === 0) return;
  throw new ApiError("invalid", `${field}: this looks like a secret. Secrets are not remembered; leave it out.`);
}
