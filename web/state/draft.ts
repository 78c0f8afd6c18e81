import type { BodyInput, Response } from "../../protocol/api.ts";
import { createSignal, type Signal } from "../lib/signal.ts";
import type { BrowserStorage } from "../lib/storage.ts";

/**
 * One draft. It is stored in this browser first and on the server soon after; a newer version from elsewhere replaces it
 * only while the user is not typing here, and never text that was typed here and is not part of it.
 */
export type Draft = {
  readonly text: Signal<string>;
  write(text: string): void;
  /** The server has a newer version. */
  announce(version: number, empty: boolean): void;
  /** The server's draft from the initial load of all drafts; null: none. */
  reconcile(remote: StoredDraft | null): void;
  /** Keeps the draft in sync until the returned function is called. */
  open(): () => void;
  /** Retries failed requests. */
  wake(): void;
  forget(): void;
};

export type StoredDraft = Pick<Response<"getDraft">["draft"], "text" | "at" | "version">;

/** The server's copy of the draft. */
export type DraftTarget = {
  /** False while an earlier message is being sent: the draft must not arrive before the message that empties it. */
  readonly isReady: () => boolean;
  readonly get: () => Promise<StoredDraft>;
  readonly set: (body: BodyInput<"setDraft">) => Promise<{ readonly kept: boolean; readonly draft: StoredDraft }>;
};

type Options = {
  readonly owner: string;
  /** null: the draft is stored in this browser only. */
  readonly target: DraftTarget | null;
  readonly storage: BrowserStorage;
  readonly now?: () => number;
  /** Called with a local text that was replaced by a newer one from elsewhere. */
  readonly onReplaced: (text: string) => void;
};

const saveMs = 250;
const sendMs = 700;
const retryMs = 10_000;
/** How long after a key press the user counts as typing. */
const typingMs = 2000;
const longest = 100_000;

type Mark = { readonly version: number; readonly at: number; readonly isUnsent: boolean };

export function createDraft({ owner, target, storage, now = Date.now, onReplaced }: Options): Draft {
  const key = `draft.${owner}`;
  const text = createSignal(storage.get(key) ?? "");
  const storedMark = storage.get(`${key}.mark`);
  let mark = storedMark === null ? { version: 0, at: 0, isUnsent: text.get() !== "" } : toMark(storedMark);
  let announced = 0;
  /** The server's version, as far as known. */
  let remoteText: string | null = null;
  /** Whether the local text may be older than the server's. */
  let mayBeOutdated = false;
  let typedAt = Number.NEGATIVE_INFINITY;
  /** The text was typed on this page and is in no other version. */
  let isMine = false;
  let viewers = 0;
  let isBusy = false;
  let isForgotten = false;
  let saving: ReturnType<typeof setTimeout> | undefined;
  let next: ReturnType<typeof setTimeout> | undefined;

  const save = () => {
    clearTimeout(saving);
    saving = undefined;
    const now = text.get();
    storage.set(key, now === "" ? null : now);
    storage.set(`${key}.mark`, target === null || (mark.version === 0 && !mark.isUnsent) ? null : fromMark(mark));
  };
  const setMark = (after: Mark) => {
    mark = after;
    save();
  };
  const later = (ms: number) => {
    clearTimeout(next);
    next = setTimeout(() => void settle(), ms);
  };

  /** Pushes local changes first, then pulls. */
  const settle = async (): Promise<void> => {
    clearTimeout(next);
    if (!target || isBusy) return;
    if (mark.isUnsent) return push(target);
    if ((announced <= mark.version && !mayBeOutdated) || viewers === 0) return;
    const restMs = typedAt + typingMs - now();
    if (restMs > 0) return later(restMs);
    await pull(target);
  };

  const push = async (target: DraftTarget) => {
    const sent = text.get();
    if (sent.length > longest || !target.isReady()) return;
    if (sent === "" && remoteText === "") return setMark({ ...mark, isUnsent: false });
    isBusy = true;
    const body = { text: sent.toWellFormed().replaceAll("\u0000", ""), at: mark.at, was: mark.version };
    const answer = await target.set(body).catch(() => null);
    isBusy = false;
    if (isForgotten) return;
    if (!answer) return later(retryMs);
    const { version } = answer.draft;
    if (answer.kept) setMark({ version, at: mark.at, isUnsent: text.get() !== sent });
    else if (typedAt > Number.NEGATIVE_INFINITY && text.get() !== "") setMark({ ...mark, version });
    else {
      if (sent !== "") onReplaced(sent);
      adopt(answer.draft);
    }
    remoteText = answer.draft.text;
    if (mark.isUnsent) later(sendMs);
    else void settle();
  };

  const pull = async (target: DraftTarget) => {
    isBusy = true;
    const before = announced;
    const remote = await target.get().catch(() => null);
    isBusy = false;
    if (!remote) return;
    if (!mark.isUnsent && typedAt + typingMs <= now()) {
      adopt(remote);
      mayBeOutdated = false;
      if (announced === before) announced = 0;
    }
    void settle();
  };

  /** A server with an older version than this browser has lost data: push again. */
  const adopt = ({ text: fresh, version, at }: StoredDraft) => {
    const before = remoteText;
    remoteText = fresh;
    const mine = text.get();
    if (version < mark.version && mine !== fresh) return setMark({ ...mark, version, isUnsent: true });
    // Text typed here is replaced only by text that contains it, or emptied if the server had the same text: it was sent. Other
    // text from elsewhere leaves it alone, and it is stored again when that text is gone.
    const isSafe = fresh === "" ? before === mine : fresh.includes(mine.trim());
    if (isMine && !isSafe) return setMark({ version, at: now(), isUnsent: fresh === "" });
    if (isMine && fresh === "") onReplaced(mine);
    isMine = false;
    text.set(fresh);
    setMark({ version, at, isUnsent: false });
  };

  return {
    text,
    write: (after) => {
      text.set(after);
      typedAt = now();
      isMine = after.trim() !== "";
      isForgotten = false;
      mark = { ...mark, at: typedAt, isUnsent: target !== null };
      if (after === "") save();
      else saving ??= setTimeout(save, saveMs);
      later(after === "" ? 0 : sendMs);
    },
    announce: (version, empty) => {
      if (version <= mark.version) return;
      announced = Math.max(announced, version);
      // Local changes are pushed first.
      if (mark.isUnsent) return;
      if (!empty || isBusy || typedAt + typingMs > now()) return void settle();
      adopt({ text: "", at: mark.at, version });
      if (mark.isUnsent) void settle();
    },
    reconcile: (remote) => {
      remoteText = remote?.text ?? "";
      if (remote && mark.isUnsent && remote.version > mark.version && remote.text !== text.get()) {
        if (typedAt > Number.NEGATIVE_INFINITY) onReplaced(remote.text);
      }
      if (remote && !mark.isUnsent && remote.version >= mark.version) adopt(remote);
      else mayBeOutdated = !mark.isUnsent && text.get() !== remoteText;
      void settle();
    },
    open: () => {
      viewers += 1;
      const leave = () => {
        // Another tab may have stored a newer text.
        if (saving !== undefined) save();
        void settle();
      };
      addEventListener("pagehide", leave);
      void settle();
      return () => {
        viewers -= 1;
        removeEventListener("pagehide", leave);
        leave();
      };
    },
    wake: () => void settle(),
    forget: () => {
      isForgotten = true;
      isMine = false;
      clearTimeout(next);
      text.set("");
      setMark({ version: 0, at: 0, isUnsent: false });
    },
  };
}

const fromMark = ({ version, at, isUnsent }: Mark): string => `${version} ${at} ${isUnsent ? 1 : 0}`;

function toMark(stored: string): Mark {
  const [version = 0, at = 0, isUnsent = 1] = stored.split(" ").map(Number);
  return { version: version || 0, at: at || 0, isUnsent: isUnsent === 1 };
}
