import { Check, Copy, ExternalLink, Link2, Unlink } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Share } from "../../protocol/account/shares.ts";
import { ActButton } from "../ui/act-button.tsx";
import { toMoment } from "../lib/time.ts";
import { Sheet } from "../ui/sheet.tsx";
import { useLoad } from "../lib/use-load.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { copyText } from "../lib/copy-text.ts";
import { useThread } from "../state/use-thread.ts";

type Props = { readonly threadId: string; readonly onClose: () => void };

/** Share links of a thread: create, copy and revoke. */
export const ShareSheet = ({ threadId, onClose }: Props) => {
  const { client, shares: changes } = usePage();
  const title = useThread(threadId)?.title ?? "";
  const turn = useSignal(changes);
  const [ended, setEnded] = useState<readonly string[]>([]);
  const { state, reload } = useLoad(threadId, (signal) =>
    client.listShares({ params: {}, query: { threadId } }, signal),
  );
  useEffect(() => {
    if (turn > 0) reload();
  }, [turn, reload]);
  const share = async (id: string) => {
    const { path } = await client.createShare({ params: { threadId }, body: { id } });
    return new URL(path, location.origin).href;
  };
  return (
    <Sheet
      title="Share this thread"
      about="Whoever has the link reads the thread as it is now, without signing in. What is said later is not in it."
      size="narrow"
      onClose={onClose}
    >
      <p dir="auto" className="truncate text-sm font-medium">
        {title}
      </p>
      <ul className="mt-3 grid list-disc gap-1 ps-4 text-sm text-soft">
        <li>Keys, passwords and other secrets that are found in it are taken out.</li>
        <li>Tools are told by name only, not what they were given or returned.</li>
        <li>Reasoning, memory, what stands in files and what the model saw are never shared.</li>
      </ul>
      <MakeLink share={share} onMade={reload} isThere={(id) => !ended.includes(id)} />
      <section aria-label="Links to this thread" className="mt-6">
        <h3 className="text-xs font-medium text-soft">Links to this thread</h3>
        {state.phase === "failed" && (
          <p role="alert" className="mt-2 text-sm text-danger">
            {state.text}
          </p>
        )}
        {state.phase === "ready" && state.value.shares.length === 0 && (
          <p className="mt-2 text-sm text-soft">None yet.</p>
        )}
        {state.phase === "ready" && (
          <ul className="mt-2 grid gap-2">
            {state.value.shares.map((one) => (
              <ShareRow
                key={one.id}
                share={one}
                toLink={share}
                onRevoked={() => {
                  setEnded([...ended, one.id]);
                  reload();
                }}
              />
            ))}
          </ul>
        )}
      </section>
    </Sheet>
  );
};

type MakeProps = {
  readonly share: (id: string) => Promise<string>;
  readonly onMade: () => void;
  /** Whether it has not been revoked. */
  readonly isThere: (id: string) => boolean;
};

const MakeLink = ({ share, onMade, isThere }: MakeProps) => {
  const [made, setMade] = useState<{ readonly id: string; readonly link: string } | null>(null);
  const link = made && isThere(made.id) ? made.link : null;
  const [isCopied, setCopied] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const make = async (id: string) => {
    const fresh = await share(id);
    setMade({ id, link: fresh });
    setCopied(await copyText(fresh));
  };
  return (
    <div className="mt-4 grid justify-items-start gap-3">
      <ActButton act={make} onDone={onMade} look="plain-button strong-button">
        <Link2 aria-hidden="true" className="size-4" />
        {link === null ? "Make a link" : "Make another link"}
      </ActButton>
      {link !== null && (
        <div className="grid w-full gap-1">
          <input
            ref={field}
            readOnly
            aria-label="Link"
            value={link}
            onFocus={(event) => event.currentTarget.select()}
            className="h-10 w-full truncate rounded-xl bg-sunk px-3 font-mono text-xs"
          />
          <p role="status" className="text-xs text-soft">
            {isCopied ? "It is in your clipboard." : "Copy it from here."}
          </p>
        </div>
      )}
    </div>
  );
};

type RowProps = {
  readonly share: Share;
  readonly toLink: (id: string) => Promise<string>;
  readonly onRevoked: () => void;
};

const ShareRow = ({ share, toLink, onRevoked }: RowProps) => {
  const { client } = usePage();
  const [isCopied, setCopied] = useState(false);
  const CopyIcon = isCopied ? Check : Copy;
  const look = "plain-button min-h-8 bg-transparent px-2 text-xs pointer-coarse:min-h-10";
  return (
    <li className="flex flex-wrap items-center gap-x-1 gap-y-1 rounded-xl bg-sunk py-1.5 ps-3.5 pe-1.5 text-sm">
      <span className="min-w-0 flex-1 basis-40 max-sm:basis-full max-sm:pt-1">
        {toMoment(share.createdAt)}
        <span className="block text-xs text-soft">{describeShare(share)}</span>
      </span>
      <ActButton look={look} act={async () => setCopied(await copyText(await toLink(share.id)))}>
        <CopyIcon aria-hidden="true" className="size-3.5" />
        {isCopied ? "Copied" : "Copy link"}
      </ActButton>
      <ActButton look={look} act={async () => void window.open(await toLink(share.id), "_blank", "noopener")}>
        <ExternalLink aria-hidden="true" className="size-3.5" />
        Open
      </ActButton>
      <ActButton
        look={`${look} text-danger`}
        act={() => client.revokeShare({ params: { shareId: share.id } })}
        onDone={onRevoked}
      >
        <Unlink aria-hidden="true" className="size-3.5" />
        End
      </ActButton>
    </li>
  );
};

function describeShare({ messages, redacted }: Share): string {
  const count = `${messages} ${messages === 1 ? "message" : "messages"}`;
  if (redacted === 0) return `${count}, no secrets found`;
  return `${count}, ${redacted} ${redacted === 1 ? "secret" : "secrets"} taken out`;
}
