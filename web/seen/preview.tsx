import { RefreshCw } from "lucide-react";
import { useState } from "react";
import type { Beside } from "../context/places.ts";
import { policyWords } from "../context/words.ts";
import { usePage } from "../state/page.ts";
import { useLoad } from "../frame/use-load.ts";
import { toExcerpt, type Given } from "./account/blocks.ts";
import { ReceiptView } from "./receipt-view.tsx";
import { Note } from "./seen.tsx";
import type { Shown } from "./account/shown.ts";

type Props = { readonly place: Extract<Beside, { kind: "preview" }> };

/** What would be sent for a draft and the files that wait with it, compared with the last call that was. Nothing is sent or kept. */
export const Preview = ({ place: { threadId, text: first, model } }: Props) => {
  const { client, keep } = usePage();
  const [text, setText] = useState(first);
  const { state, reload } = useLoad(`${model} ${text}`, async (signal) => {
    const { attachments: files } = await client.listAttachments({ query: { threadId } }, signal);
    const attachments = files.map(({ id }) => id);
    const body = { text, attachments, ...(model === "" ? {} : { model }) };
    const [preview, newest] = await Promise.all([
      client.previewContext({ params: { threadId }, body }, signal),
      client.listReceipts({ params: { threadId }, query: { limit: 1 } }, signal),
    ]);
    return { ...preview, files, previousId: newest.receipts[0]?.id ?? null };
  });
  const files = state.phase === "ready" ? state.value.files : [];
  const again = () => {
    const draft = keep.get(`draft.${threadId}`)?.trim();
    if (draft && draft !== text) setText(draft);
    else reload();
  };
  return (
    <>
      <div className="mb-4 flex items-center gap-3 rounded-xl bg-raised py-2 ps-3.5 pe-2 text-sm">
        <p className="min-w-0 flex-1">
          <span className="block text-xs text-soft">Not sent yet</span>
          <span dir="auto" className="line-clamp-2 wrap-anywhere">
            {[toExcerpt(text, 160), ...files.map(({ name }) => name)].filter(Boolean).join(" · ")}
          </span>
        </p>
        <button type="button" className="plain-button min-h-8 pointer-coarse:min-h-10" onClick={again}>
          <RefreshCw aria-hidden="true" className="size-3.5" />
          Preview again
        </button>
      </div>
      {state.phase === "loading" && <Note text="Loading…" />}
      {state.phase === "failed" && <Note text={state.text} isBad />}
      {state.phase === "ready" && (
        <>
          <p className="mb-3 text-xs text-soft">
            {state.value.receipt.model} · {policyWords[state.value.receipt.policy].name}
          </p>
          <ReceiptView threadId={threadId} shown={toShown(state.value)} />
        </>
      )}
    </>
  );
};

type Answer = Pick<Shown, "receipt" | "previousId"> & Given;

const toShown = ({ receipt, previousId, system, tools, blocks }: Answer): Shown => ({
  receipt,
  previousId,
  call: null,
  cacheNote: null,
  given: { system, tools, blocks },
  verified: null,
  isPreview: true,
});
