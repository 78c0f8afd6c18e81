import type { Entry } from "./workspace-plugin.ts";
import type { Files } from "./files.ts";

const mains = ["src/main", "src/index", "main", "index"].flatMap((stem) =>
  ["tsx", "jsx", "ts", "js"].map((ending) => `${stem}.${ending}`),
);
const apps = ["src/App", "App"].flatMap((stem) => ["tsx", "jsx"].map((ending) => `${stem}.${ending}`));

/** The module that puts `App` on the page where the workspace has none of its own. */
export const SHELL_ENTRY = "-shell.tsx";

/** The page of a workspace that has no index.html; undefined: there is nothing to show. */
export function findShell(files: Files): string | undefined {
  const main = mains.find(files.has);
  const entry = main ?? (apps.some(files.has) ? SHELL_ENTRY : undefined);
  if (entry === undefined) return undefined;
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>Preview</title></head><body><div id="root"></div><script type="module" src="/${entry}"></script></body></html>`
  );
}

export function toShellEntry(files: Files): Entry | undefined {
  const app = apps.find(files.has);
  if (app === undefined) return undefined;
  const contents = [
    'import { createRoot } from "react-dom/client";',
    `import * as app from ${JSON.stringify(`./${app}`)};`,
    'const App = app.default ?? app["App"];',
    `if (!App) throw new Error(${JSON.stringify(`${app} exports no component: export default a function.`)});`,
    'createRoot(document.getElementById("root")).render(<App />);',
  ];
  return { path: SHELL_ENTRY, contents: contents.join("\n") };
}
