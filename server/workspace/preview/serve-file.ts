import { readFileSync } from "node:fs";
import type { CompileResult } from "./compile.ts";
import type { Builds } from "./builds.ts";
import type { Entry } from "./workspace-plugin.ts";
import { isPage, typeOf } from "./file-types.ts";
import type { Files } from "./files.ts";
import { BUILD_FOLDER, listModules, REPORTER, toDocument } from "./document.ts";
import { toNotice } from "./words.ts";

export type ServedFile = {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Text only, needs no scripts. */
  readonly isWords?: true;
};

type Request = { readonly files: Files; readonly builds: Builds; readonly path: string; readonly root: string };

const html = "text/html; charset=utf-8";
const script = "text/javascript; charset=utf-8";
const reporter = readFileSync(new URL("./reporter.js", import.meta.url), "utf8");

/** Serves a path of a preview: the reporter, a compiled module, a page, or a file unchanged. */
export async function serveFile(request: Request): Promise<ServedFile> {
  const { files, path } = request;
  if (path === REPORTER) return { status: 200, type: script, body: reporter };
  if (path.startsWith(BUILD_FOLDER)) return serveBuilt(request);
  const name = path === "" || path.endsWith("/") ? `${path}index.html` : path;
  if (isPage(name)) return servePage(request, name);
  const found = files.has(name) ? name : `public/${name}`;
  const content = await files.read(found);
  if (!content) return words(404, "File not found", `This workspace has no file \`${path}\`.`);
  return { status: 200, type: typeOf(found, content.isText), body: content.bytes };
}

async function servePage({ files, builds, root }: Request, path: string): Promise<ServedFile> {
  const found = [path, `public/${path}`].find(files.has);
  const text = found === undefined ? undefined : await readText(files, found);
  const page = text ?? (path === "index.html" ? (findShell(files) ?? nothingYet) : undefined);
  if (page === undefined) return words(404, "Page not found", `This workspace has no file \`${path}\`.`);
  const build = async (entry: Entry): Promise<CompileResult> =>
    builds.get(files, (entry.path === SHELL_ENTRY && toShellEntry(files)) || entry);
  const body = await toDocument({ html: page, path: found ?? path, root, seq: files.seq, has: files.has, build });
  return { status: 200, type: html, body };
}

const nothingYet = toNotice(
  "No page yet",
  "Write `index.html`, or `src/App.tsx` with a component as its default export, and it runs here.",
);

async function serveBuilt({ files, builds, path }: Request): Promise<ServedFile> {
  const [, name = "", ending] = /^(.*)\.(js|css)$/.exec(path.slice(BUILD_FOLDER.length)) ?? [];
  const entry = await findEntry(files, name);
  if (!entry) return toScript({ ok: false, problems: [missing(name)] });
  const built = await builds.get(files, entry);
  if (ending === "js") return toScript(built);
  return { status: 200, type: "text/css; charset=utf-8", body: built.ok ? built.css : "" };
}

async function findEntry(files: Files, name: string): Promise<Entry | undefined> {
  if (name === SHELL_ENTRY) return toShellEntry(files);
  const [page = "", index] = name.split("#");
  if (index === undefined) return files.has(name) ? { path: name } : undefined;
  const text = await readText(files, page);
  return text === undefined ? undefined : listModules(text, page)[Number(index)];
}

/** A module that reports the compile errors. */
function toScript(built: CompileResult): ServedFile {
  const told = built.ok
    ? built.js + (built.warnings.length > 0 ? `\n__preview.warn(${toJson(built.warnings)});` : "")
    : `__preview.fail(${toJson(built.problems)});`;
  return { status: 200, type: script, body: told };
}

const toJson = (value: unknown): string => JSON.stringify(value);

const missing = (name: string) => ({ text: `There is no file ${name} in this workspace.`, place: null, line: "" });

async function readText(files: Files, path: string): Promise<string | undefined> {
  const content = await files.read(path);
  return content && Buffer.from(content.bytes).toString("utf8");
}

const words = (status: number, title: string, text: string): ServedFile => ({
  status,
  type: html,
  body: toNotice(title, text),
  isWords: true,
});

const mains = ["src/main", "src/index", "main", "index"].flatMap((stem) =>
  ["tsx", "jsx", "ts", "js"].map((ending) => `${stem}.${ending}`),
);
const apps = ["src/App", "App"].flatMap((stem) => ["tsx", "jsx"].map((ending) => `${stem}.${ending}`));

/** A generated entry that renders `App`. */
const SHELL_ENTRY = "-shell.tsx";

/** A generated page for a workspace without index.html; undefined if it has no App either. */
function findShell(files: Files): string | undefined {
  const main = mains.find(files.has);
  const entry = main ?? (apps.some(files.has) ? SHELL_ENTRY : undefined);
  if (entry === undefined) return undefined;
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>Preview</title></head><body><div id="root"></div><script type="module" src="/${entry}"></script></body></html>`
  );
}

function toShellEntry(files: Files): Entry | undefined {
  const app = apps.find(files.has);
  if (app === undefined) return undefined;
  const contents = [
    'import { createRoot } from "react-dom/client";',
    `import * as app from ${JSON.stringify(`./${app}`)};`,
    // A copy: the compiler warns about a missing export of a module, and only one of the two is there.
    "const found = { ...app };",
    "const App = found.default ?? found.App;",
    `if (!App) throw new Error(${JSON.stringify(`${app} exports no component: export default a function.`)});`,
    'createRoot(document.getElementById("root")).render(<App />);',
  ];
  return { path: SHELL_ENTRY, contents: contents.join("\n") };
}
