import { define } from "../language.ts";
/** Names of the settings' sections by their URL names, and search keywords. */
export const settingsSections = define("settingsSections", {
  models: {
    name: "Models and keys",
    keywords: "provider api key openai anthropic openrouter google ollama connect",
  },
  tools: { name: "Tools and servers", keywords: "mcp plugin integration" },
  profiles: { name: "Profiles", keywords: "instructions system prompt assistant limits" },
  prompts: { name: "Prompts and instructions", keywords: "custom instructions slash templates variables titles" },
  appearance: { name: "Appearance", keywords: "theme language text size motion density font" },
  shortcuts: { name: "Shortcuts", keywords: "keyboard keys" },
  data: { name: "Your data", keywords: "export everything delete everything about version" },
});
