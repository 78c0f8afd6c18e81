import { Check, CircleAlert, FileText, Upload, X } from "lucide-react";
import { useCallback, useRef } from "react";
import type { ProjectUpload, ProjectUploadTarget } from "../../protocol/project/uploads.ts";
import { useSignal } from "../lib/signal.ts";
import { useProject } from "../state/project/project-context.ts";
import type { UploadItem } from "../state/project/uploads.ts";
import { toFilePath, toProjectPath } from "../state/route.ts";
import { project } from "../strings/project/page.ts";
import { DropZone } from "../composer/attachments/drop-zone.tsx";
import { IconButton } from "../ui/icon-button.tsx";

const strings = project.files;

type Props = { readonly as: ProjectUploadTarget };

/** Adds files to the project, chosen with a button or dropped anywhere on its page. */
export const AddFiles = ({ as }: Props) => {
  const { uploads } = useProject();
  const input = useRef<HTMLInputElement>(null);
  const add = useCallback((files: readonly File[]) => uploads.add(files, as), [uploads, as]);
  return (
    <>
      <DropZone text={strings.drop[as]} onDrop={add} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          add([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
      <button
        type="button"
        aria-label={strings.add}
        title={strings.hint[as]}
        className="plain-button flex-none"
        onClick={() => input.current?.click()}
      >
        <Upload aria-hidden="true" className="size-4" />
        <span className="max-sm:hidden">{strings.add}</span>
      </button>
    </>
  );
};

/** The files of the last uploads, each with its progress or the reason why it was not added. */
export const UploadList = () => {
  const { uploads } = useProject();
  const items = useSignal(uploads.items);
  if (items.length === 0) return null;
  const isBusy = items.some(isOpen);
  const added = items.filter(({ state }) => state.name === "added").length;
  return (
    <section aria-label={strings.list} className="mx-3 mb-2 flex flex-none items-start rounded-2xl bg-sunk sm:mx-8">
      <div className="min-w-0 flex-1 py-2 ps-3">
        <p role="status" className="text-sm font-medium">
          {isBusy ? strings.adding(items.filter((item) => !isOpen(item)).length, items.length) : strings.added(added)}
        </p>
        <ul className="max-h-40 overflow-y-auto overscroll-contain text-sm">
          {items.map((item) => (
            <Row key={item.key} item={item} />
          ))}
        </ul>
      </div>
      {!isBusy && (
        <IconButton label={strings.dismiss} onClick={() => uploads.clear()}>
          <X aria-hidden="true" className="size-4" />
        </IconButton>
      )}
    </section>
  );
};

const isOpen = ({ state }: UploadItem): boolean => state.name === "waiting" || state.name === "uploading";

const Row = ({ item: { name, state } }: { readonly item: UploadItem }) => {
  const isRefused = state.name === "refused";
  const Icon = isRefused ? CircleAlert : state.name === "added" ? Check : FileText;
  return (
    <li className="flex min-h-8 items-start gap-2 py-1">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 flex-none ${isRefused ? "text-danger" : "text-soft"}`} />
      <span className="min-w-0 flex-1 wrap-anywhere">
        {state.name === "added" ? <AddedLink added={state.added} /> : <bdi>{name}</bdi>}
        {isRefused && (
          <span role="alert" className="block text-xs text-danger">
            {state.text}
          </span>
        )}
      </span>
      {state.name === "uploading" && (
        <span className="flex-none pe-2 text-xs text-soft tabular-nums">{strings.progress(state.share)}</span>
      )}
    </li>
  );
};

const AddedLink = ({ added: { as, id, name } }: { readonly added: ProjectUpload }) => {
  const { projectId } = useProject();
  return (
    <a
      href={as === "file" ? toFilePath(projectId, id) : toProjectPath(projectId, "documents", id)}
      className="hover:underline"
    >
      <bdi>{as === "file" ? id : name}</bdi>
    </a>
  );
};
