import { useState } from "react";
import type { ImportLine } from "../../../protocol/account/imports.ts";
import type { MemoryField } from "../../../protocol/memory.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { toPath, toProjectPath } from "../../state/route.ts";
import { memoryFields } from "../../strings/labels/prompt.ts";
import { transfer as strings } from "../../strings/settings/transfer.ts";
import { Failed, Quiet, Waiting } from "../../ui/section.tsx";

type Props = { readonly importId: string; readonly name: string };

/** The lines of a report, with links to threads and projects. */
export const ImportReport = ({ importId, name }: Props) => {
  const { client } = usePage();
  const [limit, setLimit] = useState(PAGE);
  const { state, reload } = useLoad(`${importId} ${limit}`, async (signal) => {
    const lines: ImportLine[] = [];
    for (let after: number | null = 0; after !== null && lines.length < limit;) {
      const query: { after: number; limit: number } = { after, limit: PAGE };
      const page: Awaited<ReturnType<typeof client.getImport>> = await client.getImport(
        { params: { importId }, query },
        signal,
      );
      lines.push(...page.lines);
      after = page.nextAfter;
      if (after === null) return { lines, hasMore: false };
    }
    return { lines, hasMore: true };
  });
  if (state.phase === "loading") return <Waiting />;
  if (state.phase === "failed") return <Failed text={state.text} onRetry={reload} />;
  const { lines, hasMore } = state.value;
  return (
    <>
      {lines.length === 0 && <Quiet>{strings.empty}</Quiet>}
      <ul aria-label={strings.report(name)} className="grid gap-1.5 text-sm empty:hidden">
        {lines.map((line) => (
          <li key={line.n} className="min-w-0 break-words">
            <Line importId={importId} line={line} onDecided={reload} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <button
          type="button"
          className="plain-button min-h-8 justify-self-start"
          onClick={() => setLimit(limit + PAGE)}
        >
          {strings.more}
        </button>
      )}
    </>
  );
};

const PAGE = 200;

type LineProps = { readonly importId: string; readonly line: ImportLine; readonly onDecided: () => void };

const Line = ({ importId, line, onDecided }: LineProps) => {
  const { kind, target, text } = line;
  const shown = text.trim() === "" ? strings.untitled : text;
  if (kind === "memory") return <MemoryLine importId={importId} line={line} onDecided={onDecided} />;
  const path =
    kind === "thread" || kind === "known" ? toPath(target) : kind === "project" ? toProjectPath(target) : null;
  return (
    <>
      <span className="text-soft">{strings.kinds[kind]}: </span>
      {path === null ? (
        <span className="whitespace-pre-wrap">{shown}</span>
      ) : (
        <a href={path} className="text-accent underline underline-offset-2">
          {shown}
        </a>
      )}
    </>
  );
};

const MemoryLine = ({ importId, line, onDecided }: LineProps) => {
  const { client } = usePage();
  const { state, send } = useRequest();
  const decide = async (add: boolean) => {
    const body = { line: line.n, add };
    if (await send(() => client.decideImport({ params: { importId }, body }))) onDecided();
  };
  const isSending = state.name === "sending";
  return (
    <div className="grid gap-2 rounded-xl border border-line px-3 py-2.5">
      <p className="text-soft">{strings.memoryTo(memoryFields[line.target as MemoryField] ?? line.target)}</p>
      <p className="whitespace-pre-wrap">{line.text}</p>
      <div className="flex flex-wrap gap-2">
        <button type="button" className="plain-button min-h-8" disabled={isSending} onClick={() => void decide(true)}>
          {strings.addMemory}
        </button>
        <button type="button" className="plain-button min-h-8" disabled={isSending} onClick={() => void decide(false)}>
          {strings.declineMemory}
        </button>
      </div>
      {state.name === "failed" && (
        <p role="alert" className="text-danger">
          {state.text}
        </p>
      )}
    </div>
  );
};
