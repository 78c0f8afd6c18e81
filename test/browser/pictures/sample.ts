import type { Client } from "../../../protocol/client.ts";
import type { ModelEvent, ModelRequest } from "../../../protocol/model.ts";

/** The sample conversation of the screenshots. Its answers are scripted; no model is called. */
export const questions = [
  "We have nine tonnes of granite to move up the slipway. What pull does the winch need?",
  "And what should be ready before Friday?",
] as const;

const first = `The slipway rises **1 in 8**, so its angle is about 7.1°. With steel rollers on wet stone a friction of 0.04 is on the safe side:

$$F = m g (\\sin\\alpha + \\mu \\cos\\alpha) = 9000 \\cdot 9.81 \\cdot (0.124 + 0.04) \\approx 14.5\\ \\text{kN}$$

| | pull | with a reserve of half |
|---|---:|---:|
| one load | 14.5 kN | 21.8 kN |
| two loads | 7.3 kN | 10.9 kN |

Two loads stay below the 12 kN of the small winch:

\`\`\`ts
const pull = (kilograms: number) => kilograms * 9.81 * (Math.sin(slope) + 0.04 * Math.cos(slope));
\`\`\`
`;
const second =
  "Three things, all in the project now: the **rollers** by Wednesday, the **wedges** by Thursday, and someone at the gate on Friday at high water.";

const usage = {
  inputTokens: 1840,
  outputTokens: 212,
  reasoningTokens: 0,
  cacheReadTokens: 1_510,
  cacheWriteTokens: 0,
  estimated: false,
};
const say = (text: string): readonly ModelEvent[] => [
  { type: "start", key: "r", kind: "reasoning" },
  {
    type: "delta",
    key: "r",
    text: "Slope, weight and friction give the pull; a reserve of half is usual for wet stone.",
  },
  { type: "end", key: "r" },
  { type: "start", key: "t", kind: "text" },
  ...(text.match(/[^]{1,24}/g) ?? []).map((delta): ModelEvent => ({ type: "delta", key: "t", text: delta })),
  { type: "end", key: "t" },
  { type: "finish", reason: "stop", usage },
];

const add = (titles: Readonly<Record<string, string>>): readonly ModelEvent[] => [
  {
    type: "tool-call",
    key: "c",
    callId: `call-${Object.keys(titles).length}`,
    name: "create_entities",
    inputText: JSON.stringify({
      entities: Object.entries(titles).map(([title, ends]) => ({ kind: "task", title, ends, priority: "high" })),
    }),
  },
  { type: "finish", reason: "tool-calls", usage },
];

const day = (ahead: number): string => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);

export function* answer({ messages }: ModelRequest): Iterable<ModelEvent> {
  const question = JSON.stringify(messages.findLast(({ role }) => role === "user"));
  if (!question.includes("before Friday")) yield* say(first);
  else if (messages.at(-1)?.role !== "tool") yield* add({ "Bring the rollers": day(2), "Cut the wedges": day(3) });
  else yield* say(second);
}

export const projectId = "quay";
export const threadId = "granite";

const app = `import { useState } from "react";

export default function App() {
  const [tonnes, setTonnes] = useState(9);
  const pull = tonnes * 9.81 * 0.164;
  return (
    <main style={{ font: "18px system-ui", padding: 32 }}>
      <h1>Winch</h1>
      <input type="range" min={1} max={20} value={tonnes} onChange={(event) => setTonnes(+event.target.value)} />
      <p>
        {tonnes} t need <b>{pull.toFixed(1)} kN</b>
      </p>
    </main>
  );
}
`;
const files = {
  "index.html": `<!doctype html>\n<html lang="en">\n  <head>\n    <meta charset="utf-8" />\n    <title>Winch</title>\n  </head>\n  <body>\n    <div id="root"></div>\n    <script type="module" src="/src/main.tsx"></script>\n  </body>\n</html>\n`,
  "src/main.tsx": `import { createRoot } from "react-dom/client";\nimport App from "./App";\n\ncreateRoot(document.getElementById("root")!).render(<App />);\n`,
  "src/App.tsx": app,
};

/** A project with goals, tasks, documents, files and a thread. */
export async function createSampleProject(client: Client): Promise<void> {
  const params = { projectId };
  const create = (kind: string, id: string, title: string, more: object = {}) => ({
    do: "create",
    kind,
    id,
    title,
    ...more,
  });
  const at = (ahead: number): number => Date.now() + ahead * 86_400_000;
  await client.createProject({
    body: { id: projectId, name: "The new quay", instructions: "Metric units, short answers." },
  });
  const ops = [
    create("goal", "g1", "Open the quay in spring"),
    create("task", "t1", "Survey the slipway", { state: "done" }),
    create("task", "t2", "Order granite", { state: "active", endsAt: at(-1), priority: "high" }),
    create("task", "t3", "Ask for the crane", { endsAt: at(6) }),
    create("event", "e1", "High water", { startsAt: at(4), endsAt: at(4) + 3_600_000 }),
    create("document", "d1", "Handbook", { body: "# Handbook\n\nFirst the ropes, then the stone." }),
    { do: "link", sourceId: "t2", targetId: "g1", relation: "supports" },
  ];
  await client.act({ params, body: { id: "furnish", ops: ops as never } });
  const written = Object.entries(files).map(([path, text]) => ({ do: "write" as const, path, was: null, text }));
  await client.writeFiles({ params, body: { id: "write", ops: written } });
  for (const [id, title] of [
    ["ropes", "Which knots hold in the wet"],
    ["tides", "Tides of next week"],
  ] as const)
    await client.createThread({ body: { id, title } });
  await client.createThread({ body: { id: threadId, title: "Granite up the slipway", projectId, profile: "project" } });
}
