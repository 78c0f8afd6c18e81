import { expect, test } from "vitest";
import { isLocalAddress } from "./local-address.ts";

test.each([
  "http://127.0.0.1:11434/v1",
  "http://localhost:8080",
  "http://[::1]:1234/v1",
  "http://192.168.1.20:11434/v1",
  "http://10.0.0.7/v1",
  "http://[fd00::7]:8000/v1",
  "http://ollama:11434/v1",
  "http://GPU.local./v1",
  "https://models.internal/v1",
])("%s is local", (url) => expect(isLocalAddress(url)).toBe(true));

test.each([
  "https://api.groq.com/openai/v1",
  "https://8.8.8.8/v1",
  "http://[2606:4700::1]/v1",
  "https://local.example.com",
  "",
])("%j is not local", (url) => expect(isLocalAddress(url)).toBe(false));
