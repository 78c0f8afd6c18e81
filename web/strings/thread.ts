import { define } from "./language.ts";
import { plural } from "./plural.ts";

/** The start page and an open thread. */
export const thread = define("thread", {
  start: {
    label: "Start",
    heading: "What is on your mind?",
    samples: "Suggestions",
    newProject: "New project",
    /** Words at the beginning of a request that are left out of the name of its project. */
    projectOpenings:
      "please can could would you i want need like to build make create write design code develop me us a an the some",
    createdProject: (name: string) => `Created the project “${name}” for the files.`,
  },
  temporary: {
    name: "Temporary",
    /** Follows the name where there is space. */
    detail: ": deleted when you leave it",
    keep: "Keep",
    keepHint: "Keep this thread: it is then listed and searched like others",
    hint: "Not listed, searched or remembered. Deleted when you leave it or close the page.",
    about:
      "This thread is temporary: it does not appear in lists, search or memory, and is deleted when you leave it or close the page.",
  },
  introduction: {
    label: "About Stonechat",
    server: {
      title: "Runs on your server",
      text: "Messages and answers are stored on your own server. You can close the page while an answer is being written.",
    },
    receipts: {
      title: "Nothing is hidden",
      text: "Each answer shows what the model was given, what it did and what it cost.",
    },
    keyboard: {
      title: "Everything within reach",
      text: "The command palette finds and runs any command. Type @ to mention tools, files and projects.",
    },
  },
  /** Suggested first messages. The demo model only quotes text and runs tools. */
  samplesForDemo: [
    { label: "What can you do?", text: "What can you do?" },
    { label: "What time is it?", text: "What time is it in Tokyo?" },
    { label: "Calculate", text: "What is 17.5% of 2480?" },
    {
      label: "Give it a fact",
      text: "A stonechat is a small bird of heaths. Its call sounds like two pebbles knocked together.",
    },
  ],
  samples: [
    { label: "Explain something", text: "Explain how tides work, with a small table of spring and neap tides." },
    { label: "Write some code", text: "Write a TypeScript function that groups an array by a key, with one example." },
    { label: "Make a plan", text: "Help me plan a two-day walk: what to decide first, and a packing list." },
    {
      label: "Think it through",
      text: "I have to choose between two job offers. Ask me the five questions that matter most.",
    },
  ],
  samplesByProfile: {
    builder: [
      {
        label: "A page",
        text: "Build a page about stonechats with a heading, a picture drawn in CSS and three facts.",
      },
      { label: "A small tool", text: "Build a tip calculator with a slider for the tip and the number of people." },
      { label: "A game", text: "Build a memory game with twelve cards and a count of the moves." },
      { label: "A chart", text: "Build a page that draws a bar chart of numbers that I type into a field." },
    ],
    research: [
      { label: "Compare", text: "Compare heat pumps and gas heating for a small house: costs, noise and upkeep." },
      { label: "Get up to date", text: "What has changed in battery recycling in the last year? Cite your sources." },
      { label: "Check a claim", text: "Is it true that blue light from screens disturbs sleep? What do studies say?" },
      { label: "Find the source", text: "Who first said “the map is not the territory”, and where?" },
    ],
    project: [
      { label: "Start a project", text: "Start a project for renovating my kitchen, with its goals and first tasks." },
      { label: "What is next?", text: "What should I do next in my projects?" },
      { label: "What is late?", text: "Which tasks are overdue, and what depends on them?" },
      { label: "Weekly review", text: "Go through my projects with me: which tasks are done, stuck, or next?" },
    ],
    autopilot: [
      {
        label: "Reach a goal",
        text: "Plan a weekend in Lisbon for two within 400 euros: transport, a bed, what to see.",
      },
      { label: "Sort it out", text: "Find three quiet laptops under 900 euros and tell me which one to buy, and why." },
    ],
  },
  demo: {
    label: "About the demo model",
    text: "You're using the built-in demo model, which can only quote text and run tools. To use a real model, add an API key or a local server such as Ollama.",
    textForMembers:
      "You're using the built-in demo model, which can only quote text and run tools. An admin can connect a real model.",
    connect: "Connect a model",
    hide: "Hide",
    found: (server: string, models: string) => `${server} is running on this machine, with ${models}.`,
    foundEmpty: (server: string) => `${server} is running on this machine, but has no models yet.`,
    searching: "Looking for a model server on this machine…",
    nothingFound: "No model server was found on this machine.",
    notAllowed:
      "With accounts or a token, model servers on this machine must be allowed first. For Ollama, start the server with this line, then add its address in the settings:",
    models: (count: number, text: string) => plural(count, "model", "models", text),
    use: (server: string) => `Use ${server}`,
    adding: "Connecting…",
  },
  header: {
    addToProject: "Add to project",
    newThread: "New thread",
    title: "Title",
    rename: "Rename this thread",
    share: "Share this thread",
    /** Completes "More for …". */
    menuTarget: "this thread",
  },
  messages: {
    label: "Messages",
    empty: "No messages yet",
    loadFailed: "Some messages could not be loaded.",
    scrollToEnd: "Scroll to the end",
    inOtherVariant: "That message is in another variant of this thread.",
    unsent: "Your message, not sent yet",
    files: (count: number) => plural(count, "file"),
  },
  find: {
    label: "Find in this thread",
    previous: "Previous match",
    next: "Next match",
    searching: "Searching…",
    none: "No matches",
    position: (at: string, count: string) => `${at} of ${count}`,
  },
  announce: {
    answering: "Stonechat is answering.",
    parked: "The answer is parked.",
    endedEarly: "The answer ended early.",
    question: (question: string) => `The model asks: ${question}`,
    approval: (title: string, reason: string) => `Waiting for approval: ${title}. ${reason}`,
  },
  branch: {
    text: "Your next message branches from an earlier answer. Later messages are kept as a variant.",
    show: (depth: string) => `Show message ${depth}`,
    cancel: "Continue from the last message instead",
  },
});
