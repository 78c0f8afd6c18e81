import { define } from "../language.ts";
/** Names of the settings' sections by their URL names, and search keywords. */
export const settingsSections = define("settingsSections", {
  account: { name: "Account", keywords: "name email password sessions devices sign out profile" },
  people: { name: "People", keywords: "users accounts members admins invite invitation suspend roles" },
  activity: { name: "Activity", keywords: "audit log history security" },
  health: { name: "Health", keywords: "status uptime nodes backups jobs disk problems version" },
  storage: { name: "Storage", keywords: "disk space size database largest threads retention rules free compact" },
  models: {
    name: "Models and keys",
    keywords: "provider api key openai anthropic openrouter google ollama connect",
  },
  tools: { name: "Tools and servers", keywords: "mcp plugin integration" },
  profiles: { name: "Profiles", keywords: "instructions system prompt assistant limits" },
  prompts: { name: "Prompts and instructions", keywords: "custom instructions slash templates variables titles" },
  keys: { name: "API access", keywords: "api keys tokens programs clients editor command line cli scopes" },
  notifications: { name: "Notifications", keywords: "push badge alert install app phone home screen offline" },
  appearance: { name: "Appearance", keywords: "theme language text size motion density font" },
  shortcuts: { name: "Shortcuts", keywords: "keyboard keys" },
  data: { name: "Your data", keywords: "export everything delete everything about version" },
});
