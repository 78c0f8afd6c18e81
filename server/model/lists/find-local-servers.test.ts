import { expect, onTestFinished, test } from "vitest";
import { createProviderServer, findRefusedUrl } from "../../../test/support/provider-server.ts";
import { findLocalServers } from "./find-local-servers.ts";

const serve = async (body: string, more: { status?: number; location?: string } = {}) => {
  const headers = { "content-type": "application/json", ...(more.location ? { location: more.location } : {}) };
  const server = await createProviderServer({ next: () => ({ status: more.status ?? 200, headers, body }) });
  onTestFinished(server.close);
  return server;
};
const listOf = (owner: string, ...ids: readonly string[]) =>
  JSON.stringify({ object: "list", data: ids.map((id) => ({ id, object: "model", owned_by: owner })) });
const signal = new AbortController().signal;

test("recognizes each server by its list, whichever port it uses, and counts its chat models", async () => {
  const ollama = await serve(listOf("library", "qwen3:8b", "nomic-embed-text"));
  const lmStudio = await serve(listOf("organization_owner", "google/gemma-3-12b"));
  const llamaCpp = await serve(listOf("llamacpp", "gemma.gguf"));
  const vllm = await serve(listOf("vllm", "Qwen/Qwen3-8B"));
  // vLLM and llama.cpp have exchanged their ports.
  const urls = { ollama: ollama.url, lmstudio: lmStudio.url, vllm: llamaCpp.url, llamacpp: vllm.url };
  expect(await findLocalServers(urls, signal)).toEqual([
    { id: "ollama", label: "Ollama", baseUrl: ollama.url, models: 1 },
    { id: "lmstudio", label: "LM Studio", baseUrl: lmStudio.url, models: 1 },
    { id: "llamacpp", label: "llama.cpp", baseUrl: llamaCpp.url, models: 1 },
    { id: "vllm", label: "vLLM", baseUrl: vllm.url, models: 1 },
  ]);
});

test("leaves out other programs, closed ports and redirects, and finds Ollama without models", async () => {
  const elsewhere = await serve(listOf("library", "qwen3:8b"));
  const empty = await serve('{"object":"list","data":null}');
  const urls = {
    ollama: empty.url,
    page: (await serve("<!doctype html>")).url,
    other: (await serve('{"hello":"world"}')).url,
    locked: (await serve("{}", { status: 401 })).url,
    moved: (await serve("", { status: 307, location: `${elsewhere.url}/models` })).url,
    closed: await findRefusedUrl(),
  };
  expect(await findLocalServers(urls, signal)).toEqual([
    { id: "ollama", label: "Ollama", baseUrl: empty.url, models: 0 },
  ]);
  expect(elsewhere.calls).toEqual([]);
});
