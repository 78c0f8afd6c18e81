const messageCharacters = 300;
const searchCharacters = 4000;

type ProviderMessage = {
  /** Shown to the user; empty if there is nothing worth quoting. */
  readonly text: string;
  /** Text to classify by: message, type and code. */
  readonly words: string;
  readonly retryDelay?: string;
};

/** Reads an error body or error event of any provider: JSON in all known forms, plain text or HTML. */
export const readMessage = (source: unknown): ProviderMessage => {
  const value = typeof source === "string" ? parse(source) : source;
  if (typeof value === "string") return readPlain(value);
  if (typeof value !== "object" || value === null) return { text: "", words: "" };
  const found = Array.isArray(value) ? value[0] : value;
  const body = toRecord(found);
  const error =
    typeof body["error"] === "string"
      ? { message: body["error"] }
      : toRecord(body["error"] ?? toRecord(body["response"])["error"] ?? body);
  const metadata = toRecord(error["metadata"]);
  const message =
    [error["message"], body["message"], body["detail"], body["error_description"]].find(
      (text) => typeof text === "string" && text !== "",
    ) ?? readDetails(body["detail"]);
  const raw = typeof metadata["raw"] === "string" ? readMessage(metadata["raw"].slice(0, searchCharacters)).text : "";
  const text = raw === "" ? String(message) : `${String(message)}: ${raw}`;
  const size = isWord(error["n_ctx"]) ? `n_ctx ${String(error["n_ctx"])}` : undefined;
  const words = [text, error["type"], error["code"], error["status"], body["type"], body["error_type"], size]
    .filter(isWord)
    .join(" ");
  const retryDelay = findRetryDelay(error["details"]);
  return { text, words: words.slice(0, searchCharacters), ...(retryDelay === undefined ? {} : { retryDelay }) };
};

/** FastAPI sends a list of validation errors. */
const readDetails = (detail: unknown): string =>
  Array.isArray(detail)
    ? detail
        .slice(0, 5)
        .map((one) => toRecord(one)["msg"])
        .filter(isWord)
        .join("; ")
    : "";

const readPlain = (text: string): ProviderMessage => {
  const start = text.slice(0, searchCharacters).trim();
  if (!/^(?:<!doctype|<html|<\?xml|<head|<body)/i.test(start)) return { text: start, words: start };
  const title = /<title[^<>]*>([^<]{1,200})/i.exec(start)?.[1]?.trim() ?? "";
  return { text: title === "" ? "a web page instead of an answer" : `a web page: ${title}`, words: "" };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const isWord = (value: unknown): boolean => typeof value === "string" || typeof value === "number";

const findRetryDelay = (details: unknown): string | undefined => {
  if (!Array.isArray(details)) return undefined;
  const delay: unknown = details.map((one) => toRecord(one)["retryDelay"]).find((one) => typeof one === "string");
  return typeof delay === "string" ? delay : undefined;
};

/** One line without control characters and without keys or strings that look like keys. */
export const cleanFailureText = (text: string, secrets: readonly string[]): string => {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, "[key]");
  clean = clean
    .replace(/\b(?:sk|pk|rk|key|gsk|xai|AIza)[-_]?[A-Za-z0-9*_-]{12,}|Bearer\s+\S+/g, "[key]")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return clean.length <= messageCharacters ? clean : `${clean.slice(0, messageCharacters).toWellFormed()}…`;
};
