/** A date and a time as the reader writes them. */
export const toMoment = (at: number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

export const toDay = (at: number): string => new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });
