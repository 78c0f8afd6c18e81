import katex from "katex";
import { markdown as strings } from "../strings/markdown.ts";
import "katex/dist/katex.min.css";

/**
 * Typesets into an element by building nodes: no markup is parsed, only our own fonts are loaded, and commands that link,
 * load or set classes are rejected (`trust`). Returns null, or why it failed.
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
    return error instanceof Error ? error.message : strings.formulaFailed;
  }
}
