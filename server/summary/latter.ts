/** Long enough that the answer is out of the door, and that turns in a row are looked at once. */
const LATER_MS = 150;

/** Gathers threads whose turn has ended and looks at them a moment later, one after the other, so that no answer is slower for it. */
export function createLatter(
  look: (threadId: string, branchId: string) => Promise<void>,
  onError: (error: unknown) => void,
) {
  const waiting = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let closed = false;

  const lookAll = async (): Promise<void> => {
    for (const [threadId, branchId] of waiting) {
      if (closed) return;
      waiting.delete(threadId);
      await look(threadId, branchId).catch(onError);
    }
  };
  return {
    add: (threadId: string, branchId: string): void => {
      if (closed) return;
      waiting.set(threadId, branchId);
      timer ??= setTimeout(() => {
        timer = undefined;
        looking = looking.then(lookAll);
      }, LATER_MS).unref();
    },
    close: async (): Promise<void> => {
      closed = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
