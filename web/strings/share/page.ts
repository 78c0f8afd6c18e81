import { define } from "../language.ts";
import { plural } from "../plural.ts";

/** The page that a share link opens. */
export const sharedPage = define("sharedPage", {
  untitled: "Shared thread",
  tabTitle: (title: string) => `${title} · Stonechat`,
  gone: "This link is no longer shared",
  goneAbout: "Check the address, or ask for a new link.",
  failed: "This thread could not be loaded",
  forUsers: "Sign in to read this thread",
  forUsersAbout: "Only people with an account on this server can open this link. Sign in, then open the link again.",
  signIn: "Sign in",
  about: (date: string) => `Shared on ${date}. Later messages are not included.`,
  aboutBy: (name: string, date: string) => `Shared by ${name} on ${date}. Later messages are not included.`,
  leftOut: (count: number) => `${plural(count, "earlier message")} not shown.`,
  continueInCopy: "Continue in a copy",
  copyNeedsAccount: "A copy needs an account on this server. Sign in, then open the link again.",
  footer: "Stonechat, a self-hosted AI chat",
  user: "User",
  assistant: "Stonechat",
  assistantWithModel: (model: string) => `Stonechat, ${model}`,
  untitledSource: "Untitled source",
});
