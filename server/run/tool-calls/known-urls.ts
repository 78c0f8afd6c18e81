import type { MessageView } from "../../../protocol/fold.ts";
import { toPlainUrl } from "./policy.ts";

/** Addresses that the user wrote or a search returned, and those that only a page that was read leads to. */
export type Urls = { readonly knownUrls: ReadonlySet<string>; readonly pageUrls: ReadonlySet<string> };

/**
 * Addresses that may be fetched although untrusted content is in the prompt. An address in any other text is in neither set: a
 * tool may have repeated what the model wrote.
 */
export function collectUrls(messages: readonly MessageView[], links: readonly string[]): Urls {
  const [known, ofPages] = [new Set<string>(), new Set(links.map(toPlainUrl))];
  for (const { role, parts } of messages) {
    for (const part of parts) {
      if (role === "user" && part.kind === "text") for (const url of listWritten(part.text)) known.add(toPlainUrl(url));
      if (role === "user" || part.kind !== "source" || part.url === undefined) continue;
      if (part.status === "found" || part.found) known.add(toPlainUrl(part.url));
      else if (part.status === "read") ofPages.add(toPlainUrl(part.url));
    }
  }
  return { knownUrls: known, pageUrls: ofPages };
}

/** What pages were read, by the numbers under which they are stored with their links. */
export const listPageRefs = (messages: readonly MessageView[]): readonly number[] => [
  ...new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.kind === "source" && part.status === "read" && part.ref !== undefined ? [part.ref] : [],
      ),
    ),
  ),
];

/** With and without the punctuation that may follow; one without a scheme stands for both. */
export function listWritten(text: string): readonly string[] {
  return text.split(/[\s<>"'`\\[\](){}|]+/).flatMap((token) => {
    if (!token.includes(".") && !token.includes("://")) return [];
    const bare = trimEnd(token);
    const all = bare === token ? [token] : [token, bare];
    if (/^https?:\/\//i.test(token)) return all;
    return /^[\w-]+(?:\.[\w-]+)+(?:[:/?#]|$)/.test(bare)
      ? all.flatMap((one) => [`https://${one}`, `http://${one}`])
      : [];
  });
}

function trimEnd(token: string): string {
  let end = token.length;
  while (end > 0 && ".,;:!?*_".includes(token[end - 1] ?? "")) end -= 1;
  return token.slice(0, end);
}
