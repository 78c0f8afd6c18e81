import { expect, test } from "vitest";
import { startInstance, type Instance } from "../support/instance.ts";
import { toolContext, toolDeps } from "../support/server/tool-context.ts";
import createConsoleLogs from "../../server/tools/workspace/read-console-logs.tool.ts";
import createNetworkRequests from "../../server/tools/workspace/read-network-requests.tool.ts";
import type { Tool } from "../../server/tools/tool.ts";
import { noBrowser, openPage, seeText } from "./open-page.ts";
import { framePreview, writeWorkspace, type Sources } from "./preview/write-workspace.ts";

const app: Sources = {
  "index.html": `<!doctype html>
<html lang="en">
<head><title>Counter</title></head>
<body>
<div id="root"></div>
<script type="module" src="/src/main.tsx"></script>
</body></html>`,
  "src/main.tsx": `import { createRoot } from "react-dom/client";
import App from "@/App";
import "./index.css";
createRoot(document.getElementById("root")!).render(<App start={3} />);`,
  "src/App.tsx": `import { useState } from "react";
import { clsx } from "clsx";
import { Sun } from "lucide-react";
import { format } from "date-fns";
import { create } from "zustand";
import words from "./words.json";
import type { Props } from "./types";

const useStore = create<{ n: number }>(() => ({ n: 40 }));

export default function App({ start }: Props) {
  const [count, setCount] = useState<number>(start);
  const { n } = useStore();
  return (
    <main>
      <button className={clsx("big", count > 3 && "more")} onClick={() => setCount(count + 1)}>{words.count}: {count}</button>
      <Sun />
      <p id="date">{format(new Date(0), "yyyy")}</p>
      <p id="store">{n + 2}</p>
    </main>
  );
}`,
  "src/types.ts": "export type Props = { start: number };",
  "src/words.json": '{ "count": "Count" }',
  "src/index.css": `@import "./colours.css";
.big { padding: 7px; }
main { background-image: url(/logo.svg); }`,
  "src/colours.css": ".more { color: rgb(1, 2, 3); }",
  "public/logo.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

async function open(files: Sources, project = "p") {
  const instance = await startInstance();
  await writeWorkspace(instance.server.store, project, files);
  const page = await openPage(instance.url, { allowErrors: true });
  const show = async () => {
    const { url } = await instance.client.openPreview({ params: { projectId: project }, body: {} });
    return framePreview(page, project, url);
  };
  return { instance, page, show, frame: await show() };
}

type Read = { preview: string; current: boolean; logs: { level: string; text: string; place?: string }[] };

async function useTool(tool: Tool, { server }: Instance, search?: string): Promise<Read> {
  const context = toolContext({ read: server.store.read, projectId: "p" });
  return (await tool.execute(search === undefined ? {} : { search }, context)).output as Read;
}

const consoleLogs = createConsoleLogs(toolDeps) as Tool;
const networkRequests = createNetworkRequests(toolDeps) as Tool;

test.skipIf(noBrowser)("runs a React app in TypeScript with state, styles and packages", async () => {
  const { frame, instance } = await open(app);
  const button = frame.getByRole("button");
  await seeText(() => button.innerText(), "Count: 3");
  await button.click();
  await seeText(() => button.innerText(), "Count: 4");
  const look = "(({ color, paddingTop }) => [color, paddingTop])(getComputedStyle(document.querySelector('button')))";
  expect(await frame.evaluate(look)).toEqual(["rgb(1, 2, 3)", "7px"]);
  expect(await frame.locator("svg.lucide-sun").count()).toBe(1);
  expect([await frame.locator("#date").innerText(), await frame.locator("#store").innerText()]).toEqual(["1970", "42"]);
  await expect
    .poll(async () => (await useTool(consoleLogs, instance)).logs.map(({ text }) => text))
    .toContain("The page was loaded.");
  const report = await useTool(consoleLogs, instance);
  expect(report).toMatchObject({ preview: "The preview shows the newest files.", current: true });
  expect(report.logs.filter(({ level }) => level === "error")).toEqual([]);
});

test.skipIf(noBrowser)("reports console messages, errors and requests with their positions", async () => {
  const { frame, instance, page } = await open({
    ...app,
    "data.json": "[1]",
    "src/App.tsx": `import { useEffect } from "react";
export default function App() {
  useEffect(() => {
    console.warn("careful %s", "now", { a: 1 });
    void fetch("data.json");
    void fetch("nowhere.json");
    void fetch("https://example.com/x").catch(() => {});
    const ask = new XMLHttpRequest();
    ask.open("GET", "missing.txt");
    ask.send();
    void Promise.reject(new Error("late"));
    localStorage.setItem("stored", "yes");
    setTimeout(function tick() {
      null.broken;
    });
  }, []);
  return <img src="lost.png" alt={localStorage.getItem("stored")} />;
}`,
  });
  await frame.locator("img").waitFor();
  const has = (text: string) => async () =>
    (await instance.client.listLogs({ params: { projectId: "p" } })).logs.some((log) => log.text.includes(text));
  for (const text of ["careful now", "broken", "late", "nowhere.json 404", "missing.txt 404", "lost.png"]) {
    await expect.poll(has(text), { message: text }).toBe(true);
  }
  const { logs } = await useTool(consoleLogs, instance);
  const find = (text: string) => logs.find((log) => log.text.includes(text));
  expect(find("careful")).toMatchObject({ level: "warn", text: 'careful now {"a":1}', place: "src/App.tsx:4:13" });
  expect(find("broken")).toMatchObject({ level: "error", place: "src/App.tsx:14:12" });
  expect(find("broken")?.text).toContain("Uncaught TypeError");
  expect(find("broken")?.text).toContain("at tick (src/App.tsx:14:12)");
  expect(find("late")).toMatchObject({ level: "error", place: "src/App.tsx:11:25" });
  const requests = (await useTool(networkRequests, instance)).logs.map(({ level, text }) => `${level} ${text}`);
  expect(requests).toContain("ok GET data.json 200");
  expect(requests).toContain("error GET nowhere.json 404");
  expect(requests).toContain("error GET missing.txt 404");
  expect(requests.find((text) => text.includes("example.com"))).toMatch(
    /^error GET https:\/\/example.com\/x failed: blocked/,
  );
  expect((await useTool(networkRequests, instance, "data.json 200")).logs).toHaveLength(1);
  expect(await page.evaluate("localStorage.getItem('stored')")).toBeNull();
});

test.skipIf(noBrowser)("shows compile errors in the preview and reports them with their positions", async () => {
  const { frame, instance, show } = await open({
    "index.html": '<script type="module">\nimport axios from "axios";\nimport "./a.ts";\naxios();\n</script>',
    "a.ts": "export const a = ;",
  });
  await seeText(() => frame.getByRole("alert").innerText(), /cannot be compiled[\s\S]*"axios" is not available/);
  await expect
    .poll(async () => (await useTool(consoleLogs, instance)).logs.map(({ place }) => place))
    .toContain("a.ts:1:18");
  const { logs } = await useTool(consoleLogs, instance);
  expect(logs.find(({ text }) => text.includes("axios"))).toMatchObject({ level: "error", place: "index.html:2:19" });
  await writeWorkspace(instance.server.store, "p", { "index.html": "<p>plain</p>" });
  const behind = await useTool(consoleLogs, instance);
  expect(behind).toMatchObject({ current: false });
  expect(behind.preview).toBe(
    "The preview has not reported since the last change; the newest report is of 1 change ago.",
  );
  const next = await show();
  await next.getByText("plain").waitFor();
  await expect.poll(async () => (await useTool(consoleLogs, instance)).current).toBe(true);
});

test.skipIf(noBrowser)("renders App without an index.html, and explains an empty workspace", async () => {
  const { frame, instance, show } = await open({ "README.md": "nothing" });
  await frame.getByText("No page yet").waitFor();
  await writeWorkspace(instance.server.store, "p", { "src/App.tsx": "export default () => <h1>Here I am</h1>;" });
  await (await show()).getByRole("heading", { name: "Here I am" }).waitFor();
});
