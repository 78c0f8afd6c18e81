import { KeyRound, LogOut, ShieldCheck, ShieldMinus, ShieldOff, UserCheck, UserX } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useRef } from "react";
import type { Person } from "../../../protocol/account/people.ts";
import { peopleSettings } from "../../strings/settings/people.ts";
import { MenuButton } from "../../ui/menu-button.tsx";
import { MenuItem } from "../../ui/menu-item.tsx";

const strings = peopleSettings.actions;

export type PersonAction = keyof typeof strings;

type Props = {
  readonly person: Person;
  /** Admins can give up their role here. Everything else about their own account is in its settings. */
  readonly isMe: boolean;
  readonly onAction: (action: PersonAction) => void;
};

export const PersonMenu = ({ person: { name, role, state, authenticator, passkeys }, isMe, onAction }: Props) => {
  const isActive = state === "active";
  const hasFactors = authenticator || passkeys > 0;
  const canSignIn = isActive && !isMe;
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = useRef<PersonAction | null>(null);
  const choose = (action: PersonAction) => () => {
    chosen.current = action;
  };
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <MenuButton title={name} ref={trigger} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content
        align="end"
        sideOffset={4}
        collisionPadding={8}
        onCloseAutoFocus={(event) => {
          const action = chosen.current;
          if (action === null) return;
          chosen.current = null;
          event.preventDefault();
          // A dialog returns the focus to the element that had it before.
          trigger.current?.focus();
          onAction(action);
        }}
        className="z-50 min-w-56 animate-rise rounded-xl bg-raised p-1.5 shadow-float ring-1 ring-line"
      >
        {role === "admin" ? (
          <MenuItem Icon={ShieldMinus} label={strings.makeMember} onSelect={choose("makeMember")} />
        ) : (
          <MenuItem Icon={ShieldCheck} label={strings.makeAdmin} onSelect={choose("makeAdmin")} />
        )}
        {canSignIn && <MenuItem Icon={KeyRound} label={strings.resetLink} onSelect={choose("resetLink")} />}
        {hasFactors && !isMe && (
          <MenuItem Icon={ShieldOff} label={strings.removeFactors} onSelect={choose("removeFactors")} />
        )}
        {canSignIn && <MenuItem Icon={LogOut} label={strings.signOut} onSelect={choose("signOut")} />}
        {canSignIn && <MenuItem Icon={UserX} label={strings.suspend} tone="text-danger" onSelect={choose("suspend")} />}
        {!isActive && <MenuItem Icon={UserCheck} label={strings.restore} onSelect={choose("restore")} />}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
};
