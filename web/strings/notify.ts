import { define } from "./language.ts";
/** Answers that are ready, shares from other apps, new versions. */
export const notify = define("notify", {
  /** Texts of notifications. The thread's title replaces the body if the user chose so. */
  messages: {
    answered: { title: "Your answer is ready", body: "Open Stonechat to read it." },
    failed: { title: "The answer failed", body: "Open Stonechat to see why." },
    waiting: { title: "Stonechat is waiting for you", body: "An answer needs your decision." },
    test: { title: "Notifications work", body: "This is a test." },
  },
  /** Shown in the page. */
  ready: {
    answered: (title: string) => `Answer ready: ${title}`,
    failed: (title: string) => `Answer failed: ${title}`,
    waiting: (title: string) => `Waiting for you: ${title}`,
    open: "Open",
  },
  /** `count` threads wait for the user or have an unread answer. */
  tabTitle: (count: string, title: string) => `(${count}) ${title}`,
  update: { text: "A new version of Stonechat is ready.", reload: "Reload" },
  shared: {
    title: "Shared with Stonechat",
    about: "Another app sent this. Nothing is sent to a model until you send the message.",
    files: "Files",
    add: "Add to a new thread",
    discard: "Discard",
    gone: "The shared content is no longer available. Share it again.",
  },
});
