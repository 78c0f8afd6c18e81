import type { LucideIcon } from "lucide-react";
import { DropdownMenu } from "radix-ui";

type Props = {
  readonly Icon: LucideIcon;
  readonly label: string;
  readonly tone?: string;
  readonly onSelect: () => void;
};

export const MenuItem = ({ Icon, label, tone = "", onSelect }: Props) => (
  <DropdownMenu.Item
    onSelect={onSelect}
    className={`flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover pointer-coarse:py-2.5 ${tone}`}
  >
    <Icon aria-hidden="true" className="size-4 flex-none opacity-80" />
    <span dir="auto" className="min-w-0 truncate">
      {label}
    </span>
  </DropdownMenu.Item>
);
