import { define } from "../language.ts";
export const notificationSettings = define("notificationSettings", {
  title: "Notifications in this browser",
  about:
    "Get a notification when an answer is ready or needs your decision, even while Stonechat is closed. It goes through the push service of your browser's vendor, encrypted: only this browser can read it.",
  turnOn: "Turn on notifications",
  turnOff: "Turn off",
  isOn: "Notifications are on in this browser.",
  titles: "Show the title of the thread",
  titlesAbout:
    "Otherwise a notification only says that an answer is ready. It never contains text of a message, and temporary threads have none.",
  test: "Send a test",
  tested: "Sent. The notification appears in a moment.",
  refused: "The browser did not allow notifications. Allow them for this site in the settings of the browser.",
  failed: "This browser could not subscribe to its push service. Check its connection, then try again.",
  support: {
    insecure: "Notifications need https, or localhost. Ask the operator of this server to set up https.",
    "needs-install":
      "On iPhone and iPad, notifications need an installed page: open the Share menu, choose Add to Home Screen, then open Stonechat from there.",
    unsupported: "This browser has no notifications.",
    blocked:
      "Notifications are blocked for this site. Allow them in the settings of the browser, then reload the page.",
  },
  browsers: "Browsers with notifications",
  none: "No browser gets notifications.",
  current: "This browser",
  withTitles: "with titles",
  since: (date: string) => `Since ${date}`,
  lastSent: (when: string) => `Last notification ${when}`,
  remove: "Remove",
  removeFor: (device: string) => `Remove ${device}`,
  install: "Install Stonechat",
  installAbout:
    "Install the page from the menu of your browser to open it in a separate window, to share text, links and files to it from other apps, and to see on its icon how many threads wait for you. On iPhone and iPad: Share, then Add to Home Screen. Sharing to an installed page is not available there.",
});
