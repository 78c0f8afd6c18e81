import { define } from "../language.ts";
import { plural } from "../plural.ts";

/** Members of a project, and threads that they share. */
export const members = define("members", {
  title: "Members",
  about: "Members see this project and its shared threads. Admins who are not members see neither.",
  roles: { owner: "Owner", editor: "Editor", viewer: "Viewer" },
  roleOf: (name: string) => `Role of ${name}`,
  roleAbout: { editor: "Editors read, write and ask in shared threads.", viewer: "Viewers only read." },
  you: "You",
  suspended: "Suspended",
  email: "Email address",
  emailAbout: "Of an account on this server.",
  emailMismatch: "Enter an email address, such as name@example.com.",
  role: "Role",
  kind: "Add",
  kinds: { person: "Person", group: "Group" },
  group: "Group",
  chooseGroup: "Choose…",
  groupAbout: "All people in the group get the role. Admins decide who is in it.",
  groups: "Groups",
  inGroup: (count: number) => plural(count, "person", "people"),
  through: (groups: string) => `Through ${groups}`,
  removeGroupText:
    "Its people lose access at once, and their running answers stop, unless they have another role here. Threads that they shared stay here.",
  add: "Add member",
  adding: "Add",
  privateThreads: (count: number) =>
    count === 1
      ? "1 of your threads in this project is private. Open its Share dialog to share it."
      : `${count} of your threads in this project are private. Open the Share dialog of each one to share it.`,
  remove: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name} from this project?`,
  removeText: "They lose access at once, and their running answers stop. Threads that they shared stay here.",
  removeAction: "Remove",
  leave: "Leave project",
  leaveTitle: "Leave this project?",
  leaveText:
    "You lose access to it and to its shared threads, also those that you started. Your private threads stay with you.",
  makeOwner: "Make owner",
  makeOwnerOf: (name: string) => `Make ${name} the owner`,
  makeOwnerTitle: (name: string) => `Make ${name} the owner?`,
  makeOwnerText: "They can then manage members, and archive or delete the project. You become an editor.",
  shared: "Shared with the members of its project",
  sharedProject: "Shared project",
  startsShared: "The members of this project will see this thread.",
  readOnly: "You can read this thread but not write in it. The owner of the project can make you an editor.",
  present: {
    label: "Others in this thread",
    here: (names: string) => `Also here: ${names}`,
    typing: (names: string, count: number) => (count === 1 ? `${names} is typing…` : `${names} are typing…`),
  },
  inThread: {
    title: "Members of the project",
    isPrivate: "Only you can see this thread.",
    isShared: "The members of its project can see this thread.",
    warning:
      "Sharing shows them everything in it: messages, files, tool calls and results. Records of its earlier prompts are deleted, because they may contain your memory.",
    noMemory: "In a shared thread the assistant does not use your memory, your instructions or your own tools.",
    share: "Share with members",
    unshare: "Make private",
    unshareText: "Then only the member who started it can see it.",
  },
});
