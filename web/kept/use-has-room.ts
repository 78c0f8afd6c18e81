import { useMedia } from "../ui/use-media.ts";

/** Whether a second text has room beside the thread. */
export const useHasRoom = (): boolean => useMedia("(min-width: 75rem)");
