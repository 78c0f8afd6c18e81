import type { Model } from "../../protocol/api.ts";
import { isOnlyOffline } from "../composer/describe-model.ts";

export type Sample = { readonly label: string; readonly text: string };

/** Something to begin with. The offline model only quotes and calls tools, so it is asked for what it can do. */
export const listSamples = (models: readonly Model[]): readonly Sample[] =>
  isOnlyOffline(models) ? forOffline : forAny;

const forOffline: readonly Sample[] = [
  { label: "What can you do?", text: "What can you do?" },
  { label: "What time is it?", text: "What time is it in Tokyo?" },
  { label: "Calculate", text: "What is 17.5% of 2480?" },
  {
    label: "Tell it something",
    text: "A stonechat is a small bird of heaths. Its call sounds like two pebbles knocked together.",
  },
];

const forAny: readonly Sample[] = [
  { label: "Explain something", text: "Explain how tides work, with a small table of spring and neap tides." },
  { label: "Write some code", text: "Write a TypeScript function that groups an array by a key, with one example." },
  { label: "Plan a thing", text: "Help me plan a two-day walk: what to decide first, and a packing list." },
  {
    label: "Think it through",
    text: "I have to choose between two job offers. Ask me the five questions that matter most.",
  },
];
