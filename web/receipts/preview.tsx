import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { listReady } from "../state/attaching.ts";
import { toSendable } from "../api/limits.ts";
import type { SidePanelRoute, DraftContent } from "../state/panels.ts";
import { policyWords } from "../labels/context.ts";
import { usePage } from "../state/page.ts";
import { useLoad } from "../lib/use-load.ts";
import { toExcerpt, type BlockInput } from "./blocks.ts";
import { ReceiptView } from "./receipt-view.tsx";
import { actions } from "../strings/actions.ts";
import { receipts as strings } from "../strings/receipts.ts";
import { Note } from "./receipts.tsx";
import type { ReceiptDetails } from "./receipt-details.ts";

type Props = { readonly route: Extract<SidePanelRoute, { kind: "preview" }> };

/** The request that would be sent for a draft and its files, compared with the last one. Nothing is sent or stored. */
export const Preview = ({ route: { threadId, draft: first, model } }: Props) => {
  const { client, drafts, getAttaching } = usePage();
  const [draft, setDraft] = useState(first);
  const { text, files } = draft;
  const { state, reload } = useLoad(`${model} ${toDraftKey(draft)}`, async (signal) => {
    const attachments = files.map(({ id }) => id);
    const body = { text, attachments, ...(model === "" ? {} : { model }) };
    const [preview, newest] = await Promise.all([
      client.previewContext({ params: { threadId }, body }, signal),
      client.listReceipts({ params: { threadId }, query: { limit: 1 } }, signal),
    ]);
    return { ...preview, previousId: newest.receipts[0]?.id ?? null };
  });
  const update = () => {
    const now = {
      text: toSendable(drafts.of(threadId).text.get()),
      files: listReady(getAttaching(threadId).items.get()),
    };
    const isEmpty = now.text === "" && now.files.length === 0;
    if (isEmpty || toDraftKey(now) === toDraftKey(draft)) reload();
    else setDraft(now);
  };
  return (
    <>
      <div className="mb-4 flex items-center gap-3 rounded-xl bg-raised py-2 ps-3.5 pe-2 text-sm">
        <p className="min-w-0 flex-1">
          <span className="block text-xs text-soft">{strings.notSent}</span>
          <span dir="auto" className="line-clamp-2 wrap-anywhere">
            {[toExcerpt(text, 160), ...files.map(({ name }) => name)].filter(Boolean).join(" · ")}
          </span>
        </p>
        <button type="button" className="plain-button min-h-8 pointer-coarse:min-h-10" onClick={update}>
          <RefreshCw aria-hidden="true" className="size-3.5" />
          {strings.updatePreview}
        </button>
      </div>
      {state.phase === "loading" && <Note text={actions.loading} />}
      {state.phase === "failed" && <Note text={state.text} isBad />}
      {state.phase === "ready" && (
        <>
          <p className="mb-3 text-xs text-soft">
            {strings.previewLine(state.value.receipt.model, policyWords[state.value.receipt.policy].name)}
          </p>
          <ReceiptView threadId={threadId} details={toDetails(state.value)} />
        </>
      )}
    </>
  );
};

export const toDraftKey = ({ text, files }: DraftContent): string => `${files.map(({ id }) => id).join()} ${text}`;

type PromptPreview = Pick<ReceiptDetails, "receipt" | "previousId"> & BlockInput;

const toDetails = ({ receipt, previousId, system, tools, blocks }: PromptPreview): ReceiptDetails => ({
  receipt,
  previousId,
  call: null,
  cacheNote: null,
  request: { system, tools, blocks },
  verified: null,
  isPreview: true,
});
