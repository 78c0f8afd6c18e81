export function assertNever(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}
