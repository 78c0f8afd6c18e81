/** Work on the same objects goes one after the other, in the order given; the rest side by side. */
export function createLanes() {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: <T>(objects: readonly string[], work: () => Promise<T>): Promise<T> => {
      const before = objects.flatMap((object) => last.get(object) ?? []);
      const done = before.length ? Promise.allSettled(before).then(work) : work();
      for (const object of objects) last.set(object, done);
      return done;
    },
  };
}
