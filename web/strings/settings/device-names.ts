/** Names of products, the same in every language. */
export const browserNames = {
  edge: "Edge",
  opera: "Opera",
  samsung: "Samsung Internet",
  vivaldi: "Vivaldi",
  firefox: "Firefox",
  chrome: "Chrome",
  safari: "Safari",
} as const;

export const systemNames = {
  iphone: "iPhone",
  ipad: "iPad",
  android: "Android",
  chromeOs: "ChromeOS",
  windows: "Windows",
  macOs: "macOS",
  linux: "Linux",
} as const;
