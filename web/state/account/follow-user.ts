import type { BrowserStorage } from "../../lib/storage.ts";
import type { Session } from "../session.ts";

/** Id of the user that signed in last in this browser, and the time. */
export const userKey = "user";

export const readUser = (storage: BrowserStorage): string | null => storage.get(userKey)?.split(" ")[0] ?? null;

/** Another tab signed in: this one must not continue as a different user, or keep showing the sign-in form. */
export function followUser(storage: BrowserStorage, session: Session): void {
  const [signedIn, user] = [storage.get(userKey), readUser(storage)];
  addEventListener("storage", () => {
    if (storage.get(userKey) === signedIn) return;
    if (readUser(storage) !== user || session.state.get().phase === "signed-out") location.reload();
  });
}
