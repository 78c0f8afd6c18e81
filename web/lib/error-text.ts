import type { ResponseError } from "../../protocol/client.ts";
import { errors } from "../strings/errors.ts";
import { getLanguage } from "../strings/language.ts";
import { own } from "./own.ts";

/** How the server begins errors about a field of a request, for programs: `The body "key" is not valid: `. */
const technical = /^The (?:body|query|path)(?: "[^"]*")? is not valid: (?=\S)/;

/** An error whose message is a text of the page for the user. */
export class ShownError extends Error {
  override readonly name = "ShownError";
}

/** Messages, and codes whose messages, say no more than the page's sentence for the code. */
const plain =
  /^(?:Not found|Page not found|Sign in again|Your session has ended\. Sign in again|Too many requests .*|.* Try again in a moment)\.$/;
const plainCodes = new Set(["bug", "unconfirmed", "storage-damaged", "storage-full"]);

/** The server's message for the user. It is in English; other languages have a sentence for its code and quote it. */
export function toSentence({ code, message }: Pick<ResponseError, "code" | "message">): string {
  const text = code === "invalid" ? withoutField(message) : message;
  const translated = getLanguage() === "en" ? undefined : own(errors.byCode, code);
  if (translated === undefined) return text;
  return plainCodes.has(code) || plain.test(text) ? translated : errors.withDetail(translated, text);
}

/** The form shows which field is meant. */
function withoutField(message: string): string {
  if (!technical.test(message)) return message;
  const text = message.replace(technical, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;
}
