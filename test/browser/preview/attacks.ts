import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A server that a preview must not reach. It counts connections, requests by path, and datagrams. */
export type Canary = {
  readonly url: string;
  readonly host: string;
  readonly udpPort: number;
  readonly seen: { connections: number; datagrams: number; readonly paths: Set<string> };
};

export async function startCanary(): Promise<Canary> {
  const seen = { connections: 0, datagrams: 0, paths: new Set<string>() };
  const server = createServer((request, response) => {
    seen.paths.add((request.url ?? "").replace(/[?#].*$/s, ""));
    response.setHeader("access-control-allow-origin", "*").setHeader("connection", "close").end("");
  });
  server.on("connection", () => void (seen.connections += 1));
  server.on("upgrade", (request, socket) => {
    seen.paths.add(request.url ?? "");
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const udp = createSocket("udp4", () => void (seen.datagrams += 1));
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    udp.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, udpPort: udp.address().port, seen };
}

/** Attacks, each as a page of a workspace; `leaves` is the trace of a visit at the canary. */
export type Attack = {
  readonly name: string;
  readonly page: string;
  readonly leaves: (seen: Canary["seen"]) => boolean;
};

const script = (code: string): string => `<!doctype html><body><script>${code}</script></body>`;
const inFrame = (inner: string): string =>
  script(
    `const f = document.createElement("iframe"); f.srcdoc = ${JSON.stringify(inner).replaceAll("</", "<\\/")}; document.body.append(f);`,
  );

export function listAttacks({ url, host, udpPort }: Pick<Canary, "url" | "host" | "udpPort">): readonly Attack[] {
  const to = (name: string): string => JSON.stringify(`${url}/${name}`);
  const rtc = (port: number): string =>
    `const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] }); c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o));`;
  const element = (name: string, html: string) => ({ [name]: `<!doctype html><body>${html}</body>` });
  const pages: Readonly<Record<string, string>> = {
    fetch: script(`fetch(${to("fetch")})`),
    "fetch-plain": script(`fetch(${to("fetch-plain")}, { mode: "no-cors", credentials: "include" })`),
    xhr: script(`const x = new XMLHttpRequest(); x.open("GET", ${to("xhr")}); x.send();`),
    websocket: script(`new WebSocket("ws://${host}/websocket")`),
    "event-source": script(`new EventSource(${to("event-source")})`),
    beacon: script(`navigator.sendBeacon(${to("beacon")}, "x")`),
    "import-module": script(`import(${to("import-module")}).catch(() => {})`),
    image: script(`new Image().src = ${to("image")}`),
    ...element("script", `<script src="${url}/script"></script>`),
    ...element("stylesheet", `<link rel="stylesheet" href="${url}/stylesheet">`),
    ...element("css-import", `<style>@import url(${url}/css-import);</style>`),
    ...element("css-image", `<style>body { background: url(${url}/css-image) }</style>x`),
    ...element(
      "css-font",
      `<style>@font-face { font-family: f; src: url(${url}/css-font) } body { font-family: f }</style>x`,
    ),
    ...element("video", `<video src="${url}/video" autoplay></video>`),
    ...element("svg-image", `<svg><image href="${url}/svg-image" width="9" height="9"/></svg>`),
    ...element("iframe", `<iframe src="${url}/iframe"></iframe>`),
    ...element("object", `<object data="${url}/object"></object>`),
    ...element("embed", `<embed src="${url}/embed">`),
    ...element("prefetch", `<link rel="prefetch" href="${url}/prefetch">`),
    ...element("preload", `<link rel="preload" as="image" href="${url}/preload">`),
    ...element("module-preload", `<link rel="modulepreload" href="${url}/module-preload">`),
    "form-get": script(
      `document.body.innerHTML = '<form action="${url}/form-get"><input name="a"></form>'; document.forms[0].submit()`,
    ),
    "form-post": script(
      `document.body.innerHTML = '<form method="post" action="${url}/form-post"></form>'; document.forms[0].submit()`,
    ),
    "form-top": script(
      `document.body.innerHTML = '<form target="_top" action="${url}/form-top"></form>'; document.forms[0].submit()`,
    ),
    "window-open": script(`window.open(${to("window-open")})`),
    "top-location": script(`top.location = ${to("top-location")}`),
    "parent-location": script(`parent.location.href = ${to("parent-location")}`),
    "own-location": script(`location = ${to("own-location")}`),
    "meta-refresh": `<!doctype html><meta http-equiv="refresh" content="0;url=${url}/meta-refresh">`,
    "link-click": script(
      `document.body.innerHTML = '<map><area href="${url}/link-click"></map>'; document.querySelector("area").click()`,
    ),
    "link-ping": script(
      `document.body.innerHTML = '<a href="#x" ping="${url}/link-ping">x</a>'; document.querySelector("a").click()`,
    ),
    worker: script(`new Worker(URL.createObjectURL(new Blob(["fetch(${`'${url}/worker'`})"])))`),
    "worker-import": script(
      `new Worker(URL.createObjectURL(new Blob(["importScripts(${`'${url}/worker-import'`})"])))`,
    ),
    "srcdoc-fetch": inFrame(`<script>fetch(${to("srcdoc-fetch")})</script>`),
    "srcdoc-image": inFrame(`<img src="${url}/srcdoc-image">`),
    "srcdoc-location": inFrame(`<script>location = ${to("srcdoc-location")}</script>`),
    "srcdoc-webrtc": inFrame(`<script>${rtc(udpPort)}</script>`),
  };
  return Object.entries(pages).map(([name, page]) => ({
    name,
    page,
    leaves: ({ datagrams, paths }) => (name.includes("webrtc") ? datagrams > 0 : paths.has(`/${name}`)),
  }));
}
