import { posix } from "node:path";

const endings = [".tsx", ".ts", ".jsx", ".js", ".mjs", ".json", ".css"] as const;

export type Wanted =
  | { readonly is: "file"; readonly path: string; readonly raw: boolean }
  | { readonly is: "package"; readonly spec: string }
  /** Stays as it is written: an address within the page, or data. */
  | { readonly is: "verbatim" }
  | { readonly is: "fault"; readonly text: string };

type Question = { readonly spec: string; readonly folder: string; readonly has: (path: string) => boolean };

/**
 * What an import means: a file of the workspace or a package, never anything else of this machine or the network. `/x` is the
 * workspace's root, or its public folder; `@/x` is `src/x`.
 */
export function resolvePath({ spec, folder, has }: Question): Wanted {
  if (/^(data:|blob:|#)/i.test(spec)) return { is: "verbatim" };
  if (/^([a-z][a-z\d+.-]*:)?\/\//i.test(spec) || /^[a-z][a-z\d+.-]+:/i.test(spec)) {
    return { is: "fault", text: `${spec}: a preview reaches the files of its workspace and nothing else.` };
  }
  const [bare = "", query = ""] = spec.split("?", 2);
  const from = toFolder(bare, folder);
  if (from === undefined) return { is: "package", spec };
  const path = posix.normalize(posix.join(from, bare.replace(/^(@\/|\/+)/, "")));
  if (path.startsWith("..")) return { is: "fault", text: `${spec} lies outside of the workspace.` };
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
