import { ChevronsUpDown, CircleUser, LogOut, Settings, UserPlus } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useSelected } from "../lib/signal.ts";
import { signOut } from "../state/account/sign-out.ts";
import { useAccount } from "../state/account/use-account.ts";
import { usePage } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { settingsSections } from "../strings/labels/settings-sections.ts";
import { shell } from "../strings/shell.ts";
import { MenuItem } from "../ui/menu-item.tsx";

const strings = shell.sidebar;

/** The user's name at the foot of the sidebar, with a menu: inside the sidebar, not in a portal, to stay within its landmark. */
const AccountMenu = () => {
  const page = usePage();
  const account = useAccount();
  // Sign-out is not offered: the proxy would sign the user in again with the next request.
  const isByProxy = useSelected(
    page.session.state,
    (state) => state.phase === "signed-in" && state.me.signIn === "proxy",
  );
  if (!account) return null;
  const { name, email, role } = account;
  const open = (section?: string) => page.go(toSettingsPath(section));
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={strings.accountOf(name)}
        className="mt-1 flex h-10 w-full min-w-0 items-center gap-2.5 rounded-xl px-1.5 text-sm hover:bg-hover aria-expanded:bg-hover pointer-coarse:h-12"
      >
        {/* Not as text, which the accessible name would have to contain. */}
        <span
          aria-hidden="true"
          data-initial={[...name][0]}
          className="grid size-7 flex-none place-items-center rounded-full bg-accent-wash text-xs font-semibold text-accent-strong uppercase before:content-[attr(data-initial)]"
        />
        <span dir="auto" className="min-w-0 flex-1 truncate text-start">
          {name}
        </span>
        <ChevronsUpDown aria-hidden="true" className="size-3.5 flex-none text-soft" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content
        side="top"
        align="start"
        sideOffset={4}
        collisionPadding={8}
        className="z-50 w-(--radix-dropdown-menu-trigger-width) animate-rise rounded-xl bg-raised p-1.5 shadow-float"
      >
        <DropdownMenu.Label dir="ltr" className="truncate px-2.5 pt-1 pb-1.5 text-xs text-soft rtl:text-right">
          {email}
        </DropdownMenu.Label>
        <MenuItem Icon={CircleUser} label={strings.account} onSelect={() => open("account")} />
        {role === "admin" && (
          <MenuItem Icon={UserPlus} label={settingsSections.people.name} onSelect={() => open("people")} />
        )}
        <MenuItem Icon={Settings} label={strings.settings} onSelect={() => open()} />
        {!isByProxy && (
          <>
            <DropdownMenu.Separator className="mx-2.5 my-1 h-px bg-line" />
            <MenuItem Icon={LogOut} label={strings.signOut} onSelect={() => void signOut(page)} />
          </>
        )}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
};

export default AccountMenu;
