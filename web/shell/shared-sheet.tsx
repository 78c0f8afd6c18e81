import { useEffect, useState } from "react";
import { composerFieldId } from "../composer/composer.tsx";
import { focusSoon } from "../lib/focus-soon.ts";
import { toSize } from "../lib/format.ts";
import { dropShared, readShared, type SharedContent } from "../state/device/shared-content.ts";
import { firstOwner } from "../state/drafts.ts";
import { usePage } from "../state/page.ts";
import { notify } from "../strings/notify.ts";
import { Sheet } from "../ui/sheet.tsx";

const strings = notify.shared;

/** Asks before content of another app becomes part of a draft: any website can send it. */
const SharedSheet = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const { drafts, getAttaching, goTo } = usePage();
  const [content, setContent] = useState<SharedContent | null | undefined>(undefined);
  useEffect(() => {
    void readShared(id).then(setContent, () => setContent(null));
  }, [id]);
  if (content === undefined) return null;
  const add = ({ text, files }: SharedContent) => {
    const draft = drafts.of(firstOwner);
    if (text !== "") draft.write([draft.text.get(), text].filter((part) => part.trim() !== "").join("\n\n"));
    if (files.length > 0) getAttaching(null).add(files);
    void dropShared();
    goTo(null);
    onClose();
    focusSoon(() => document.getElementById(composerFieldId));
  };
  const discard = () => {
    void dropShared();
    onClose();
  };
  if (content === null)
    return (
      <Sheet title={strings.title} size="narrow" onClose={onClose}>
        <p className="text-sm text-soft">{strings.gone}</p>
      </Sheet>
    );
  return (
    <Sheet title={strings.title} about={strings.about} size="narrow" onClose={discard}>
      {content.text !== "" && (
        <p
          dir="auto"
          className="max-h-60 overflow-y-auto rounded-xl bg-sunk px-4 py-3 text-sm whitespace-pre-wrap wrap-anywhere"
        >
          {content.text}
        </p>
      )}
      {content.files.length > 0 && (
        <ul aria-label={strings.files} className="mt-3 grid gap-1 text-sm">
          {content.files.map((file, n) => (
            <li key={n} className="flex gap-2">
              <bdi className="min-w-0 flex-1 wrap-anywhere">{file.name}</bdi>
              <span className="text-soft">{toSize(file.size)}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="mt-5 flex justify-end gap-2">
        <button type="button" className="plain-button" onClick={discard}>
          {strings.discard}
        </button>
        <button type="button" className="plain-button strong-button" onClick={() => add(content)}>
          {strings.add}
        </button>
      </div>
    </Sheet>
  );
};

export default SharedSheet;
