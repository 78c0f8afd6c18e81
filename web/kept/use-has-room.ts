import { useSyncExternalStore } from "react";

const query = "(min-width: 75rem)";

/** Whether a second text has room beside the thread. */
export const useHasRoom = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
