import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../../server/config/config.ts";
import { settings } from "../../server/config/settings.ts";
import { parseDockerfile, toCommand, toVariables } from "../support/release/dockerfile.ts";
import { root } from "../support/release/packed.ts";

const deploy = join(root, "deploy");
const read = (name: string): string => readFileSync(join(deploy, name), "utf8");

test("the Dockerfile copies only files that exist and ends with a small, unprivileged image", () => {
  const stages = parseDockerfile(read("Dockerfile"));
  expect(stages.map(({ base }) => base)).toEqual(["node:24-bookworm-slim", "node:24-bookworm-slim"]);
  const copied = stages.flatMap(({ instructions }) =>
    instructions
      .filter(({ name, flags }) => name === "COPY" && flags["from"] === undefined)
      .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1)),
  );
  expect(copied.length).toBeGreaterThan(10);
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const last = stages.at(-1);
  const find = (wanted: string) => last?.instructions.find(({ name }) => name === wanted)?.rest ?? "";
  expect(find("USER")).toBe("1000:1000");
  expect(find("VOLUME")).toBe("/data");
  expect(find("RUN")).toBe("");
  expect(toCommand(find("HEALTHCHECK")).slice(0, 2)).toEqual(["node", "-e"]);
  const flags = JSON.parse(readFileSync(join(root, "scripts/server-flags.json"), "utf8")) as string[];
  expect(toCommand(find("ENTRYPOINT"))).toEqual(["node", ...flags, "dist/server/main.js"]);
  expect(readConfig({ ...toVariables(last!), PATH: undefined })).toMatchObject({ host: "0.0.0.0", dataDir: "/data" });
});

test.each(["FROM", "RUN ls", "FROM a\nMAINTAINER x", "FROM a\nCOPY"])("a Dockerfile with %j is rejected", (text) => {
  expect(() => parseDockerfile(text)).toThrow("Not understood");
});

type Service = {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
};
type Compose = { readonly services: Readonly<Record<string, Service>> } & Readonly<Record<string, object>>;

/** With `<<` of YAML and variables that are set. */
const readCompose = (name: string): Compose =>
  parse(
    read(name)
      .replace(/\$\{SITE[^}]*\}/g, "chat.example.com")
      .replace(/\$\{\w+:-([^}]*)\}/g, "$1"),
    {
      merge: true,
    },
  ) as Compose;
const composeFiles = readdirSync(deploy).filter((name) => name.startsWith("compose."));

test.each(composeFiles)("%s has locked-down servers whose settings are valid", (name) => {
  const { services, volumes = {}, secrets = {}, networks = {} } = readCompose(name);
  const ours = Object.entries(services).filter(([service]) => service.startsWith("stonechat"));
  expect(ours.length).toBeGreaterThan(0);
  for (const [, { environment = {}, image, ...rest }] of ours) {
    const names = Object.keys(environment);
    expect(names.filter((one) => !(one.replace(/_FILE$/, "") in settings))).toEqual([]);
    // The files of secrets are in the container only.
    const values = Object.entries(environment).filter(([one]) => !one.endsWith("_FILE"));
    expect(readConfig({ STONECHAT_HOST: "0.0.0.0", ...Object.fromEntries(values) })).toMatchObject({ host: "0.0.0.0" });
    if (image === undefined) continue;
    expect(rest).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      restart: "unless-stopped",
    });
  }
  // Named volumes, secrets and networks are declared.
  for (const { volumes: used = [], secrets: needed = [] } of Object.values(services) as {
    volumes?: string[];
    secrets?: string[];
  }[]) {
    expect(used.map((one) => one.split(":")[0] ?? "").filter((one) => !/^[./]/.test(one) && !(one in volumes))).toEqual(
      [],
    );
    expect(needed.filter((one) => !(one in secrets))).toEqual([]);
  }
  const mounted = Object.values(services).flatMap(({ volumes: used = [] }) => used as string[]);
  for (const file of mounted.map((one) => one.split(":")[0] ?? "").filter((one) => one.startsWith("./")))
    expect(existsSync(join(deploy, file)), file).toBe(true);
  expect(Object.keys(networks).length).toBe(name.includes("postgres") ? 1 : 0);
});

test("the proxy of the two nodes is the one they trust, and knows both", () => {
  const { services } = readCompose("compose.postgres.yaml");
  const { inside } = services["caddy"]!["networks"] as { inside: { ipv4_address: string } };
  const nodes = Object.entries(services).filter(([name]) => name.startsWith("stonechat-"));
  expect(nodes).toHaveLength(2);
  for (const [name, { environment = {} }] of nodes) {
    expect(environment["STONECHAT_TRUSTED_PROXIES"]).toBe(inside.ipv4_address);
    expect(services["caddy"]?.environment?.["UPSTREAMS"]).toContain(`${name}:3737`);
  }
});

type Manifest = { readonly kind: string; readonly spec: { readonly template?: { readonly spec: Pod } } };
type Pod = {
  readonly securityContext: object;
  readonly containers: readonly (Record<string, object> & { env: readonly { name: string; value?: string }[] })[];
};

test.each(["single.yaml", "nodes.yaml"])("kubernetes/%s runs unprivileged with probes and valid settings", (name) => {
  const documents = parseAllDocuments(read(`kubernetes/${name}`));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const manifests = documents.map((one) => one.toJS() as Manifest);
  const pods = manifests.flatMap(({ spec }) => (spec.template ? [spec.template.spec] : []));
  expect(pods).toHaveLength(1);
  const [container] = pods[0]?.containers ?? [];
  expect(pods[0]?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  expect(container?.["securityContext"]).toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) expect(container?.[probe]).toBeDefined();
  const values = container?.env.flatMap(({ name: one, value }) => (value === undefined ? [] : [[one, value]])) ?? [];
  expect(container?.env.filter(({ name: one }) => !(one in settings))).toEqual([]);
  expect(readConfig({ STONECHAT_HOST: "0.0.0.0", ...Object.fromEntries(values) })).toMatchObject({
    hosts: ["chat.example.com"],
  });
});

const analyze = (...args: readonly string[]) => spawnSync("systemd-analyze", [...args], { encoding: "utf8" });
const hasSystemd = analyze("--version").status === 0;

test.skipIf(!hasSystemd)(
  "the systemd unit is valid, except for programs that are not installed here, and exposes little",
  () => {
    const { stderr } = analyze("verify", join(deploy, "stonechat.service"));
    expect(stderr.split("\n").filter((line) => line !== "" && !/not executable|No such file/.test(line))).toEqual([]);
    const { stdout, status } = analyze(
      "security",
      "--offline=true",
      "--threshold=20",
      join(deploy, "stonechat.service"),
    );
    expect([status, /level for stonechat.service: ([\d.]+)/.exec(stdout)?.[1]]).toEqual([
      0,
      expect.stringMatching(/^1\./),
    ]);
  },
);
