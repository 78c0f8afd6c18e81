import { define } from "./language.ts";
/** Rendered Markdown of messages. */
export const markdown = define("markdown", {
  image: {
    untitled: "Image",
    show: (host: string) => `Show at ${host}`,
    hint: (host: string) =>
      `Images of other sites are not loaded here, because ${host || "the site"} would learn that you read this. Opens in a new tab.`,
  },
  table: "Table",
  taskDone: "Done",
  taskOpen: "Not done",
  formulaFailed: "This formula cannot be drawn.",
  code: {
    copy: "Copy code",
    label: (language: string) => (language ? `${language} code` : "code"),
    noLanguage: "text",
    wrap: "Wrap lines",
  },
  diagram: {
    label: "Diagram",
    alt: (kind: string) => `Diagram: ${kind}. Its source is below.`,
    noKind: "picture",
    source: "Source",
    draw: "Draw diagram",
    drawing: "Drawing…",
    enlarge: "Enlarge the diagram",
    failed: (reason: string) => `This diagram could not be drawn: ${reason}`,
    notLoaded: "The diagram renderer could not be loaded. Reload the page and try again.",
    tooLong: (characters: string) => `The source is longer than ${characters} characters.`,
    empty: "The source is empty.",
  },
});
