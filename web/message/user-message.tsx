import { Pencil } from "lucide-react";
import { useRef, useState } from "react";
import { textOf, type MessageView } from "../../protocol/fold.ts";
import { PlainText } from "../ui/plain-text.tsx";
import { Part } from "../parts/part.tsx";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { groupDigits } from "../lib/format.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { message as strings } from "../strings/message.ts";
import { EditMessage } from "./edit-message.tsx";
import type { PartOf } from "../../protocol/parts.ts";
import { FactsContext, useMessageFacts } from "../sources/message-facts.ts";
import { MessageActions } from "./message-actions.tsx";
import { MessageMenu } from "./message-menu.tsx";

type Props = { readonly threadId: string; readonly message: MessageView; readonly isLast: boolean };

const foldedCharacters = 4000;

export const UserMessage = ({ threadId, message, isLast }: Props) => {
  const { storage, commands, getFeed, session } = usePage();
  const profile = useSelected(getFeed(threadId).state, (state) =>
    state.phase === "ready" ? (state.view.thread?.profile ?? "") : "",
  );
  const me = useSelected(session.state, (now) => (now.phase === "signed-in" ? now.me.userId : ""));
  const canEdit = message.author === undefined || message.author.id === me;
  const editKey = `edit.${message.id}`;
  const [editing, setEditing] = useState(() => storage.get(editKey) !== null);
  const text = textOf(message.parts);
  const isCancelled = useRef(false);
  const takeFocus = (button: HTMLButtonElement | null) => {
    if (button && isCancelled.current) button.focus();
    if (button) isCancelled.current = false;
  };
  const files = message.parts.some(({ kind }) => kind === "file") && (
    <MessageFiles threadId={threadId} parts={message.parts} />
  );
  if (editing) {
    return (
      <EditMessage
        text={storage.get(editKey) ?? text}
        profile={profile}
        onChange={(next) => storage.set(editKey, next)}
        onClose={async (next) => {
          // A failed edit stays in the field.
          if (next !== null && next !== text && !(await commands.edit(threadId, message.id, next))) return;
          storage.set(editKey, null);
          isCancelled.current = next === null;
          setEditing(false);
        }}
      >
        {files}
      </EditMessage>
    );
  }
  return (
    <article aria-label={message.author?.name || strings.user} className="group/message flex flex-col items-end">
      {message.author && (
        <p dir="auto" className="mb-1 max-w-[85%] truncate px-1 text-xs font-medium text-soft">
          {message.author.name}
        </p>
      )}
      <div className="max-w-[85%] rounded-2xl bg-bubble px-4 py-2.5">
        {files}
        {text !== "" && (
          <div data-said="">
            <LongText threadId={threadId} text={text} />
          </div>
        )}
        {message.parts.map((part) =>
          part.kind === "text" || part.kind === "file" ? null : <Part key={part.id} part={part} />,
        )}
      </div>
      <MessageActions threadId={threadId} message={message} text={text} isLast={isLast}>
        {canEdit && (
          <IconButton ref={takeFocus} label={strings.edit.action} className="size-8" onClick={() => setEditing(true)}>
            <Pencil aria-hidden="true" className="size-4" />
          </IconButton>
        )}
        <MessageMenu threadId={threadId} message={message} onOpenReceipts={null} />
      </MessageActions>
    </article>
  );
};

type FilesProps = { readonly threadId: string; readonly parts: MessageView["parts"] };

/** Attachments: pictures first, then other files. */
const MessageFiles = ({ threadId, parts }: FilesProps) => {
  const facts = useMessageFacts(threadId, parts);
  const files = parts.filter((part): part is PartOf<"file"> => part.kind === "file");
  const rows = [files.filter(isPicture), files.filter((part) => !isPicture(part))];
  return (
    <FactsContext value={facts}>
      {rows.map((row, at) =>
        row.length === 0 ? null : (
          <div key={at} className="flex flex-wrap gap-2 py-1.5">
            {row.map((part) => (
              <Part key={part.id} part={part} />
            ))}
          </div>
        ),
      )}
    </FactsContext>
  );
};

const isPicture = ({ width }: PartOf<"file">): boolean => width !== undefined;

/** Very long messages are truncated until the user expands them. */
const LongText = ({ threadId, text }: { readonly threadId: string; readonly text: string }) => {
  const [isExpanded, setExpanded] = useState(false);
  // The find bar looks through the whole text.
  const isSearched = useSelected(usePage().finding, (id) => id === threadId);
  if (isExpanded || isSearched || text.length <= foldedCharacters) return <PlainText text={text} />;
  return (
    <>
      <PlainText text={`${text.slice(0, foldedCharacters)}…`} />
      <button
        type="button"
        className="mt-2 text-sm font-medium text-accent hover:underline"
        onClick={() => setExpanded(true)}
      >
        {strings.showAll(groupDigits(text.length))}
      </button>
    </>
  );
};
