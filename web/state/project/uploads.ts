import type { ProjectUpload, ProjectUploadTarget } from "../../../protocol/project/uploads.ts";
import { sendFile } from "../../api/upload.ts";
import { createSignal, type Signal } from "../../lib/signal.ts";
import { errors } from "../../strings/errors.ts";
import { checkFile } from "../check-file.ts";

/** A file that is being added to the project. */
export type UploadItem = {
  readonly key: number;
  readonly name: string;
  readonly state:
    | { readonly name: "waiting" }
    | { readonly name: "uploading"; readonly share: number }
    | { readonly name: "added"; readonly added: ProjectUpload }
    | { readonly name: "refused"; readonly text: string };
};

export type Uploads = {
  readonly items: Signal<readonly UploadItem[]>;
  add(files: readonly File[], as: ProjectUploadTarget): void;
  /** Removes the finished files from the list. */
  clear(): void;
};

/** Files are sent one after another, also while another page is open. An error of one does not stop the others. */
export function createUploads(projectId: string, send: typeof sendFile = sendFile): Uploads {
  const items = createSignal<readonly UploadItem[]>([]);
  const change = (key: number, state: UploadItem["state"]): void =>
    items.set(items.get().map((item) => (item.key === key ? { ...item, state } : item)));
  let count = 0;
  let last: Promise<void> = Promise.resolve();

  const start = async (key: number, file: File, as: ProjectUploadTarget): Promise<void> => {
    const query = new URLSearchParams({ name: file.name, as });
    const path = `/api/projects/${encodeURIComponent(projectId)}/uploads?${query}`;
    const onProgress = (share: number): void => change(key, { name: "uploading", share });
    onProgress(0);
    try {
      change(key, { name: "added", added: await send<ProjectUpload>({ file, path, onProgress }) });
    } catch (error) {
      change(key, { name: "refused", text: error instanceof Error ? error.message : errors.uploadFailed });
    }
  };

  return {
    items,
    add: (files, as) => {
      for (const file of files) {
        const key = (count += 1);
        const refused = checkFile(file, 0);
        const state = refused === undefined ? ({ name: "waiting" } as const) : toRefused(refused);
        items.set([...items.get(), { key, name: file.name, state }]);
        if (refused === undefined) last = last.then(() => start(key, file, as));
      }
    },
    clear: () => items.set(items.get().filter(({ state }) => state.name === "waiting" || state.name === "uploading")),
  };
}

const toRefused = (text: string) => ({ name: "refused", text }) as const;
