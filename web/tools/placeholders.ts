const pattern = /\[secret:[a-z-]{2,20}:[0-9a-f]{8}\]/g;

/** The distinct secret placeholders in a value. */
export const listPlaceholders = (value: unknown): readonly string[] => [
  ...new Set((JSON.stringify(value) ?? "").match(pattern) ?? []),
];
