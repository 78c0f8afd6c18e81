import { posix } from "node:path";
import type { Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { extensionOf } from "./file-types.ts";
import type { Files } from "./files.ts";
import { listPackages, packageOf, packages } from "./packages.ts";
export type Entry = {
  readonly path: string;
  /** Source of an inline or generated module, which is not a file. */
  readonly contents?: string;
};

type Options = {
  readonly files: Files;
  readonly entry: Entry;
  /** The folder with the server's node_modules. */
  readonly root: string;
  /** A package bundled into one module. */
  readonly toWhole: (name: string) => Promise<string>;
  readonly mostBytes: number;
};

const loaders: Readonly<Record<string, Loader>> = {
  ...{ ts: "ts", mts: "ts", cts: "ts", tsx: "tsx", jsx: "jsx", js: "jsx", mjs: "jsx", cjs: "jsx" },
  ...{ css: "css", json: "json", txt: "text", md: "text", csv: "text", html: "text", svg: "dataurl" },
  ...{ png: "dataurl", jpg: "dataurl", jpeg: "dataurl", gif: "dataurl", webp: "dataurl", avif: "dataurl" },
  ...{ ico: "dataurl", woff: "dataurl", woff2: "dataurl", ttf: "dataurl", otf: "dataurl" },
  ...{ mp3: "dataurl", ogg: "dataurl", wav: "dataurl", mp4: "dataurl", webm: "dataurl" },
};

/** Resolves and loads everything that is compiled: files of the workspace and listed packages. */
export const createWorkspacePlugin = (options: Options): Plugin => ({
  name: "workspace",
  setup: (build) => {
    let loaded = 0;
    build.onResolve({ filter: /.*/ }, (args) => resolve(build, args, options));
    build.onLoad({ filter: /.*/, namespace: "workspace" }, async ({ path, pluginData }) => {
      const result = await load(path, (pluginData as { raw?: boolean } | undefined)?.raw ?? false, options);
      loaded += result.contents?.length ?? 0;
      return loaded > options.mostBytes ? fault("This page is too large to compile.") : result;
    });
    build.onLoad({ filter: /.*/, namespace: "whole" }, async ({ path }) => ({
      contents: await options.toWhole(path),
      loader: "js",
      resolveDir: options.root,
    }));
    build.onLoad({ filter: /.*/, namespace: "file" }, ({ path }) =>
      isOfPackage(path) ? undefined : fault("Files outside the workspace cannot be imported."),
    );
  },
});

const OURS = "ours";

async function resolve(build: PluginBuild, args: OnResolveArgs, options: Options): Promise<OnResolveResult | null> {
  const { path: spec, importer, namespace, kind, pluginData, resolveDir } = args;
  if (pluginData === OURS) return null;
  if (kind === "entry-point") return { path: spec, namespace: "workspace" };
  if (namespace !== "workspace") {
    if (namespace === "file" && /^\.\.?(\/|$)/.test(spec)) return null;
    return resolvePackage(build, spec, { ...options, resolveDir: namespace === "file" ? resolveDir : options.root });
  }
  const folder = posix.dirname(importer.replace(/#\d+$/, ""));
  // In CSS a bare name is a relative file.
  const isUrl = kind === "url-token" || kind === "import-rule";
  const first = resolvePath({ spec, folder, has: options.files.has });
  const wanted =
    isUrl && first.is === "package" ? resolvePath({ spec: `./${spec}`, folder, has: options.files.has }) : first;
  if (wanted.is === "verbatim") return { path: spec, external: true };
  if (wanted.is === "fault") return fault(wanted.text);
  if (wanted.is === "file") return { path: wanted.path, namespace: "workspace", pluginData: { raw: wanted.raw } };
  return resolvePackage(build, wanted.spec, { ...options, resolveDir: options.root });
}

async function resolvePackage(
  build: PluginBuild,
  spec: string,
  { resolveDir }: { readonly resolveDir: string },
): Promise<OnResolveResult> {
  const name = packageOf(spec);
  const known = Object.hasOwn(packages, name) ? packages[name] : undefined;
  if (!known) {
    return fault(`The package "${name}" is not available in the preview. Available: ${listPackages()}.`);
  }
  if (known.whole && spec === name) return { path: name, namespace: "whole", sideEffects: false };
  const found = await build.resolve(spec, { kind: "import-statement", resolveDir, pluginData: OURS });
  if (found.errors.length > 0) return fault(`The package "${name}" has no "${spec}".`);
  return { path: found.path, namespace: found.namespace, sideEffects: found.sideEffects };
}

async function load(path: string, raw: boolean, { entry, files }: Options): Promise<OnLoadResult> {
  if (path === entry.path && entry.contents !== undefined) return { contents: entry.contents, loader: "tsx" };
  const content = await files.read(path);
  if (!content) return fault(`There is no file ${path} in this workspace.`);
  if (raw) return { contents: content.bytes, loader: "text" };
  if (isTooDeep(content.bytes)) return fault(`${path} is nested too deeply to be compiled.`);
  const loader = path.endsWith(".module.css") ? "local-css" : loaders[extensionOf(path)];
  return loader ? { contents: content.bytes, loader } : fault(`${path} has a file type that cannot be imported.`);
}

const MOST_DEPTH = 2000;
const [opening, closing] = [new Set(Buffer.from("([{")), new Set(Buffer.from(")]}"))];

/** The compiler recurses as deep as its input; deeply nested brackets would exhaust memory. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  for (const byte of bytes) {
    if (opening.has(byte)) depth += 1;
    else if (closing.has(byte)) depth -= 1;
    if (depth > MOST_DEPTH) return true;
  }
  return false;
}

const isOfPackage = (path: string): boolean => {
  const name = path.replaceAll("\\", "/").split("/node_modules/").at(-1);
  return name !== undefined && Object.hasOwn(packages, packageOf(name));
};

const fault = (text: string): { readonly errors: { text: string }[]; readonly contents?: never } => ({
  errors: [{ text }],
});

const endings = [".tsx", ".ts", ".jsx", ".js", ".mjs", ".json", ".css"] as const;

type ImportTarget =
  | { readonly is: "file"; readonly path: string; readonly raw: boolean }
  | { readonly is: "package"; readonly spec: string }
  /** Left unchanged: a fragment or a data URL. */
  | { readonly is: "verbatim" }
  | { readonly is: "fault"; readonly text: string };

type ImportRequest = { readonly spec: string; readonly folder: string; readonly has: (path: string) => boolean };

/**
 * Resolves an import to a file of the workspace or a package, never to the server's file system or the network. `/x` is in the
 * workspace's root or public folder; `@/x` is `src/x`.
 */
function resolvePath({ spec, folder, has }: ImportRequest): ImportTarget {
  if (/^(data:|blob:|#)/i.test(spec)) return { is: "verbatim" };
  if (/^([a-z][a-z\d+.-]*:)?\/\//i.test(spec) || /^[a-z][a-z\d+.-]+:/i.test(spec)) {
    return { is: "fault", text: `${spec}: a preview can only load files of its workspace.` };
  }
  const [bare = "", query = ""] = spec.split("?", 2);
  const from = toFolder(bare, folder);
  if (from === undefined) return { is: "package", spec };
  const path = posix.normalize(posix.join(from, bare.replace(/^(@\/|\/+)/, "")));
  if (path.startsWith("..")) return { is: "fault", text: `${spec} is outside the workspace.` };
  const found = candidates(path).find(has) ?? (bare.startsWith("/") ? [`public/${path}`].find(has) : undefined);
  if (found !== undefined) return { is: "file", path: found, raw: query === "raw" };
  return { is: "fault", text: `There is no file ${path} in this workspace.` };
}

function toFolder(spec: string, folder: string): string | undefined {
  if (spec.startsWith("@/")) return "src";
  if (spec.startsWith("/")) return "";
  return /^\.\.?(\/|$)/.test(spec) ? folder : undefined;
}

function candidates(path: string): readonly string[] {
  const stem = path.replace(/\.jsx?$/, "");
  return [
    path,
    ...endings.map((ending) => path + ending),
    ...(stem === path ? [] : [`${stem}.tsx`, `${stem}.ts`]),
    ...endings.map((ending) => posix.join(path, `index${ending}`)),
  ];
}
