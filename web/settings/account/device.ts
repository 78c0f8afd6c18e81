import { browserNames, systemNames } from "../../strings/settings/device-names.ts";
import { accountSettings } from "../../strings/settings/account.ts";

const strings = accountSettings.sessions;

/** In this order: most browsers also name the ones that they descend from. */
const browsers: Readonly<Record<keyof typeof browserNames, RegExp>> = {
  edge: /\bEdg(?:e|A|iOS)?\//,
  opera: /\b(?:OPR|Opera)\//,
  samsung: /\bSamsungBrowser\//,
  vivaldi: /\bVivaldi\//,
  firefox: /\b(?:Firefox|FxiOS)\//,
  chrome: /\b(?:HeadlessChrome|Chrome|CriOS)\//,
  safari: /\bSafari\//,
};

const systems: Readonly<Record<keyof typeof systemNames, RegExp>> = {
  iphone: /\biPhone\b/,
  ipad: /\biPad\b/,
  android: /\bAndroid\b/,
  chromeOs: /\bCrOS\b/,
  windows: /\bWindows\b/,
  macOs: /\bMac(?:intosh| OS X)\b/,
  linux: /\bLinux\b/,
};

function find<K extends string>(
  patterns: Readonly<Record<K, RegExp>>,
  names: Readonly<Record<K, string>>,
  agent: string,
) {
  const found = (Object.keys(patterns) as K[]).find((key) => patterns[key].test(agent));
  return found === undefined ? undefined : names[found];
}

/** "Firefox on Windows", from a `User-Agent`; the name of a program that is not a browser. */
export function describeDevice(agent: string): string {
  const browser = find(browsers, browserNames, agent);
  const system = find(systems, systemNames, agent);
  if (browser !== undefined && system !== undefined) return strings.device(browser, system);
  const program = /^([\w.-]+)\//.exec(agent)?.[1];
  const named = program === "Mozilla" ? undefined : program;
  return browser ?? system ?? named ?? strings.unknownBrowser;
}

export const isPhone = (agent: string): boolean => /\b(?:iPhone|iPad|Android|Mobile)\b/.test(agent);
