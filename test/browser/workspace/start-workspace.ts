import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { FileOp } from "../../../protocol/workspace/workspace.ts";
import type { Script } from "../../../server/model/scripted.ts";
import { mintId, startInstance, type Instance } from "../../support/instance.ts";
import { openPage } from "../open-page.ts";

/** A real server with a project, its files, and a builder thread. */
export const projectId = "tides";
export const threadId = "tides-thread";

export type Sources = Readonly<Record<string, string>>;

export const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Tides</title>
  </head>
  <body>
    <div id="root"></div>
    <script type="module" src="/src/main.tsx"></script>
  </body>
</html>
`;

const lines = [
  'import { createRoot } from "react-dom/client";',
  'import App from "./App";',
  "",
  'createRoot(document.getElementById("root")!).render(<App />);',
  'console.log("The page is up");',
  "",
];
export const main = lines.join("\n");

export const app = `export default function App() {
  return (
    <main>
      <h1>High water</h1>
    </main>
  );
}
`;

export const sources: Sources = { "index.html": page, "src/main.tsx": main, "src/App.tsx": app };

export type WorkspaceInstance = Instance & {
  /** Writes as another client, over any content; null deletes. */
  readonly write: (files: Readonly<Record<string, string | null>>) => Promise<void>;
  readonly read: (path: string) => Promise<string | null>;
};

type Options = { readonly files?: Sources; readonly script?: Script };

export async function startWorkspace({ files = {}, script }: Options = {}): Promise<WorkspaceInstance> {
  const instance = await startInstance({
    ...(script ? { script } : {}),
    env: {
      STONECHAT_MODEL: script ? "scripted/script" : "offline/stone",
      STONECHAT_FALLBACKS: ",",
      STONECHAT_OFFLINE_PACE_MS: "0",
    },
  });
  const { client } = instance;
  const params = { projectId };
  await client.createProject({ body: { id: projectId, name: "Tides" } });
  await client.createThread({ body: { id: threadId, title: "A page of tides", profile: "builder", projectId } });
  const server: WorkspaceInstance = {
    ...instance,
    write: async (wanted) => {
      const { files: lines } = await client.listFiles({ params });
      const ops = Object.entries(wanted).flatMap(([path, text]): readonly FileOp[] => {
        const was = lines.find((line) => line.path === path)?.hash ?? null;
        if (text !== null) return [{ do: "write", path, was, text }];
        return was === null ? [] : [{ do: "delete", path, was }];
      });
      await client.writeFiles({ params, body: { id: mintId("act"), ops: [...ops] } });
    },
    read: async (path) => (await client.getFile({ params, query: { path } }).catch(() => null))?.text ?? null,
  };
  if (Object.keys(files).length > 0) await server.write(files);
  return server;
}

/** Opens the thread with its files. Errors of the previewed page are allowed; errors of the app fail the test. */
export async function openWorkspacePage(
  { url }: Pick<Instance, "url">,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const browser = await openPage(`${url}/healthz`, {
    viewport: { width: 1440, height: 900 },
    ...options,
    allowErrors: true,
  });
  // A browser that has not seen the workspace opens its preview first.
  await browser.evaluate(`localStorage.setItem("stonechat.workspace.${projectId}.side", "files")`);
  const errors: string[] = [];
  browser.on("pageerror", (error) => {
    if (!error.stack?.includes("/preview/")) errors.push(String(error));
  });
  browser.on("console", (message) => {
    const isOurs = !message.location().url.includes("/preview/") && !message.text().includes("/preview/");
    // The app handles 4xx responses, but browsers log them as errors.
    const isClientError = /responded with a status of 4\d\d/.test(message.text());
    if (message.type() === "error" && isOurs && !isClientError) errors.push(message.text());
  });
  onTestFinished(() => expect(errors).toEqual([]));
  await browser.goto(`${url}/t/${threadId}`);
  return browser;
}

export const workspaceOf = (browser: Page) => browser.getByRole("region", { name: "Workspace" });
export const frameOf = (browser: Page) => browser.frameLocator('iframe[title="Preview"]');
export const editorOf = (browser: Page, path: string) => browser.getByRole("textbox", { name: `Text of ${path}` });
export const rowOf = (browser: Page, name: string) => browser.getByRole("treeitem", { name, exact: true });

export async function chooseSide(browser: Page, side: "Chat" | "Files" | "Preview" | "Versions"): Promise<void> {
  await browser.getByRole("group", { name: "View" }).getByRole("button", { name: side }).click();
}
