import { useSyncExternalStore } from "react";

const query = "(min-width: 48rem)";

/** Whether the thread list has room beside the thread. */
export const useIsWide = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
