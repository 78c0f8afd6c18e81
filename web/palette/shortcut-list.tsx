import { Fragment } from "react";
import { shortcutGroups } from "../labels/shortcuts.ts";
import { keys as strings } from "../strings/labels/shortcuts.ts";

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const toKeyNames = (keys: string): readonly string[] =>
  keys.split(" ").map((key) => (key === "mod" ? (isMac ? strings.mac : strings.other) : key));

/** All keyboard shortcuts by area. */
export const ShortcutList = () => (
  <div className="grid gap-6">
    {shortcutGroups.map(({ title, shortcuts }) => (
      <section key={title} aria-label={title}>
        <h3 className="mb-2 text-xs font-medium text-soft">{title}</h3>
        <dl className="grid grid-cols-[minmax(8.5rem,auto)_1fr] items-baseline gap-x-5 gap-y-2.5 text-sm">
          {shortcuts.map(({ keys, about }) => (
            <Fragment key={keys}>
              <dt className="flex flex-wrap gap-1">
                {toKeyNames(keys).map((name) => (
                  <kbd
                    key={name}
                    className="inline-grid h-6 min-w-6 place-items-center rounded-md bg-hover px-1.5 font-mono text-xs"
                  >
                    {name}
                  </kbd>
                ))}
              </dt>
              <dd>{about}</dd>
            </Fragment>
          ))}
        </dl>
      </section>
    ))}
  </div>
);
