/** Content shared by another app, as stored by the service worker. */
export type SharedContent = { readonly text: string; readonly files: readonly File[] };

const cacheName = "shared";
const parameter = "shared";

type StoredContent = {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly files: number;
};

/** The id in the address that the service worker opened; it is removed from the address. */
export function takeSharedId(): string | null {
  const query = new URLSearchParams(location.search);
  const id = query.get(parameter);
  if (id === null) return null;
  query.delete(parameter);
  const rest = query.toString();
  history.replaceState(history.state, "", location.pathname + (rest && `?${rest}`) + location.hash);
  return id;
}

/** null: it was added or discarded before, or the link was made up. */
export async function readShared(id: string): Promise<SharedContent | null> {
  if (!("caches" in globalThis)) return null;
  const stored = (await (await caches.match("/shared", { cacheName }))?.json()) as StoredContent | undefined;
  if (stored?.id !== id) return null;
  const files: File[] = [];
  for (let n = 0; n < stored.files; n += 1) {
    const response = await caches.match(`/shared/${n}`, { cacheName });
    if (!response) continue;
    const name = decodeURIComponent(response.headers.get("x-name") ?? "");
    const blob = await response.blob();
    files.push(new File([blob], name, { type: blob.type }));
  }
  return { text: joinTexts(stored), files };
}

export const dropShared = async (): Promise<void> => void (await caches.delete(cacheName));

/** Apps repeat the address in the text, or send it as the text. */
export function joinTexts({ title, text, url }: Pick<StoredContent, "title" | "text" | "url">): string {
  const parts = [title, text, url].map((part) => part.trim()).filter((part) => part !== "");
  return parts
    .filter((part, at) => !parts.some((other, n) => n !== at && other.includes(part) && (other !== part || n < at)))
    .join("\n");
}
