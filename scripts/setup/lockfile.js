/**
 * Reads package-lock.json. Pure.
 * @typedef {{ readonly version?: string, readonly optional?: boolean, readonly link?: boolean, readonly optionalDependencies?: Record<string, string> }} Entry
 * @typedef {{ readonly packages?: Record<string, Entry> }} Lock
 */

/**
 * Whether the installed tree (node_modules/.package-lock.json) matches the lockfile. Optional packages may be missing:
 * most of them are for other platforms.
 * @param {Lock} lock @param {Lock} installed
 */
export function isInstalled(lock, installed) {
  const there = installed.packages ?? {};
  return Object.entries(lock.packages ?? {}).every(([path, { version, optional }]) => {
    if (path === "") return true;
    const found = there[path];
    return found ? found.version === version : optional === true;
  });
}

/**
 * Optional packages for this platform that are neither in the lockfile nor installed.
 * @param {Lock} lock
 * @param {{ readonly platform: string, readonly arch: string, readonly isMusl: boolean }} machine
 * @param {(path: string) => boolean} exists
 * @returns {{ name: string, version: string }[]}
 */
export function findMissingBindings(lock, machine, exists) {
  const packages = lock.packages ?? {};
  return Object.entries(packages).flatMap(([owner, { optionalDependencies = {} }]) =>
    !exists(owner || ".")
      ? []
      : Object.entries(optionalDependencies)
          .filter(([name]) => isFor(name, machine))
          .filter(([name]) => !packages[`node_modules/${name}`])
          .filter(([name]) => !exists(`node_modules/${name}`) && !exists(`${owner}/node_modules/${name}`))
          .map(([name, version]) => ({ name, version })),
  );
}

/**
 * Names end in platform and architecture, and where needed in the C library: `-darwin-arm64`, `-win32-x64-msvc`.
 * @param {string} name @param {{ readonly platform: string, readonly arch: string, readonly isMusl: boolean }} machine
 */
function isFor(name, { platform, arch, isMusl }) {
  const libraries = platform === "linux" ? (isMusl ? ["-musl", ""] : ["-gnu", ""]) : ["-msvc", ""];
  return libraries.some((library) => name.endsWith(`${platform}-${arch}${library}`));
}
