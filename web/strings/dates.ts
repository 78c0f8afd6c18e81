import { define } from "./language.ts";
export const dates = define("dates", {
  today: "Today",
  tomorrow: "Tomorrow",
  yesterday: "Yesterday",
  justNow: "just now",
  minutesAgo: (count: number) => `${count}m ago`,
  hoursAgo: (count: number) => `${count}h ago`,
  daysAgo: (count: number) => `${count}d ago`,
});
