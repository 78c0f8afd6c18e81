import { Upload } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Import } from "../../../protocol/account/imports.ts";
import { sendFile } from "../../api/upload.ts";
import { DropZone } from "../../composer/attachments/drop-zone.tsx";
import { useLoad } from "../../lib/use-load.ts";
import { toRelativeTime } from "../../lib/time.ts";
import { useNow } from "../../lib/use-now.ts";
import { usePage } from "../../state/page.ts";
import { transfer as strings } from "../../strings/settings/transfer.ts";
import { Badge } from "../../ui/badge.tsx";
import { Failed, Quiet, Section } from "../../ui/section.tsx";
import { Deletable } from "../deletable.tsx";
import { ImportReport } from "./import-report.tsx";

const LOOK_MS = 1_000;

/** Imports: upload by button or drop, progress, and the report of each. */
export const ImportSection = () => {
  const { client } = usePage();
  const { state, reload } = useLoad("imports", (signal) => client.listImports({ params: {}, query: {} }, signal));
  const input = useRef<HTMLInputElement>(null);
  const { upload, send, cancel } = useUpload(reload);
  const all = state.phase === "ready" ? state.value.imports : [];
  const isRunning = all.some(({ state: one }) => one === "running" || one === "receiving");
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [isRunning, reload]);
  const onDrop = useCallback(
    (files: readonly File[]) => {
      for (const file of files.slice(0, 1)) void send(file);
    },
    [send],
  );
  const isSending = upload.name === "sending";
  return (
    <Section title={strings.importTitle}>
      <Quiet>{strings.importAbout}</Quiet>
      <input
        ref={input}
        type="file"
        accept=".zip,.json,.jsonl,.md,.markdown"
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = "";
          if (file) void send(file);
        }}
      />
      <div className="mt-2 flex flex-wrap items-center gap-3">
        <button type="button" className="plain-button" disabled={isSending} onClick={() => input.current?.click()}>
          <Upload aria-hidden="true" className="size-4" />
          {strings.choose}
        </button>
        {isSending && (
          <>
            <p role="status" className="text-sm text-soft tabular-nums">
              {strings.uploading(Math.floor(upload.share * 100))}
            </p>
            <button type="button" className="plain-button" onClick={cancel}>
              {strings.cancel}
            </button>
          </>
        )}
      </div>
      {upload.name === "failed" && (
        <p role="alert" className="py-2 text-sm text-danger">
          {upload.text}
        </p>
      )}
      <DropZone text={strings.drop} onDrop={onDrop} />
      {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
      <ul aria-label={strings.list} className="mt-3 grid gap-2 empty:hidden">
        {all.map((one) => (
          <li key={one.id}>
            <ImportRow given={one} onChanged={reload} />
          </li>
        ))}
      </ul>
    </Section>
  );
};

type UploadState =
  | { readonly name: "idle" }
  | { readonly name: "sending"; readonly share: number }
  | { readonly name: "failed"; readonly text: string };

function useUpload(onSent: () => void) {
  const [upload, setUpload] = useState<UploadState>({ name: "idle" });
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const send = useCallback(
    async (file: File): Promise<void> => {
      const own = new AbortController();
      controller.current = own;
      setUpload({ name: "sending", share: 0 });
      try {
        await sendFile<Import>({
          file,
          path: `/api/imports?${new URLSearchParams({ name: file.name })}`,
          onProgress: (share) => setUpload({ name: "sending", share }),
          signal: own.signal,
        });
        setUpload({ name: "idle" });
      } catch (error) {
        setUpload(own.signal.aborted ? { name: "idle" } : { name: "failed", text: (error as Error).message });
      }
      onSent();
    },
    [onSent],
  );
  return { upload, send, cancel: () => controller.current?.abort() } as const;
}

type RowProps = { readonly given: Import; readonly onChanged: () => void };

const ImportRow = ({ given, onChanged }: RowProps) => {
  const { client } = usePage();
  const now = useNow();
  const [isOpen, setOpen] = useState(false);
  const { id, name, state, format, counts, error, createdAt } = given;
  const facts = [
    format === null ? "" : strings.formats[format],
    counts.threads === 0 ? "" : strings.threads(counts.threads),
    counts.messages === 0 ? "" : strings.messages(counts.messages),
    counts.projects === 0 ? "" : strings.projects(counts.projects),
    counts.known === 0 ? "" : strings.known(counts.known),
    counts.notes === 0 ? "" : strings.notes(counts.notes),
    toRelativeTime(createdAt, now),
  ].filter((text) => text !== "");
  const tone = state === "done" ? "good" : state === "failed" ? "bad" : "quiet";
  return (
    <div className="grid gap-2 rounded-2xl bg-raised px-4 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <Deletable
          label={strings.remove(name)}
          title={strings.removeTitle(name)}
          text={strings.removeAbout}
          action={strings.removeAction}
          send={() => client.removeImport({ params: { importId: id } })}
          onDeleted={onChanged}
        >
          {(button) => (
            <>
              <div className="min-w-0 flex-1">
                <p className="text-sm font-medium break-words">{name}</p>
                <p className="text-xs text-soft">{facts.join(" · ")}</p>
              </div>
              <span role="status">
                <Badge tone={tone}>{strings.states[state]}</Badge>
              </span>
              {button}
            </>
          )}
        </Deletable>
      </div>
      {error !== null && <p className="text-sm text-danger">{error}</p>}
      <button
        type="button"
        className="plain-button min-h-8 justify-self-start"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? strings.hideReport : strings.showReport}
      </button>
      {isOpen && <ImportReport importId={id} name={name} key={`${id} ${state}`} />}
    </div>
  );
};
