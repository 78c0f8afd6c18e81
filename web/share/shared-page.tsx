import { CopyPlus, File, Wrench, type LucideIcon } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { createClient, ResponseError } from "../../protocol/client.ts";
import type { SharedMessage, SharedPart, SharedThread } from "../../protocol/account/shares.ts";
import { useLoad } from "../lib/use-load.ts";
import { toDay } from "../lib/time.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { PlainText } from "../ui/plain-text.tsx";
import { toSafeHref } from "../lib/links.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Bird } from "../ui/bird.tsx";
import { actions } from "../strings/actions.ts";
import { sharedPage as strings } from "../strings/share/page.ts";

/** A shared thread, read-only, for anyone with the link. Independent of the app and its state. */
const SharedPage = ({ token }: { readonly token: string }) => {
  const { state } = useLoad(token, (signal) => load(token, signal));
  const title = (state.phase === "ready" && state.value.title) || strings.untitled;
  useEffect(() => {
    document.title = strings.tabTitle(title);
  }, [title]);
  if (state.phase === "loading")
    return (
      <p role="status" className="grid h-full animate-late place-items-center text-sm text-soft">
        {actions.loading}
      </p>
    );
  if (state.phase === "ready") return <Thread title={title} thread={state.value} token={token} />;
  const isGone = state.status === 404;
  if (state.status === 401)
    return (
      <main className="grid h-full place-content-center justify-items-center gap-3 px-6 text-center">
        <Bird className="size-12" />
        <h1 className="font-serif text-2xl">{strings.forUsers}</h1>
        <p className="max-w-sm text-soft">{strings.forUsersAbout}</p>
        <a href="/" className="plain-button strong-button mt-2">
          {strings.signIn}
        </a>
      </main>
    );
  return (
    <main className="grid h-full place-content-center justify-items-center gap-3 px-6 text-center">
      <Bird className="size-12" />
      <h1 className="font-serif text-2xl">{isGone ? strings.gone : strings.failed}</h1>
      <p className="max-w-sm text-soft">{isGone ? strings.goneAbout : state.text}</p>
    </main>
  );
};

export default SharedPage;

/** A link for users of this server is opened with the browser's session. */
async function load(token: string, signal: AbortSignal): Promise<SharedThread> {
  const client = createClient();
  const params = { token };
  try {
    return await client.getShared({ params }, signal);
  } catch (error) {
    if (!(error instanceof ResponseError) || error.status !== 401) throw error;
    return client.getSharedAsUser({ params }, signal);
  }
}

type ThreadProps = { readonly title: string; readonly thread: SharedThread; readonly token: string };

const Thread = ({ title, thread, token }: ThreadProps) => (
  <main aria-label={title} tabIndex={0} className="h-full overflow-y-auto focus-visible:-outline-offset-2">
    <div className="mx-auto grid max-w-3xl gap-6 px-4 pt-[max(2rem,env(safe-area-inset-top))] pb-12 sm:px-6 [&>*]:min-w-0">
      <header className="grid gap-2">
        <h1 dir="auto" className="font-serif text-3xl tracking-tight text-balance wrap-anywhere">
          {title}
        </h1>
        <p className="text-sm text-soft">
          {thread.sharedBy === undefined
            ? strings.about(toDay(thread.sharedAt))
            : strings.aboutBy(thread.sharedBy, toDay(thread.sharedAt))}
        </p>
        <ContinueInCopy token={token} />
      </header>
      {thread.leftOut > 0 && (
        <p className="rounded-xl bg-sunk px-4 py-2 text-sm text-soft">{strings.leftOut(thread.leftOut)}</p>
      )}
      {thread.messages.map((message, index) => (
        <Message key={index} message={message} />
      ))}
      <footer className="flex items-center gap-2 pt-6 text-sm text-soft">
        <Bird className="size-5" />
        {strings.footer}
      </footer>
    </div>
  </main>
);

/** Visitors without an account read why it needs one when they try. */
const ContinueInCopy = ({ token }: { readonly token: string }) => {
  const [isRefused, setRefused] = useState(false);
  const copy = async (id: string) => {
    try {
      const { id: threadId } = await createClient().copyShared({ params: { token }, body: { id } });
      location.assign(`/t/${threadId}`);
    } catch (error) {
      if (!(error instanceof ResponseError) || error.status !== 401) throw error;
      setRefused(true);
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ActButton act={copy}>
        <CopyPlus aria-hidden="true" className="size-4" />
        {strings.continueInCopy}
      </ActButton>
      {isRefused && (
        <p role="alert" className="basis-full text-sm text-soft">
          {strings.copyNeedsAccount}{" "}
          <a href="/" className="text-accent underline underline-offset-2">
            {strings.signIn}
          </a>
        </p>
      )}
    </div>
  );
};

/** Off-screen messages are not laid out: a share may contain thousands. */
const skipOffscreen = "[contain-intrinsic-size:auto_8rem] [content-visibility:auto]";

const Message = ({ message: { role, model, parts } }: { readonly message: SharedMessage }) =>
  role === "user" ? (
    <article aria-label={strings.user} className={`flex flex-col items-end ${skipOffscreen}`}>
      <div className="grid max-w-[85%] gap-2 rounded-2xl bg-bubble px-4 py-2.5 [&>*]:min-w-0">
        {parts.map((part, index) => (
          <Part key={index} part={part} isPlain />
        ))}
      </div>
    </article>
  ) : (
    <article
      aria-label={model ? strings.assistantWithModel(model) : strings.assistant}
      className={`grid gap-3 [&>*]:min-w-0 ${skipOffscreen}`}
    >
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
      {model && <p className="text-xs text-soft">{model}</p>}
    </article>
  );

const Part = ({ part, isPlain = false }: { readonly part: SharedPart; readonly isPlain?: boolean }): ReactNode => {
  switch (part.kind) {
    case "text":
      return isPlain ? <PlainText text={part.text} /> : <Markdown text={part.text} streaming={false} />;
    case "tool":
      return <NamedLine Icon={Wrench} name={part.title || part.name} />;
    case "source":
      return <SourceLine part={part} />;
    case "notice":
      return (
        <p
          dir="auto"
          className={`rounded-xl px-4 py-2 text-sm ${part.level === "error" ? "bg-danger-wash" : "bg-sunk"}`}
        >
          {part.text}
        </p>
      );
    case "file":
      return <NamedLine Icon={File} name={part.name || part.mediaType} />;
  }
};

const SourceLine = ({
  part: { ref, refs, title, url },
}: {
  readonly part: Extract<SharedPart, { kind: "source" }>;
}) => {
  const href = url === null ? undefined : toSafeHref(url);
  const name = title || url || strings.untitledSource;
  return (
    <p className="flex items-baseline gap-2 text-sm text-soft">
      {ref !== null && <span className="flex-none tabular-nums">[{(refs ?? [ref]).join(", ")}]</span>}
      {href ? (
        <a
          href={href}
          dir="auto"
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="min-w-0 truncate text-accent underline underline-offset-2"
        >
          {name}
        </a>
      ) : (
        <span dir="auto" className="min-w-0 truncate">
          {name}
        </span>
      )}
    </p>
  );
};

const NamedLine = ({ Icon, name }: { readonly Icon: LucideIcon; readonly name: string }) => (
  <p className="flex items-center gap-2 text-sm text-soft">
    <Icon aria-hidden="true" className="size-3.5 flex-none" />
    <span dir="auto" className="min-w-0 truncate">
      {name}
    </span>
  </p>
);
