import { define } from "../language.ts";
import { plural } from "../plural.ts";

/** The page that a share link opens. */
export const sharedPage = define("sharedPage", {
  untitled: "Shared thread",
  tabTitle: (title: string) => `${title} · Stonechat`,
  gone: "This link is no longer shared",
  goneAbout: "Check the address, or ask for a new link.",
  failed: "This thread could not be loaded",
  about: (date: string) => `Shared on ${date}. Later messages are not included.`,
  leftOut: (count: number) => `${plural(count, "earlier message")} not shown.`,
  footer: "Stonechat, a self-hosted AI chat",
  user: "User",
  assistant: "Stonechat",
  assistantWithModel: (model: string) => `Stonechat, ${model}`,
  untitledSource: "Untitled source",
});
