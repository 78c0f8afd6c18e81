import { FolderPlus, Hourglass, SquarePen } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useEffect, useRef } from "react";
import { composerFieldId } from "../composer/composer.tsx";
import { toJobName, usualProfile } from "../labels/choice.ts";
import { shell } from "../strings/shell.ts";
import { useLoad } from "../lib/use-load.ts";
import { MenuItem } from "../ui/menu-item.tsx";
import { useSignal } from "../lib/signal.ts";
import { defaultThreadOptions, usePage, type ThreadOptions } from "../state/page.ts";
import { beginTab, toProjectPath } from "../state/route.ts";
import { CreateMenuButton } from "./create-menu.tsx";

const strings = shell.newThread;
const mostProjects = 6;

/**
 * Mounted by the first click on its button, so it starts open. Rendered inside the sidebar, not in a portal, to stay within
 * its landmark.
 */
const CreateMenuPopup = () => {
  const { client, projects, threadOptions, go, goTo } = usePage();
  const { state } = useLoad("profiles", (signal) => client.listProfiles({ params: {} }, signal));
  const profiles = state.phase === "ready" ? state.value.profiles.filter(({ id }) => id !== usualProfile) : [];
  const active = useSignal(projects.state).projects.filter(({ archived }) => !archived);
  useEffect(() => void projects.load(), [projects]);
  const isStarted = useRef(false);
  const start = (options: Partial<ThreadOptions>) => {
    isStarted.current = true;
    threadOptions.set({ ...defaultThreadOptions, ...options });
    goTo(null);
  };
  return (
    <DropdownMenu.Root defaultOpen modal={false}>
      <DropdownMenu.Trigger asChild>
        <CreateMenuButton />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content
        align="end"
        sideOffset={4}
        collisionPadding={8}
        onCloseAutoFocus={(event) => {
          if (!isStarted.current) return;
          isStarted.current = false;
          event.preventDefault();
          document.getElementById(composerFieldId)?.focus();
        }}
        className="z-50 max-h-(--radix-dropdown-menu-content-available-height) w-60 animate-rise overflow-y-auto rounded-xl bg-raised p-1.5 shadow-float"
      >
        <MenuItem Icon={SquarePen} label={strings.label} onSelect={() => start({})} />
        <MenuItem Icon={Hourglass} label={strings.temporary} onSelect={() => start({ temporary: true })} />
        {profiles.length > 0 && <Label>{strings.withProfile}</Label>}
        {profiles.map(({ id, name, builtIn }) => (
          <MenuItem
            key={id}
            Icon={SquarePen}
            label={builtIn ? toJobName(id) : name}
            onSelect={() => start({ profile: id })}
          />
        ))}
        {active.length > 0 && <Label>{strings.inProject}</Label>}
        {active.slice(0, mostProjects).map(({ id, name }) => (
          <MenuItem key={id} Icon={FolderPlus} label={name} onSelect={() => go(toProjectPath(id, beginTab))} />
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
};

const Label = ({ children }: { readonly children: string }) => (
  <DropdownMenu.Label className="px-2.5 pt-2 pb-1 text-xs font-medium text-soft">{children}</DropdownMenu.Label>
);

export default CreateMenuPopup;
