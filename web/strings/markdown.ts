import { define } from "./language.ts";
/** Rendered Markdown of messages. */
export const markdown = define("markdown", {
  image: (alt: string | undefined) => (alt ? `Image: ${alt}` : "Image"),
  table: "Table",
  taskDone: "Done",
  taskOpen: "Not done",
  formulaFailed: "This formula cannot be drawn.",
  code: {
    copy: "Copy code",
    label: (language: string) => (language ? `${language} code` : "code"),
    noLanguage: "text",
  },
  diagram: {
    label: "Diagram",
    alt: (kind: string) => `Diagram: ${kind}. Its source is below.`,
    noKind: "picture",
    source: "Source",
    draw: "Draw diagram",
    drawing: "Drawing…",
    failed: (reason: string) => `This diagram could not be drawn: ${reason}`,
    notLoaded: "The diagram renderer could not be loaded. Reload the page and try again.",
    tooLong: (characters: string) => `The source is longer than ${characters} characters.`,
    empty: "The source is empty.",
  },
});
