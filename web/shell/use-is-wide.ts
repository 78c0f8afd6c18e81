import { useMedia } from "../ui/use-media.ts";

/** Whether the thread list has room beside the thread. */
export const useIsWide = (): boolean => useMedia("(min-width: 48rem)");
