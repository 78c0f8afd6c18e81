import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Finds the machine's Chromium, Chrome or Edge for browser tests. Returns the options for `chromium.launch` of
 * playwright-core, or undefined; browser tests are then skipped and counted as such. It never downloads anything: `npm
 * test` installs a browser where it can.
 */
export type Chromium = { readonly executablePath: string; readonly args: readonly string[] };

export function findChromium(): Chromium | undefined {
  const executablePath = candidates().find((path) => existsSync(path));
  return executablePath === undefined ? undefined : { executablePath, args: launchArgs() };
}

function candidates(): readonly string[] {
  const chosen = process.env["TEST_CHROMIUM"];
  return chosen ? [chosen] : [...inPath(), ...usualPlaces()];
}

function inPath(): readonly string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function usualPlaces(): readonly string[] {
  if (process.platform === "darwin") {
    return [
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ];
  }
  if (process.platform === "win32") {
    const roots = ["ProgramFiles", "ProgramFiles(x86)", "LocalAppData"].flatMap((name) => process.env[name] ?? []);
    return roots.flatMap((root) => [
      join(root, "Google/Chrome/Application/chrome.exe"),
      join(root, "Microsoft/Edge/Application/msedge.exe"),
    ]);
  }
  return ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];
}

/**
 * Features that cost more than they test. Chromium loads two pages for its address bar with every window, which takes three
 * times as long as opening the window. The others are those that Playwright disables: only the last list counts.
 */
const disabledFeatures = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "AimEnabled", "LensOverlay"],
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "MediaRouter"],
  ...["HttpsFirstBalancedModeAutoEnable", "PaintHolding", "ThirdPartyStoragePartitioning", "OptimizationHints"],
  ...["AvoidCorsURLLoaderRestartOnRedirect", "NetworkTimeServiceQuerying", "PreconnectToSearch"],
];

/**
 * Some versions of Chromium, such as 150, enforce the header `Connection-Allowlist` of previews only with the first two.
 * The others are those that Playwright enables: only the last list counts.
 */
const enabledFeatures = [
  ...["ConnectionAllowlists", "OverrideConnectionAllowlistOriginTrial"],
  ...["CDPScreenshotNewSurface", "SkipListAccountsWithoutGaiaCookies"],
];

/** Chromium does not allow its sandbox for root, and /dev/shm is too small in containers. */
function launchArgs(): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    ...(isRoot ? ["--no-sandbox"] : []),
    "--disable-dev-shm-usage",
    `--enable-features=${enabledFeatures.join(",")}`,
    `--disable-features=${disabledFeatures.join(",")}`,
  ];
}
