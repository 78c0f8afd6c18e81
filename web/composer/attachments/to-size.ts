/** A file's size for people. */
export function toSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_500 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1).replace(/\.0$/, "")} MB`;
}
