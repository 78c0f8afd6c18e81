import type { Attachment } from "../../protocol/attachments.ts";
import type { Client } from "../../protocol/client.ts";
import { createSignal, type Signal } from "../lib/signal.ts";
import { checkFile } from "./check-file.ts";
import type { upload } from "../api/upload.ts";
import { attachmentLimits, imageTypes } from "../../protocol/attachment-limits.ts";
import { errors } from "../strings/errors.ts";
import { notices as strings } from "../strings/notices.ts";

/** A file that is being attached. */
export type Item = {
  readonly key: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** The URL of a picture to show. */
  readonly picture: string | null;
  readonly state:
    | { readonly name: "uploading"; readonly share: number }
    | { readonly name: "ready"; readonly file: Attachment }
    | { readonly name: "refused"; readonly text: string };
};

export type Attaching = {
  readonly items: Signal<readonly Item[]>;
  add(files: readonly File[]): void;
  remove(key: string): void;
  /** Loads the files that are uploaded and not sent yet, from any tab; those of messages in the outbox are left out. */
  load(): Promise<void>;
  /** Returns the ids of all uploaded files and hands them over to the message. */
  take(): readonly string[];
};

type Options = {
  readonly threadId: string | null;
  readonly client: Pick<Client, "listAttachments" | "removeAttachment">;
  readonly upload: typeof upload;
  /** Files of messages in the outbox. */
  readonly listSending: () => readonly string[];
};

export const toFileUrl = (id: string): string => `/api/attachments/${encodeURIComponent(id)}/file`;

/** The picture of a page, or of a photo that browsers may not show. */
export const toPageUrl = (id: string, page: number): string =>
  `/api/attachments/${encodeURIComponent(id)}/pages/${page}`;

const toPictureUrl = ({ id, mediaType }: Attachment): string =>
  (imageTypes as readonly string[]).includes(mediaType) ? toFileUrl(id) : toPageUrl(id, 1);

/**
 * Attachments of a thread's next message; null for a thread that does not exist yet. Files are uploaded at once, even while
 * another thread is open, so that sending does not wait.
 */
export function createAttaching({ threadId, client, upload: send, listSending }: Options): Attaching {
  const items = createSignal<readonly Item[]>([]);
  const uploads = new Map<string, AbortController>();
  const shown = new Set<string>();
  let count = 0;

  const change = (key: string, patch: Partial<Item>): void =>
    items.set(items.get().map((item) => (item.key === key ? { ...item, ...patch } : item)));

  const start = async (key: string, given: File): Promise<void> => {
    const controller = new AbortController();
    uploads.set(key, controller);
    try {
      const { file, name } = await shrinkPicture(given);
      const onProgress = (share: number): void => change(key, { state: { name: "uploading", share } });
      const done = await send({ file, name, threadId, onProgress, signal: controller.signal });
      if (controller.signal.aborted) void drop(done.id);
      else {
        const picture = done.kind === "image" && !isShown(given) ? { picture: toPictureUrl(done) } : {};
        change(key, { name: done.name, sizeBytes: done.sizeBytes, state: { name: "ready", file: done }, ...picture });
      }
    } catch (error) {
      change(key, { state: { name: "refused", text: error instanceof Error ? error.message : errors.uploadFailed } });
    } finally {
      uploads.delete(key);
    }
  };
  const drop = (id: string): Promise<unknown> =>
    client.removeAttachment({ params: { attachmentId: id } }).catch(() => undefined);
  const hide = (picture: string | null): void => {
    if (picture !== null && shown.delete(picture)) URL.revokeObjectURL(picture);
  };

  return {
    items,
    add: (files) => {
      for (const file of files) {
        const key = `file-${(count += 1)}`;
        const present = items.get().filter(({ state }) => state.name !== "refused").length;
        const refused = checkFile(file, present);
        const picture = refused === undefined && isShown(file) ? URL.createObjectURL(file) : null;
        if (picture !== null) shown.add(picture);
        const state = refused === undefined ? ({ name: "uploading", share: 0 } as const) : toRefused(refused);
        items.set([
          ...items.get(),
          { key, name: file.name || strings.files.pasted, sizeBytes: file.size, picture, state },
        ]);
        if (refused === undefined) void start(key, file);
      }
    },
    remove: (key) => {
      const item = items.get().find((one) => one.key === key);
      items.set(items.get().filter((one) => one.key !== key));
      uploads.get(key)?.abort();
      hide(item?.picture ?? null);
      if (item?.state.name === "ready") void drop(item.state.file.id);
    },
    load: async () => {
      const query = threadId === null ? {} : { threadId };
      const before = new Set(listReady(items.get()).map(({ id }) => id));
      const answer = await client.listAttachments({ query }).catch(() => null);
      if (!answer) return;
      const waiting = new Set(answer.attachments.map(({ id }) => id));
      const stays = ({ state }: Item) =>
        state.name !== "ready" || waiting.has(state.file.id) || !before.has(state.file.id);
      const taken = new Set([...listSending(), ...listReady(items.get()).map(({ id }) => id)]);
      const fresh = answer.attachments.filter(({ id }) => !taken.has(id));
      for (const item of items.get()) if (!stays(item)) hide(item.picture);
      items.set([...fresh.map(toItem), ...items.get().filter(stays)]);
    },
    take: () => {
      const ids = listReady(items.get()).map(({ id }) => id);
      for (const { picture } of items.get()) hide(picture);
      items.set([]);
      return ids;
    },
  };
}

/** Whether the browser shows this picture. */
const isShown = ({ type }: File): boolean =>
  (imageTypes as readonly string[]).includes(type) || type === "image/svg+xml";

const toRefused = (text: string) => ({ name: "refused", text }) as const;

export const listReady = (items: readonly Item[]): readonly Attachment[] =>
  items.flatMap(({ state }) => (state.name === "ready" ? [state.file] : []));

const toItem = (file: Attachment): Item => ({
  key: file.id,
  name: file.name,
  sizeBytes: file.sizeBytes,
  picture: file.kind === "image" ? toPictureUrl(file) : null,
  state: { name: "ready", file },
});

/** Providers scale down larger pictures themselves. */
const SIDE = 2048;
const QUALITY = 0.9;

/** Scales down a photo that is larger than models accept; other files are unchanged. */
async function shrinkPicture(file: File): Promise<{ readonly file: Blob; readonly name: string }> {
  const same = { file, name: file.name };
  const isPicture = (imageTypes as readonly string[]).includes(file.type);
  if (!isPicture || file.size <= attachmentLimits.imageBytes) return same;
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, SIDE / Math.max(bitmap.width, bitmap.height));
    const canvas = new OffscreenCanvas(Math.ceil(bitmap.width * scale), Math.ceil(bitmap.height * scale));
    const context = canvas.getContext("2d");
    if (!context) return same;
    // Only JPEG: transparent areas of other formats would turn black.
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    const smaller = await canvas.convertToBlob({ type: "image/jpeg", quality: QUALITY });
    return { file: smaller, name: file.name.replace(/(\.\w+)?$/, ".jpg") };
  } catch {
    // Files that the browser cannot decode are checked by the server, which reports the problem.
    return same;
  }
}
