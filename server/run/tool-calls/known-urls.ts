import { isForeign } from "../../../protocol/context/untrusted.ts";
import type { MessageView } from "../../../protocol/fold.ts";
import type { Part } from "../../../protocol/parts.ts";
import { listTyped } from "../../../protocol/question.ts";
import { toPlainUrl } from "./approval-rules.ts";

/** URLs that the user wrote or a search returned, and URLs that were only found on pages that were read. */
export type Urls = { readonly knownUrls: ReadonlySet<string>; readonly pageUrls: ReadonlySet<string> };

/**
 * URLs that may be fetched without approval although untrusted content is in the prompt. URLs in other texts are in neither
 * set, because a tool may have repeated text that the model wrote. Search results of an import or of another user count as links.
 */
export function collectUrls(messages: readonly MessageView[], links: readonly string[]): Urls {
  const [known, ofPages] = [new Set<string>(), new Set(links.map(toPlainUrl))];
  for (const { role, parts } of messages) {
    for (const part of parts) {
      const isOthers = isForeign(part);
      const typed = part.kind === "tool" ? (isOthers ? [] : listTyped(part)) : role === "user" ? listOwnText(part) : [];
      for (const url of typed.flatMap(listWritten)) known.add(toPlainUrl(url));
      if (role === "user" || part.kind !== "source" || part.url === undefined) continue;
      const wasFound = part.status === "found" || part.found === true;
      if (wasFound && !isOthers) known.add(toPlainUrl(part.url));
      else if (wasFound || part.status === "read") ofPages.add(toPlainUrl(part.url));
    }
  }
  return { knownUrls: known, pageUrls: ofPages };
}

/** Text that the user wrote. A message of a program has untrusted sources. */
const listOwnText = (part: Part): readonly string[] =>
  part.kind === "text" && (part.untrusted ?? []).length === 0 ? [part.text] : [];

/** Refs of the pages that were read. Their artifacts contain their links. */
export const listPageRefs = (messages: readonly MessageView[]): readonly number[] => [
  ...new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.kind === "source" && part.status === "read" && part.ref !== undefined ? [part.ref] : [],
      ),
    ),
  ),
];

/** URLs in a text, with and without trailing punctuation. A URL without a scheme yields both http and https. */
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
