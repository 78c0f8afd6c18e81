import type { Frame } from "playwright-core";

/** The result of each attempt: `got ...`, or the name of the error. */
export type Outcome = Readonly<Record<string, string>>;

/** Tries to read or change all data of the app, from inside the page. */
export const tryAll = (frame: Frame, threadId: string): Promise<Outcome> =>
  frame.evaluate(`(${attempts})(${JSON.stringify(threadId)})`);

const attempts = `async (threadId) => {
  const outcomes = {};
  const attempt = async (name, act) => {
    try {
      outcomes[name] = "got " + String(await act()).slice(0, 60);
    } catch (error) {
      outcomes[name] = error.name;
    }
  };
  const toText = (answer) => answer.text();
  const read = (credentials) => fetch("/api/threads", { credentials }).then(toText);
  const remove = (credentials) => fetch("/api/threads/" + threadId, {
    method: "DELETE", credentials, headers: { "content-type": "application/json" }, body: "{}",
  }).then(toText);
  await attempt("cookie", () => document.cookie);
  await attempt("parent document", () => parent.document.body.innerHTML);
  await attempt("top document", () => top.document.body.innerHTML);
  await attempt("parent storage", () => parent.localStorage.getItem("secret"));
  await attempt("own storage", () => localStorage.getItem("secret"));
  await attempt("database", () => new Promise((resolve, reject) => {
    const opening = indexedDB.open("x");
    opening.onsuccess = resolve;
    opening.onerror = () => reject(opening.error);
  }));
  await attempt("caches", () => caches.keys());
  await attempt("service worker", () => navigator.serviceWorker.register("sw.js"));
  await attempt("parent's address", () => parent.location.href);
  await attempt("read, with credentials", () => read("include"));
  await attempt("read, without", () => read("omit"));
  await attempt("delete, with credentials", () => remove("include"));
  await attempt("delete, without", () => remove("omit"));
  await attempt("the page's own files", () => fetch("/").then(toText));
  return outcomes;
}`;
