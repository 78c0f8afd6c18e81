import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The machine's own Chromium (or Chrome, or Edge) for browser tests. In: the environment and the usual places. Out: what
 * `chromium.launch` of playwright-core takes, or undefined, and then a browser test is skipped and counted. It never
 * downloads anything: `npm test` does that, once, where it can.
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

/** Chromium refuses its sandbox to root, and containers give it a /dev/shm that is too small. */
function launchArgs(): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [...(isRoot ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"];
}
