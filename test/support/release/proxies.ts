import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { delimiter, join } from "node:path";
import { createCertificate, type Certificate } from "../../security/outbound-certificate.ts";
import { findFreePort } from "../free-port.ts";
import { makeFolder, removeFolder, root } from "./packed.ts";

export const site = "chat.example.com";
export const proxyNames = ["nginx", "caddy"] as const;
export type ProxyName = (typeof proxyNames)[number];

/** From the machine's packages. */
export const findProxy = (name: ProxyName): string | undefined =>
  [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/bin"]
    .map((folder) => join(folder, name))
    .find(existsSync);

export type Proxy = {
  readonly port: number;
  readonly httpPort: number;
  readonly certificate: Certificate;
  readonly close: () => Promise<void>;
};

type Options = {
  /** Addresses of nodes, separated by spaces. */
  readonly upstream: string;
  /** Changes the configuration, for controls. */
  readonly change?: (text: string) => string;
};

/** Runs a proxy with the configuration in deploy/, with other ports and a certificate that signs itself. */
export async function startProxy(name: ProxyName, { upstream, change = (text) => text }: Options): Promise<Proxy> {
  const program = findProxy(name);
  if (program === undefined) throw new Error(`${name} is not installed.`);
  const folder = makeFolder();
  const certificate = createCertificate(site);
  const [port, httpPort] = [await findFreePort(), await findFreePort()];
  const paths = { cert: join(folder, "site.crt"), key: join(folder, "site.key") };
  writeFileSync(paths.cert, certificate.cert);
  writeFileSync(paths.key, certificate.key);
  const settings = { folder, upstream, port, httpPort, ...paths, change };
  const args = name === "nginx" ? configureNginx(settings) : configureCaddy(settings);
  const env = { ...process.env, UPSTREAMS: upstream, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], env });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (errors += piece));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const failed = exited.then(() => Promise.reject<never>(new Error(`${name} ended.\n${errors}`)));
  failed.catch(() => {});
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
    removeFolder(folder);
  };
  const proxy = { port, httpPort, certificate, close };
  const isReady = async (): Promise<void> => {
    const { status } = await ask(proxy, "GET /readyz").catch(() => ({ status: 0 }));
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return isReady();
  };
  await Promise.race([isReady(), failed]);
  return proxy;
}

type Settings = {
  readonly folder: string;
  readonly upstream: string;
  readonly port: number;
  readonly httpPort: number;
  readonly cert: string;
  readonly key: string;
  readonly change: (text: string) => string;
};

const read = (file: string): string => readFileSync(join(root, "deploy", file), "utf8");

/** Fails if the file no longer has what is replaced. */
function replace(text: string, pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs).reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`The configuration has no "${from}".`);
    return all.replaceAll(from, to);
  }, text);
}

function configureNginx({ folder, upstream, port, httpPort, cert, key, change }: Settings): readonly string[] {
  const own = replace(read("nginx.conf"), {
    "listen 80;": `listen 127.0.0.1:${httpPort};`,
    "listen 443 ": `listen 127.0.0.1:${port} `,
    "server 127.0.0.1:3737 max_fails=1 fail_timeout=5s;": upstream
      .split(" ")
      .map((address) => `server ${address} max_fails=1 fail_timeout=5s;`)
      .join("\n"),
    "/etc/nginx/tls/chat.example.com.crt": cert,
    "/etc/nginx/tls/chat.example.com.key": key,
  });
  writeFileSync(join(folder, "stonechat.conf"), change(own));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  const main = `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; pid ${join(folder, "pid")}; error_log stderr;
    events {} http { access_log off; ${temporary.join(" ")} include ${join(folder, "stonechat.conf")}; }`;
  writeFileSync(join(folder, "main.conf"), main);
  return ["-c", join(folder, "main.conf"), "-p", folder, "-e", "stderr"];
}

function configureCaddy({ folder, port, httpPort, cert, key, change }: Settings): readonly string[] {
  const first = "{$SITE:chat.example.com} {\n";
  const own = replace(read("Caddyfile"), { [first]: `${first}\ttls ${cert} ${key}\n` });
  const global = `{\n\tadmin off\n\thttp_port ${httpPort}\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n}\n`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "Caddyfile"), change(global + own));
  return ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
}

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
};

type Request = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | object;
  readonly onPiece?: (text: string) => void;
  readonly signal?: AbortSignal;
};

/** One request over TLS, from another address than the proxy's. Only the certificate of this proxy is accepted. */
export function ask(
  { port, certificate }: Pick<Proxy, "port" | "certificate">,
  route: string,
  options: Request = {},
): Promise<Answer> {
  const { headers = {}, body, onPiece = () => {}, signal } = options;
  const [method = "GET", path = "/"] = route.split(" ");
  const isBytes = body instanceof Uint8Array;
  const bytes = body === undefined || isBytes ? body : Buffer.from(JSON.stringify(body));
  const type = isBytes ? "application/octet-stream" : "application/json";
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ host: "127.0.0.1", localAddress: "127.0.0.2", port, method, path, agent: false },
      ...{ ca: certificate.cert, servername: site, ...(signal ? { signal } : {}) },
      headers: {
        host: site,
        ...(bytes ? { "content-type": type, "content-length": String(bytes.length) } : {}),
        ...headers,
      },
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
        onPiece(text);
      });
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.end(bytes);
  });
}
