import type { BodyInput, Response } from "../../protocol/api.ts";
import { createSignal, type Signal } from "../lib/signal.ts";
import { readStored, type BrowserStorage } from "../lib/storage.ts";

/**
 * One draft. It is stored in this browser first and on the server soon after. A newer version from elsewhere replaces it only
 * while the user is not typing here, and text that was typed here only if the newer version contains it or continues it:
 * its writer had this text before it was edited. Any other text is left in the field and in `replaced`.
 */
export type Draft = {
  readonly text: Signal<string>;
  /** Texts that other texts have replaced without having been sent, newest first; stored in this browser. */
  replaced(): readonly string[];
  write(text: string): void;
  /** Empties the draft: its text was sent. */
  send(): void;
  /** The server has a newer version. */
  announce(version: number, empty: boolean, was?: number): void;
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
const mostReplaced = 20;
const mostLinks = 200;

type Mark = {
  /** The server's version that this browser knows. */
  readonly version: number;
  readonly at: number;
  readonly isUnsent: boolean;
  /** The text was typed here and does not continue the server's version: that has another text. */
  readonly isApart: boolean;
};

export function createDraft({ owner, target, storage, now = Date.now, onReplaced }: Options): Draft {
  const key = `draft.${owner}`;
  const text = createSignal(storage.get(key) ?? "");
  const storedMark = storage.get(`${key}.mark`);
  let mark =
    storedMark === null ? { version: 0, at: 0, isUnsent: text.get() !== "", isApart: false } : toMark(storedMark);
  let announced = 0;
  /** The server's version, as far as known. */
  let remoteText: string | null = null;
  /** Whether the local text may be older than the server's. */
  let mayBeOutdated = false;
  let typedAt = Number.NEGATIVE_INFINITY;
  /** The text was typed on this page and is in no other version. */
  let isMine = mark.isApart;
  /** Announced versions, each with the version that it continues. */
  const links = new Map<number, number>();
  /** The text of the last request: stored if its response was lost. */
  let tried: string | null = null;
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
  const replaced = (): readonly string[] => readStored<string[]>(storage, `${key}.replaced`) ?? [];
  const setAside = (old: string, fresh: string) => {
    const trimmed = old.trim();
    if (trimmed === "" || fresh.includes(trimmed)) return;
    const texts = [trimmed, ...replaced().filter((other) => other !== trimmed)].slice(0, mostReplaced);
    storage.set(`${key}.replaced`, JSON.stringify(texts));
    onReplaced(trimmed);
  };
  /** Whether a version was written by editing the one that this browser knows. */
  const isContinued = (version: number): boolean => {
    let at: number | undefined = version;
    while (at !== undefined && at > mark.version) at = links.get(at);
    return at === mark.version;
  };
  const later = (ms: number) => {
    clearTimeout(next);
    next = setTimeout(() => void sync(), ms);
  };

  /** Pushes local changes first, then pulls. */
  const sync = async (): Promise<void> => {
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
    if (sent === "" && (remoteText === "" || mark.isApart)) {
      // The server has a text that was not shown here: it is not deleted but shown.
      mayBeOutdated = mark.isApart;
      setMark({ ...mark, isUnsent: false });
      return mayBeOutdated ? later(0) : undefined;
    }
    isBusy = true;
    const other = mark.isApart ? await target.get().catch(() => null) : null;
    if (isForgotten || (mark.isApart && !other) || text.get() !== sent) {
      isBusy = false;
      return isForgotten ? undefined : later(other || !mark.isApart ? sendMs : retryMs);
    }
    if (other) setAside(other.text, sent);
    const body = {
      text: sent.toWellFormed().replaceAll("\u0000", ""),
      at: mark.at,
      ...(other ? { was: other.version, apart: true } : { was: mark.version }),
    };
    const before = tried;
    tried = body.text;
    const answer = await target.set(body).catch(() => null);
    isBusy = false;
    if (isForgotten) return;
    if (!answer) return later(retryMs);
    const { version, text: theirs } = answer.draft;
    const at = Math.max(mark.at, answer.draft.at);
    const isTyped = typedAt > Number.NEGATIVE_INFINITY || mark.at > answer.draft.at;
    if (answer.kept) setMark({ version, at: mark.at, isUnsent: text.get() !== sent, isApart: false });
    else if (theirs === before) setMark({ ...mark, version, at, isApart: false });
    else if (text.get() !== "" && (isTyped || theirs === "")) {
      setAside(theirs, text.get());
      setMark({ ...mark, version, at, isApart: theirs !== "" });
    } else {
      setAside(sent, theirs);
      isMine = false;
      adopt(answer.draft);
    }
    remoteText = theirs;
    if (mark.isUnsent) later(sendMs);
    else void sync();
  };

  const pull = async (target: DraftTarget) => {
    isBusy = true;
    const before = announced;
    const remote = await target.get().catch(() => null);
    isBusy = false;
    if (isForgotten) return;
    if (!remote) return later(retryMs);
    // Its event, which says what it continues, comes soon.
    if (isMine && before > 0 && remote.version > announced) return;
    if (!mark.isUnsent && typedAt + typingMs <= now()) {
      adopt(remote);
      mayBeOutdated = false;
      if (announced === before) announced = 0;
    }
    void sync();
  };

  /** A server with an older version than this browser has lost data: push again. */
  const adopt = ({ text: fresh, version, at }: StoredDraft) => {
    const before = remoteText;
    remoteText = fresh;
    const mine = text.get();
    if (version < mark.version && mine !== fresh)
      return setMark({ ...mark, version, isUnsent: true, isApart: fresh !== "" });
    // Text typed here that is not part of the newer one stays, and is stored on the server when the other text is gone.
    const isPart = fresh !== "" && fresh.includes(mine.trim());
    const isSafe = isPart || (!mark.isApart && (isContinued(version) || (fresh === "" && before === mine)));
    if (isMine && !isSafe) {
      if (fresh !== "" && !mark.isApart) setAside(mine, fresh);
      return setMark({ version, at: now(), isUnsent: fresh === "", isApart: fresh !== "" });
    }
    if (isMine && fresh === "") onReplaced(mine);
    isMine = false;
    text.set(fresh);
    setMark({ version, at, isUnsent: false, isApart: false });
  };

  const write = (after: string) => {
    text.set(after);
    typedAt = now();
    isMine = after.trim() !== "";
    isForgotten = false;
    mark = { ...mark, at: typedAt, isUnsent: target !== null };
    if (after === "") save();
    else saving ??= setTimeout(save, saveMs);
    later(after === "" ? 0 : sendMs);
  };

  return {
    text,
    replaced,
    write,
    send: () => {
      const sent = text.get().trim();
      const rest = replaced().filter((other) => other !== sent);
      if (rest.length < replaced().length)
        storage.set(`${key}.replaced`, rest.length > 0 ? JSON.stringify(rest) : null);
      write("");
    },
    announce: (version, empty, was) => {
      if (version <= mark.version) return;
      if (was !== undefined) links.set(version, was);
      for (const old of links.keys()) if (old <= mark.version || links.size > mostLinks) links.delete(old);
      announced = Math.max(announced, version);
      // Local changes are pushed first.
      if (mark.isUnsent) return;
      if (!empty || isBusy || typedAt + typingMs > now()) return void sync();
      adopt({ text: "", at: mark.at, version });
      if (mark.isUnsent) void sync();
    },
    reconcile: (remote) => {
      remoteText = remote?.text ?? "";
      if (remote && mark.isUnsent && remote.version > mark.version && remote.text !== text.get()) {
        if (typedAt > Number.NEGATIVE_INFINITY) setAside(remote.text, text.get());
      }
      if (remote && !mark.isUnsent && remote.version >= mark.version) adopt(remote);
      else mayBeOutdated = !mark.isUnsent && text.get() !== remoteText;
      void sync();
    },
    open: () => {
      viewers += 1;
      const leave = () => {
        // Another tab may have stored a newer text, which is on the server, or its own when this one was stored before.
        if (saving !== undefined || mark.isUnsent || mark.isApart) save();
        void sync();
      };
      addEventListener("pagehide", leave);
      void sync();
      return () => {
        viewers -= 1;
        removeEventListener("pagehide", leave);
        leave();
      };
    },
    wake: () => void sync(),
    forget: () => {
      isForgotten = true;
      isMine = false;
      clearTimeout(next);
      text.set("");
      storage.set(`${key}.replaced`, null);
      setMark({ version: 0, at: 0, isUnsent: false, isApart: false });
    },
  };
}

const fromMark = ({ version, at, isUnsent, isApart }: Mark): string =>
  `${version} ${at} ${isUnsent ? 1 : 0} ${isApart ? 1 : 0}`;

function toMark(stored: string): Mark {
  const [version = 0, at = 0, isUnsent = 1, isApart = 0] = stored.split(" ").map(Number);
  return { version: version || 0, at: at || 0, isUnsent: isUnsent === 1, isApart: isApart === 1 };
}
