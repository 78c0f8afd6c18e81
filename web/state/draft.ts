import type { BodyInput, Response } from "../../protocol/api.ts";
import { createSignal, type Signal } from "../lib/signal.ts";
import type { BrowserStorage } from "../lib/storage.ts";

/**
 * One draft. It is stored in this browser first and on the server soon after; a newer version from elsewhere replaces it
 * only while the user is not typing here.
 */
export type Draft = {
  readonly text: Signal<string>;
  write(text: string): void;
  /** The server has a newer version. */
  hear(version: number, empty: boolean): void;
  /** The server's draft from the initial load of all drafts; null: none. */
  meet(standing: StoredDraft | null): void;
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
  readonly onSetAside: (text: string) => void;
};

const saveMs = 250;
const sendMs = 700;
const againMs = 10_000;
/** How long after a key press the user counts as typing. */
const handsMs = 2000;
const longest = 100_000;

type Mark = { readonly version: number; readonly at: number; readonly isUnsent: boolean };

export function createDraft({ owner, target, storage, now = Date.now, onSetAside }: Options): Draft {
  const key = `draft.${owner}`;
  const text = createSignal(storage.get(key) ?? "");
  const kept = storage.get(`${key}.mark`);
  let mark = kept === null ? { version: 0, at: 0, isUnsent: text.get() !== "" } : toMark(kept);
  let heard = 0;
  /** The server's version, as far as known. */
  let there: string | null = null;
  /** Whether the local text may be older than the server's. */
  let isDoubtful = false;
  let typedAt = Number.NEGATIVE_INFINITY;
  let lookers = 0;
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
    if ((heard <= mark.version && !isDoubtful) || lookers === 0) return;
    const restMs = typedAt + handsMs - now();
    if (restMs > 0) return later(restMs);
    await pull(target);
  };

  const push = async (target: DraftTarget) => {
    const sent = text.get();
    if (sent.length > longest || !target.isReady()) return;
    if (sent === "" && there === "") return setMark({ ...mark, isUnsent: false });
    isBusy = true;
    const body = { text: sent.toWellFormed().replaceAll("\u0000", ""), at: mark.at, was: mark.version };
    const answer = await target.set(body).catch(() => null);
    isBusy = false;
    if (isForgotten) return;
    if (!answer) return later(againMs);
    const { version } = answer.draft;
    there = answer.draft.text;
    if (answer.kept) setMark({ version, at: mark.at, isUnsent: text.get() !== sent });
    else if (typedAt > Number.NEGATIVE_INFINITY) setMark({ ...mark, version });
    else {
      onSetAside(sent);
      take(answer.draft);
    }
    if (mark.isUnsent) later(sendMs);
    else void settle();
  };

  const pull = async (target: DraftTarget) => {
    isBusy = true;
    const before = heard;
    const standing = await target.get().catch(() => null);
    isBusy = false;
    if (!standing) return;
    there = standing.text;
    if (!mark.isUnsent && typedAt + handsMs <= now()) {
      take(standing);
      isDoubtful = false;
      if (heard === before) heard = 0;
    }
    void settle();
  };

  /** A server with an older version than this browser has lost data: push again. */
  const take = ({ text: fresh, version, at }: StoredDraft) => {
    there = fresh;
    if (version < mark.version && text.get() !== fresh) return setMark({ ...mark, version, isUnsent: true });
    text.set(fresh);
    setMark({ version, at, isUnsent: false });
  };

  return {
    text,
    write: (after) => {
      text.set(after);
      typedAt = now();
      isForgotten = false;
      mark = { ...mark, at: typedAt, isUnsent: target !== null };
      if (after === "") save();
      else saving ??= setTimeout(save, saveMs);
      later(after === "" ? 0 : sendMs);
    },
    hear: (version, empty) => {
      if (version <= mark.version) return;
      heard = Math.max(heard, version);
      // Local changes are pushed first.
      if (mark.isUnsent) return;
      if (empty && !isBusy && typedAt + handsMs <= now()) take({ text: "", at: mark.at, version });
      else void settle();
    },
    meet: (standing) => {
      there = standing?.text ?? "";
      if (standing && mark.isUnsent && standing.version > mark.version && standing.text !== text.get()) {
        if (typedAt > Number.NEGATIVE_INFINITY) onSetAside(standing.text);
      }
      if (standing && !mark.isUnsent && standing.version >= mark.version) take(standing);
      else isDoubtful = !mark.isUnsent && text.get() !== there;
      void settle();
    },
    open: () => {
      lookers += 1;
      const leave = () => {
        // Another tab may have stored a newer text.
        if (saving !== undefined) save();
        void settle();
      };
      addEventListener("pagehide", leave);
      void settle();
      return () => {
        lookers -= 1;
        removeEventListener("pagehide", leave);
        leave();
      };
    },
    wake: () => void settle(),
    forget: () => {
      isForgotten = true;
      clearTimeout(next);
      text.set("");
      setMark({ version: 0, at: 0, isUnsent: false });
    },
  };
}

const fromMark = ({ version, at, isUnsent }: Mark): string => `${version} ${at} ${isUnsent ? 1 : 0}`;

function toMark(kept: string): Mark {
  const [version = 0, at = 0, isUnsent = 1] = kept.split(" ").map(Number);
  return { version: version || 0, at: at || 0, isUnsent: isUnsent === 1 };
}
