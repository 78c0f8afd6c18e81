import katex from "katex";
import "katex/dist/katex.min.css";

/**
 * Typesets into a place of the page by building its nodes: no markup is parsed, nothing is fetched but our own fonts, and
 * commands that link, load or set classes are refused (`trust`). Out: null, or why it could not be done.
 */
export function drawFormula(container: HTMLElement, tex: string, isDisplay: boolean): string | null {
  try {
    katex.render(tex, container, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      strict: "ignore",
      maxExpand: 500,
      maxSize: 20,
    });
    return null;
  } catch (error) {
    container.replaceChildren();
    return error instanceof Error ? error.message : "This formula cannot be drawn.";
  }
}
