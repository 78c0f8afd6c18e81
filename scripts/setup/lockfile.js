/**
 * Reads package-lock.json. Pure.
 * @typedef {Record<string, string>} Ranges by package
 * @typedef {{
 *   readonly version?: string, readonly dev?: boolean, readonly devOptional?: boolean, readonly optional?: boolean, readonly link?: boolean,
 *   readonly dependencies?: Ranges, readonly devDependencies?: Ranges, readonly optionalDependencies?: Ranges,
 *   readonly peerDependencies?: Ranges, readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
 * }} Entry
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
 * A lockfile with only these packages of the project and what they depend on, in the same versions with the same hashes.
 * @param {Lock} lock @param {readonly string[]} names @returns {Lock}
 */
export function selectPackages(lock, names) {
  const packages = lock.packages ?? {};
  /** @type {Map<string, Entry>} */
  const selected = new Map();
  /** Looks in the package's own folder first, then outwards. @param {string} name @param {string} owner */
  const find = (name, owner) => {
    for (let folder = owner; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
      const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
      if (packages[path] || folder === "") return path;
    }
  };
  const waiting = names.map((name) => find(name, ""));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const entry = packages[path];
    if (!entry || selected.has(path)) continue;
    const { dev: _, devOptional: __, ...rest } = entry;
    selected.set(path, rest);
    const peers = Object.keys(rest.peerDependencies ?? {}).filter(
      (name) => !rest.peerDependenciesMeta?.[name]?.optional,
    );
    const needed = [...Object.keys({ ...rest.dependencies, ...rest.optionalDependencies }), ...peers];
    waiting.push(...needed.map((name) => find(name, path)));
  }
  const all = { ...packages[""]?.dependencies, ...packages[""]?.devDependencies };
  const dependencies = Object.fromEntries(names.map((name) => [name, all[name] ?? ""]));
  return { ...lock, packages: { "": { dependencies }, ...Object.fromEntries(selected) } };
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
