import { Check, Copy, ExternalLink, Link2, Unlink } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Share } from "../../protocol/account/shares.ts";
import { ActButton } from "../ui/act-button.tsx";
import { toMoment } from "../lib/time.ts";
import { Field } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import { useAccount } from "../state/account/use-account.ts";
import { Sheet } from "../ui/sheet.tsx";
import { useLoad } from "../lib/use-load.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { copyText } from "../lib/copy-text.ts";
import { useThread } from "../state/use-thread.ts";
import { MemberSharing } from "./member-sharing.tsx";
import { share as strings } from "../strings/share/sheet.ts";

type Props = { readonly threadId: string; readonly onClose: () => void };

/** Share links of a thread: create, copy and revoke. */
export const ShareSheet = ({ threadId, onClose }: Props) => {
  const { client, shares: changes } = usePage();
  const thread = useThread(threadId);
  const title = thread?.title ?? "";
  const version = useSignal(changes);
  const [revoked, setRevoked] = useState<readonly string[]>([]);
  const { state, reload } = useLoad(threadId, (signal) =>
    client.listShares({ params: {}, query: { threadId } }, signal),
  );
  useEffect(() => {
    if (version > 0) reload();
  }, [version, reload]);
  const share = async (id: string, name = "", people = false) => {
    const body = { id, people, ...(name.trim() === "" ? {} : { name }) };
    const { path } = await client.createShare({ params: { threadId }, body });
    return new URL(path, location.origin).href;
  };
  return (
    <Sheet title={strings.title} about={strings.about} size="narrow" onClose={onClose}>
      <p dir="auto" className="truncate text-sm font-medium">
        {title}
      </p>
      <ul className="mt-3 grid list-disc gap-1 ps-4 text-sm text-soft">
        <li>{strings.removed}</li>
        <li>{strings.toolsByName}</li>
        <li>{strings.neverShared}</li>
      </ul>
      <CreateLink share={share} onCreated={reload} isActive={(id) => !revoked.includes(id)} />
      <section aria-label={strings.links} className="mt-6">
        <h3 className="text-xs font-medium text-soft">{strings.links}</h3>
        {state.phase === "failed" && (
          <p role="alert" className="mt-2 text-sm text-danger">
            {state.text}
          </p>
        )}
        {state.phase === "ready" && state.value.shares.length === 0 && (
          <p className="mt-2 text-sm text-soft">{strings.noLinks}</p>
        )}
        {state.phase === "ready" && (
          <ul className="mt-2 grid gap-2">
            {state.value.shares.map((one) => (
              <ShareRow
                key={one.id}
                share={one}
                toLink={share}
                onRevoked={() => {
                  setRevoked([...revoked, one.id]);
                  reload();
                }}
              />
            ))}
          </ul>
        )}
      </section>
      {thread && <MemberSharing thread={thread} />}
    </Sheet>
  );
};

type CreateProps = {
  readonly share: (id: string, name: string, people: boolean) => Promise<string>;
  readonly onCreated: () => void;
  /** Whether it has not been revoked. */
  readonly isActive: (id: string) => boolean;
};

/** The name that was last given in this browser. */
const nameKey = "share-name";

const CreateLink = ({ share, onCreated, isActive }: CreateProps) => {
  const [created, setCreated] = useState<{ readonly id: string; readonly link: string } | null>(null);
  const link = created && isActive(created.id) ? created.link : null;
  const [isCopied, setCopied] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const { storage } = usePage();
  const [name, setName] = useState(storage.get(nameKey) ?? "");
  const hasAccounts = useAccount() !== null;
  const [readers, setReaders] = useState<"link" | "people">("link");
  const create = async (id: string) => {
    const url = await share(id, name, readers === "people");
    storage.set(nameKey, name.trim() || null);
    setCreated({ id, link: url });
    setCopied(await copyText(url));
  };
  return (
    <div className="mt-4 grid justify-items-start gap-3">
      <Field
        label={strings.name}
        about={strings.nameAbout}
        value={name}
        maxLength={100}
        autoComplete="name"
        look="w-full max-w-72"
        onChange={(event) => setName(event.target.value)}
      />
      {hasAccounts && (
        <Select
          label={strings.readers}
          value={readers}
          choices={["link", "people"] as const}
          words={strings.readerChoices}
          onChoose={setReaders}
        />
      )}
      <ActButton act={create} onDone={onCreated} look="plain-button strong-button">
        <Link2 aria-hidden="true" className="size-4" />
        {link === null ? strings.create : strings.createAnother}
      </ActButton>
      {link !== null && (
        <div className="grid w-full gap-1">
          <input
            ref={field}
            readOnly
            aria-label={strings.link}
            value={link}
            onFocus={(event) => event.currentTarget.select()}
            className="h-10 w-full truncate rounded-xl bg-sunk px-3 font-mono text-xs"
          />
          <p role="status" className="text-xs text-soft">
            {isCopied ? strings.linkCopied : strings.copyByHand}
          </p>
          {isOnlyHere(link) && <p className="text-xs text-soft">{strings.onlyHere}</p>}
        </div>
      )}
    </div>
  );
};

/** A link to this machine, which other computers cannot open. */
const isOnlyHere = (link: string): boolean =>
  URL.canParse(link) && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(link).hostname);

type RowProps = {
  readonly share: Share;
  readonly toLink: (id: string, name: string, people: boolean) => Promise<string>;
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
      <ActButton look={look} act={async () => setCopied(await copyText(await toLink(share.id, "", share.people)))}>
        <CopyIcon aria-hidden="true" className="size-3.5" />
        {isCopied ? strings.copied : strings.copy}
      </ActButton>
      <ActButton
        look={look}
        act={async () => void window.open(await toLink(share.id, "", share.people), "_blank", "noopener")}
      >
        <ExternalLink aria-hidden="true" className="size-3.5" />
        {strings.open}
      </ActButton>
      <ActButton
        look={`${look} text-danger`}
        act={() => client.revokeShare({ params: { shareId: share.id } })}
        onDone={onRevoked}
      >
        <Unlink aria-hidden="true" className="size-3.5" />
        {strings.stop}
      </ActButton>
    </li>
  );
};

const describeShare = ({ messages, redacted, people }: Share): string =>
  [
    redacted === 0 ? strings.noSecrets(messages) : strings.secretsRemoved(messages, redacted),
    ...(people ? [strings.forPeople] : []),
  ].join(", ");
