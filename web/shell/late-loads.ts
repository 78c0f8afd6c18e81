import { useEffect } from "react";
import { loadMarkdown } from "../markdown/markdown.tsx";
import { loadConversation } from "../thread/thread-page.tsx";

const settledMs = 300;

/** Loads messages and Markdown: the start page needs neither, every thread needs both. */
export function loadThreadView(): void {
  loadConversation();
  loadMarkdown();
}

/** Loads what the first screen does not show soon after it is drawn and accepts text, or when a thread is opened. */
export function useLateLoads(isThread: boolean): void {
  useEffect(() => {
    if (isThread) return loadThreadView();
    const timer = setTimeout(loadThreadView, settledMs);
    return () => clearTimeout(timer);
  }, [isThread]);
  useEffect(() => {
    // The browser parses and draws the icon on the page's thread.
    const show = () => document.querySelector("link[rel=icon]")?.setAttribute("href", "/bird.svg");
    const timer = setTimeout(show, settledMs);
    return () => clearTimeout(timer);
  }, []);
}
