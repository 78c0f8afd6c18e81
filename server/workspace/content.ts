import { createHash } from "node:crypto";
import { ApiError } from "../../protocol/errors.ts";
import { workspaceLimits } from "../../protocol/workspace/limits.ts";
import type { RowOf } from "../store/schema.ts";
import { countLines } from "./lines.ts";

/** The stored content of a file: text if it is valid text, else bytes in base64. */
export type Content = {
  /** SHA-256 of its bytes. */
  readonly hash: string;
  readonly bytes: number;
  /** null: not text. */
  readonly lines: number | null;
  readonly encoding: "text" | "base64";
  readonly body: string;
};

type ContentInput = { readonly text?: string | undefined; readonly base64?: string | undefined };

export function toContent(path: string, { text, base64 }: ContentInput): Content {
  if ((text === undefined) === (base64 === undefined)) {
    throw new ApiError("invalid", `Give either text or base64 for ${path}.`);
  }
  if (text !== undefined && !text.isWellFormed())
    throw new ApiError("invalid", `The text of ${path} is not valid Unicode.`);
  const bytes = text === undefined ? toBytes(path, base64 ?? "") : Buffer.from(text);
  if (bytes.length > workspaceLimits.fileBytes) {
    throw new ApiError(
      "too-large",
      `${path} would have ${bytes.length.toLocaleString("en")} bytes. A file can have at most ${workspaceLimits.fileBytes.toLocaleString("en")}.`,
    );
  }
  const hash = createHash("sha256").update(bytes).digest("hex");
  const found = text ?? findText(bytes);
  // PostgreSQL cannot store NUL in text.
  if (found === undefined || found.includes("\u0000")) {
    return { hash, bytes: bytes.length, lines: null, encoding: "base64", body: bytes.toString("base64") };
  }
  return { hash, bytes: bytes.length, lines: countLines(found), encoding: "text", body: found };
}

function toBytes(path: string, base64: string): Buffer {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64").replace(/(?<!=)=+$/, "") === base64.replace(/(?<!=)=+$/, "")) return bytes;
  throw new ApiError("invalid", `The content of ${path} is not base64.`);
}

function findText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

type Blob = Pick<RowOf<"blobs">, "encoding" | "body">;

export const toFileText = ({
  encoding,
  body,
}: Blob): { readonly text: string | null; readonly base64: string | null } =>
  encoding === "text" ? { text: body, base64: null } : { text: null, base64: body };

export const toBuffer = ({ encoding, body }: Blob): Buffer =>
  Buffer.from(body, encoding === "text" ? "utf8" : "base64");
