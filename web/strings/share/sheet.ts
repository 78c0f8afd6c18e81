import { define } from "../language.ts";
import { plural } from "../plural.ts";

/** Share links of a thread, and its other dialogs. */
export const share = define("share", {
  title: "Share this thread",
  about: "A link shows this thread as it is now, read-only. Later messages are not included.",
  removed: "Keys, passwords and other secrets found in it are removed.",
  toolsByName: "Tools are shown by name only, without their inputs and results.",
  neverShared: "Reasoning, memory, file contents and what the model saw are never shared.",
  readers: "Who can open the link",
  readerChoices: { link: "Anyone with the link", people: "People with an account here" },
  forPeople: "for people with an account here",
  name: "Your name (optional)",
  nameAbout: "Shown to everyone who opens the link.",
  create: "Create link",
  createAnother: "Create another link",
  link: "Link",
  linkCopied: "Copied",
  onlyHere: "This address works only on this computer. Set STONECHAT_PUBLIC_URL to share with others.",
  copyByHand: "Copy the link from the field above.",
  links: "Shared links",
  noLinks: "No shared links.",
  copy: "Copy link",
  copied: "Copied",
  open: "Open",
  stop: "Stop sharing",
  noSecrets: (messages: number) => `${plural(messages, "message")}, no secrets found`,
  secretsRemoved: (messages: number, secrets: number) =>
    `${plural(messages, "message")}, ${plural(secrets, "secret")} removed`,

  rename: "Rename this thread",
  threadTitle: "Title",
});
