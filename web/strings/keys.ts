/** Names of modifier keys in keyboard shortcuts. */
export const keys = { mac: "Cmd", other: "Ctrl" };
