import { Eye, EyeOff } from "lucide-react";
import { useState, type ComponentProps } from "react";
import { ui as strings } from "../strings/ui.ts";
import { Field } from "../ui/field.tsx";
import { IconButton } from "../ui/icon-button.tsx";

type Props = Omit<ComponentProps<typeof Field>, "type" | "children" | "autoComplete"> & {
  readonly autoComplete: "current-password" | "new-password";
};

/** A password with a button that shows it. */
export const PasswordField = ({ look = "", ...rest }: Props) => {
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Field
      type={isShown ? "text" : "password"}
      dir="ltr"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      look={`[&_input]:pe-11 rtl:[&_input]:text-right ${look}`}
      {...rest}
    >
      <IconButton
        label={strings.showPassword}
        aria-pressed={isShown}
        className="-ms-11"
        onClick={() => setShown(!isShown)}
      >
        <Icon aria-hidden="true" className="size-4" />
      </IconButton>
    </Field>
  );
};
