/** Formats an amount for reading: cents, and below one cent two significant digits. */
export function toDollars(usd: number): string {
  if (usd === 0) return "$0";
  if (usd >= 0.1) return `$${usd.toFixed(2)}`;
  return `$${Number(usd.toPrecision(2)).toFixed(Math.min(8, Math.max(2, 1 - Math.floor(Math.log10(usd)))))}`;
}
