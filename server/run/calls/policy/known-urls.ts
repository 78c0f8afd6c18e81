import type { MessageView } from "../../../../protocol/fold.ts";
import { toPlainUrl } from "./policy.ts";

/**
 * Addresses that may be fetched although untrusted content is in the prompt: those that the user wrote, and those that a search
 * or a page offered as such. An address in any other text is not known: a tool may have repeated what the model wrote.
 */
export function collectUrls(messages: readonly MessageView[], links: readonly string[]): ReadonlySet<string> {
  const written = messages.flatMap(({ role, parts }) =>
    role === "user" ? parts.flatMap((part) => (part.kind === "text" ? listWritten(part.text) : [])) : [],
  );
  const offered = messages.flatMap(({ role, parts }) =>
    role === "user"
      ? []
      : parts.flatMap((part) =>
          part.kind === "source" && part.url !== undefined && (part.status === "found" || part.status === "read")
            ? [part.url]
            : [],
        ),
  );
  return new Set([...written, ...offered, ...links].map(toPlainUrl));
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
