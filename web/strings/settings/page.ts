import { define } from "../language.ts";
/** The settings page with its appearance and data sections. Models, tools and profiles are in the other files. */
export const settings = define("settings", {
  title: "Settings",
  unknownSection: "This settings page doesn't exist.",
  toModels: "Go to models and keys",
  sheets: { memory: "Memory", usage: "Usage" },
  shortcuts: "Keyboard shortcuts",
  appearance: {
    language: "Language",
    browserLanguage: "Browser's language",
    languageAbout: "Messages of models and of the server are not translated.",
    theme: "Theme",
    themes: { system: "System", light: "Light", dark: "Dark" },
    textSize: "Text size",
    textSizes: { small: "Small", normal: "Normal", large: "Large", larger: "Larger" },
    textSizeAbout: "Scales the whole interface.",
    spacing: "Spacing",
    spacings: { roomy: "Comfortable", compact: "Compact" },
    motion: "Motion",
    motions: { system: "System", less: "Reduce motion" },
    motionAbout: "Reduce motion turns off all animations.",
    storage: "Saved in this browser.",
  },
  history: {
    title: "Memory and usage",
    about: "See what Stonechat remembers about you and what each model call cost.",
    openMemory: "Open memory",
    openUsage: "Open usage",
  },
  export: {
    title: "Export everything",
    about:
      "One JSON file with all your data: threads with every branch, memory, projects, files, profiles and drafts. API keys are not included. To export a single thread, use its menu.",
  },
  deletion: {
    title: "Delete everything",
    about:
      "Deletes all your threads, projects, files, memory, profiles, drafts, shared links and API keys. This can't be undone, so export anything you may need first.",
    open: "Delete everything…",
    confirmTitle: "Delete everything?",
    confirmAbout: "All your data is permanently deleted, on every device. Running answers are stopped.",
    confirmField: (text: string) => `Type “${text}” to confirm`,
    costs: "Also delete usage and cost records",
    costsAbout: "Otherwise they are kept, without message content.",
    deleting: "Deleting…",
    confirm: "Delete everything",
    startOver: "Start over",
  },
  about: {
    title: "About",
    license: "Stonechat is free software under the MIT license.",
    version: (version: string) => `Version ${version}`,
    api: "Everything on this page can also be done through the API.",
    apiLink: "API documentation",
  },
});
