/**
 * Runs in the page before its scripts, in ours and the peer's. A message is an `article`, the composer a `textarea` named
 * "Message". Times are in milliseconds since the navigation. Content that exists when a frame begins is drawn by it, and a
 * timer set then fires after it.
 */
export const watchPage = `(() => {
  const watch = { longestTaskMs: 0, composerAt: null, takesTextAt: null, opening: null };
  globalThis.benchWatch = watch;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watch.longestTaskMs = Math.max(watch.longestTaskMs, duration);
  }).observe({ type: "longtask", buffered: true });

  const articles = document.getElementsByTagName("article");
  const isInSight = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  watch.lastLength = () => articles[articles.length - 1]?.textContent.length ?? 0;
  watch.showsTail = (text) => {
    const last = articles[articles.length - 1];
    return last !== undefined && last.textContent.includes(text) && isInSight(last);
  };

  watch.waitForComposer = () => {
    const field = document.querySelector('textarea[aria-label="Message"]');
    if (!field || field.disabled) return requestAnimationFrame(watch.waitForComposer);
    watch.composerAt ??= performance.now();
    setTimeout(() => {
      field.focus();
      document.execCommand("insertText", false, "x");
      requestAnimationFrame(() => setTimeout(() => {
        if (field.isConnected && field.value === "x") watch.takesTextAt = performance.now();
        else requestAnimationFrame(watch.waitForComposer);
      }));
    });
  };

  watch.expectOpening = (text) => {
    watch.opening = new Promise((resolve) => {
      addEventListener("click", ({ timeStamp }) => {
        const look = () => {
          if (!watch.showsTail(text)) return requestAnimationFrame(look);
          setTimeout(() => resolve(performance.now() - timeStamp));
        };
        requestAnimationFrame(look);
      }, { capture: true, once: true });
    });
  };
})()`;
