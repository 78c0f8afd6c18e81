import { define } from "../language.ts";
import { plural } from "../plural.ts";

export const toolSettings = define("toolSettings", {
  servers: "MCP servers",
  serversAbout: "MCP servers provide additional tools. Tool descriptions aren't trusted: changes need your approval.",
  serversEmpty: "No servers yet. Add one to use its tools.",
  add: {
    open: "Add server",
    name: "Name",
    nameExample: "notes",
    nameTaken: "A server with this name exists. Its address will be replaced.",
    nameInvalid: "Use up to 30 letters, digits, - and _, without spaces.",
    address: "Address",
    addressAbout: "Starts with https://. Addresses in your own network must be allowed by the operator.",
    addressExample: "https://mcp.example.com/mcp",
    submit: "Add",
    adding: "Adding…",
    added: "Added",
  },
  states: {
    idle: "Not connected",
    connecting: "Connecting…",
    resting: "Unreachable",
    "signed-out": "Sign-in required",
    closed: "Closed",
    changed: "Changed: review needed",
    tools: (count: number) => plural(count, "tool"),
  },
  card: {
    local: "Runs on the server, set up by the operator.",
    changed: "changed",
    signOut: "Sign out",
    signOutOf: (server: string) => `Sign out of ${server}`,
    remove: (server: string) => `Remove ${server}`,
    removeTitle: (server: string) => `Remove ${server}?`,
    removeAbout: "Its tools can no longer be used and you are signed out of it. Threads keep its results.",
    removed: (server: string) => `${server} was removed.`,
    fixed: (server: string) => `${server} was set up by the operator and can't be removed here.`,
  },
  signIn: {
    start: "Sign in",
    startFor: (server: string) => `Sign in to ${server}`,
    /** The link to the sign-in page follows. */
    pending: "Come back here after you sign in at",
    noAddress: "The server did not provide a valid sign-in address.",
  },
  change: {
    label: (tool: string) => `${tool} has changed`,
    about: (tool: string) =>
      `${tool} has changed since it was first used. The model can't call it until you accept the changes.`,
    lines: (tool: string) => `Changes to ${tool}`,
    added: "added: ",
    removed: "removed: ",
    accept: "Accept changes",
    acceptFor: (tool: string) => `Accept changes to ${tool}`,
    advice: "Check them for instructions that you don't expect.",
  },
  tools: {
    title: "Tools",
    about:
      "Tools that delete, spend money or can't be undone need your approval. Once the thread contains untrusted content, so do tools that send data or change memory. No web page or model can change this.",
    filter: "Filter tools",
    noMatch: "No matching tools.",
    builtIn: "Built in",
    builtInList: "Built-in tools",
    serverList: (server: string) => `Tools from ${server}`,
  },
  approvals: {
    spend: "Needs approval: spends money",
    delete: "Needs approval: deletes data",
    once: "Needs approval: can't be undone",
    send: "May need approval to send data",
  },
  effects: {
    none: "no side effects",
    read: "reads",
    write: "writes",
    egress: "goes online",
    destructive: "deletes",
    spend: "spends money",
  },
});
