import { createHash } from "node:crypto";
import type { Frame, Page } from "playwright-core";
import type { Store, Write } from "../../../server/store/contract.ts";
import { put } from "../../support/store-rows.ts";

export type Sources = Readonly<Record<string, string>>;

/** Creates a project of `local` with these files, as an act would. Further calls are further acts. */
export async function writeWorkspace(store: Store, project: string, files: Sources, owner = "local"): Promise<number> {
  const before = await store.read.project(project);
  const seq = (before?.seq ?? 0) + 1;
  const writes: Write[] = [
    {
      do: "put",
      table: "projects",
      row: {
        ...{ id: project, owner, name: "A project", description: "", instructions: "", archived: 0, version: 1 },
        ...{ untrusted: "[]", seq, created_at: 1, updated_at: 1 },
      },
    },
    {
      do: "insert",
      table: "acts",
      row: {
        ...{ project, id: `act-${seq}`, untrusted: "[]", hash: "h", seq, author: "person", thread: null, run: null },
        ...{ text: "Wrote files", undone: 0, undoes: null, created_at: 1 },
      },
    },
    ...Object.entries(files).flatMap(([path, text], n) => toRows({ project, seq, n }, path, text)),
  ];
  await put(store, ...writes);
  return seq;
}

type Place = { readonly project: string; readonly seq: number; readonly n: number };

function toRows({ project, seq, n }: Place, path: string, text: string): readonly Write[] {
  const hash = createHash("sha256").update(text).digest("hex");
  const facts = { hash, bytes: Buffer.byteLength(text), lines: text.split("\n").length };
  return [
    { do: "put", table: "files", row: { project, path, ...facts, seq, updated_at: 1 } },
    { do: "put", table: "blobs", row: { project, hash, encoding: "text", body: text } },
    {
      do: "insert",
      table: "changes",
      row: {
        ...{ project, act: `act-${seq}`, n, seq, what: "file", target: path, title: path },
        ...{ before: null, after: JSON.stringify(facts) },
      },
    },
  ];
}

/** Frames a preview in the app, as the app does, and forwards its reports. */
export async function framePreview(page: Page, project: string, url: string, isBound = true): Promise<Frame> {
  await page.evaluate(`(${addFrame})(${JSON.stringify({ project, url, isBound })})`);
  const element = await page.waitForSelector("iframe");
  const frame = await element.contentFrame();
  if (!frame) throw new Error("the frame is gone");
  return frame;
}

const addFrame = `({ project, url, isBound }) => {
  document.querySelector("iframe")?.remove();
  const frame = Object.assign(document.createElement("iframe"), { src: url, title: "Preview" });
  if (isBound) frame.setAttribute("sandbox", "allow-scripts allow-forms allow-modals");
  frame.style.cssText = "position:fixed;inset:0;width:800px;height:600px;z-index:99";
  addEventListener("message", ({ source, origin, data: { seq, loaded, logs } }) => {
    if (source !== frame.contentWindow || origin !== "null") return;
    void fetch("/api/projects/" + project + "/logs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ seq, loaded, logs: logs.map((log) => ({ ...log, at: Date.now() })) }),
    });
  });
  document.body.append(frame);
}`;
