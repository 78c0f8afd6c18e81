import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { patientFetch } from "./patient-fetch.ts";

test("waits for headers longer than the platform's own fetch does", async () => {
  const { promise: isImpatientGone, resolve: letGo } = Promise.withResolvers<void>();
  const server = createServer((req, res) => {
    if (req.url === "/patient") void isImpatientGone.then(() => res.end("at last"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const usual = getGlobalDispatcher();
  setGlobalDispatcher(new Agent({ headersTimeout: 50 }));
  onTestFinished(() => {
    setGlobalDispatcher(usual);
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const patient = patientFetch(`${url}/patient`);
  await expect(fetch(`${url}/impatient`)).rejects.toThrow("fetch failed");
  letGo();
  expect(await (await patient).text()).toBe("at last");
});
