import type { BodyInput } from "../../protocol/api.ts";
import { fillPath, type Client } from "../../protocol/client.ts";
import type { Present } from "../../protocol/project/presence.ts";
import { routes } from "../../protocol/routes.ts";
import { createId } from "../lib/ids.ts";
import type { Signal } from "../lib/signal.ts";

/** Well below the 25 seconds after which a tab counts as closed. */
const BEAT_MS = 10_000;
/** A user who wrote nothing for this long is not typing. */
const TYPING_MS = 4_000;

type Options = {
  readonly threadId: string;
  readonly client: Pick<Client, "markPresent">;
  /** Of the composer. */
  readonly text: Signal<string>;
  readonly onPresent: (present: Present) => void;
};

/**
 * Reports that this tab has a shared thread open, while it is visible, and whether the user is typing. Ends with the returned function
 * or with the page.
 */
export function reportPresence({ threadId, client, text, onPresent }: Options): () => void {
  const tab = createId();
  const params = { threadId };
  let state: BodyInput<"markPresent">["state"] = "closed";
  let idle: ReturnType<typeof setTimeout> | undefined;

  const send = () => {
    const sent = state;
    client.markPresent({ params, body: { tab, state: sent } }).then(
      (present) => {
        if (sent === state && sent !== "closed") onPresent(present);
      },
      // The next report follows soon. Without access the stream ends, too.
      () => undefined,
    );
  };
  const change = (next: typeof state) => {
    if (next === state) return;
    state = next;
    send();
  };
  const show = () => {
    clearTimeout(idle);
    change(document.hidden ? "closed" : "open");
  };
  const type = () => {
    // Text that another device wrote arrives while this page is not in use.
    if (document.hidden || !document.hasFocus()) return;
    clearTimeout(idle);
    if (text.get().trim() === "") return change("open");
    idle = setTimeout(() => change("open"), TYPING_MS);
    change("typing");
  };
  const leave = () => {
    if (state === "closed") return;
    state = "closed";
    // A page that ends cannot wait for an answer.
    const body = JSON.stringify({ tab, state });
    const { method, path } = routes.markPresent;
    const headers = { "content-type": "application/json" };
    void fetch(fillPath(path, params), { method, headers, body, keepalive: true }).catch(() => undefined);
  };

  const beat = setInterval(() => {
    if (state !== "closed") send();
  }, BEAT_MS);
  const release = text.subscribe(type);
  document.addEventListener("visibilitychange", show);
  window.addEventListener("pagehide", leave);
  show();
  return () => {
    clearInterval(beat);
    clearTimeout(idle);
    release();
    document.removeEventListener("visibilitychange", show);
    window.removeEventListener("pagehide", leave);
    change("closed");
  };
}
