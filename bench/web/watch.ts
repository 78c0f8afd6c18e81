/**
 * What runs in the page before its own scripts, ours and the peer's alike. A message is an `article`, the composer a `textarea`
 * named "Message". A moment is in milliseconds since the navigation, taken after the frame that shows it.
 */
export const watchPage = `(() => {
  const drawn = (then) => requestAnimationFrame(() => setTimeout(then));
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
    drawn(() => {
      watch.composerAt ??= performance.now();
      field.focus();
      document.execCommand("insertText", false, "x");
      drawn(() => {
        if (field.isConnected && field.value === "x") watch.takesTextAt = performance.now();
        else watch.waitForComposer();
      });
    });
  };

  watch.expectOpening = (text) => {
    watch.opening = new Promise((resolve) => {
      addEventListener("click", ({ timeStamp }) => {
        const look = () => {
          if (!watch.showsTail(text)) return requestAnimationFrame(look);
          drawn(() => resolve(performance.now() - timeStamp));
        };
        look();
      }, { capture: true, once: true });
    });
  };
})()`;
