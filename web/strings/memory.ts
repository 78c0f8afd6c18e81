import { define } from "./language.ts";
export const memory = define("memory", {
  title: "Memory",
  about:
    "What Stonechat remembers about you, sent to every model you use, local or not. “What the model saw” shows when it was used.",
  switch: "Use memory",
  on: "Models may remember things about you, and get them in every thread that is not temporary.",
  off: "Off: nothing new is remembered, and nothing below is sent to a model. Use Forget to delete it.",
  list: "Remembered",
  export: "Export",
  forgetAll: "Forget everything",
  forgetAllTitle: "Forget everything?",
  forgetTitle: (field: string) => `Forget your ${field}?`,
  forgetAbout: "This is deleted together with its history and no longer sent to models. This can't be undone.",
  forget: "Forget",
  field: {
    empty: "Not set",
    edit: (field: string) => `Edit ${field}`,
    add: (field: string) => `Add ${field}`,
    forget: (field: string) => `Forget ${field}`,
    json: 'A JSON object, such as {"timeZone": "Europe/Berlin"}.',
    changedElsewhere: (value: string) => `This was changed elsewhere to “${value}”. Save again to overwrite it.`,
    forgottenElsewhere: "This was deleted elsewhere. Save again to keep your text.",
  },
  source: {
    user: "by you",
    thread: "from a thread",
    titledThread: (title: string) => `from “${title}”`,
  },
  history: {
    title: "History",
    titleWithCount: (count: number) => `History (${count})`,
    changedTo: "changed to",
    forgotten: "deleted",
    undone: "undone",
    undoFor: (field: string) => `Undo change to ${field}`,
  },
});
