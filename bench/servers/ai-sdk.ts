import { serve } from "@hono/node-server";
import { convertToModelMessages, streamText, type UIMessage } from "ai";
import { Hono } from "hono";
import { announce } from "./control.ts";
import { createLanguageModel } from "./language-model.ts";

/** The peer: the chat route from the AI SDK's documentation, on Hono. It stores nothing. */
const model = createLanguageModel();
const app = new Hono();

app.post("/chat", async (context) => {
  const { messages } = await context.req.json<{ messages: UIMessage[] }>();
  const result = streamText({
    model,
    instructions: "You are a careful assistant. Answer in the language of the question.",
    messages: await convertToModelMessages(messages),
  });
  return result.toUIMessageStreamResponse();
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => announce(`http://127.0.0.1:${port}`));
