/** Sections of the settings, by their URL names; `words` are search aliases. */
export const settingsSections = [
  {
    id: "models",
    name: "Models and keys",
    words: "provider api key openai anthropic openrouter google ollama connect",
  },
  { id: "tools", name: "Tools and servers", words: "mcp plugin integration" },
  { id: "profiles", name: "Profiles", words: "instructions system prompt assistant limits" },
  { id: "appearance", name: "Appearance", words: "theme text size motion density font" },
  { id: "shortcuts", name: "Shortcuts", words: "keyboard keys" },
  { id: "data", name: "Your data", words: "export everything delete everything about version" },
] as const;
