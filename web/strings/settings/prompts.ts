import { define } from "../language.ts";
export const promptSettings = define("promptSettings", {
  instructions: {
    title: "Custom instructions",
    about: "Added to the instructions of every profile, in all your threads.",
    field: "Instructions for all threads",
    example: "Such as: Answer briefly. I write British English.",
  },
  titles: {
    title: "Titles",
    switch: "Let a model name new threads",
    about:
      "After the first answer, a model of the thread's own provider writes a title. Temporary threads get none, and a title that you set stays.",
  },
  prompts: {
    title: "Saved prompts",
    about: "Type / in the message field to insert one. {{name}} or {{name=default}} in its text asks for a value.",
    empty: "No saved prompts yet.",
    noMatch: "No matching prompts.",
    filter: "Search prompts",
    list: "Saved prompts",
    add: "New prompt",
    name: "Name",
    nameAbout: "Letters, digits, - and _, without spaces. It is typed after the /.",
    nameInvalid: "Use letters, digits, - and _, without spaces.",
    text: "Text",
    place: "Where it is offered",
    everywhere: "All threads",
    inProject: (name: string) => `Threads of “${name}”`,
    edit: (name: string) => `Edit ${name}`,
    delete: (name: string) => `Delete ${name}`,
    deleteTitle: (name: string) => `Delete /${name}?`,
    deleteAbout: "Messages that used it stay as they are. This can't be undone.",
  },
});
