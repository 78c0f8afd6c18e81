/** A callback whose target is created later. Calls before `connect` do nothing. */
export function createLateCallback() {
  let target = (): void => {};
  return {
    call: (): void => target(),
    connect: (to: () => void): void => {
      target = to;
    },
  };
}
