import { Clock, X } from "lucide-react";
import { useRef, useState } from "react";
import { IconButton } from "../../ui/icon-button.tsx";
import { fromDay, toDayKey, toTime, type Edge } from "../../lib/dates.ts";

type Props = {
  readonly label: string;
  readonly edge: Edge;
  readonly at: number | null;
  readonly onChange: (at: number | null) => void;
};

const look = "h-9 min-w-0 rounded-xl bg-hover px-3 text-sm hover:bg-press pointer-coarse:h-11 pointer-coarse:text-base";

/** A day, and a time where one matters. */
export const DateField = ({ label, edge, at, onChange }: Props) => {
  const day = at === null ? "" : toDayKey(at);
  const time = at === null ? "" : toTime(at);
  const [wantsTime, setWantsTime] = useState(false);
  const set = (nextDay: string, nextTime: string) => onChange(nextDay === "" ? null : fromDay(nextDay, edge, nextTime));
  return (
    <span className="flex flex-wrap items-center gap-1">
      <Typed type="date" label={label} value={day} onDone={(next) => isLikely(next) && set(next, time)} />
      {day !== "" && (time !== "" || wantsTime) && (
        <Typed type="time" label={`${label}, time`} value={time} onDone={(next) => set(day, next)} />
      )}
      {day !== "" && time === "" && !wantsTime && (
        <IconButton label={`${label}: at a time of the day`} onClick={() => setWantsTime(true)}>
          <Clock aria-hidden="true" className="size-4" />
        </IconButton>
      )}
      {day !== "" && (
        <IconButton
          label={`${label}: none`}
          onClick={() => {
            setWantsTime(false);
            onChange(null);
          }}
        >
          <X aria-hidden="true" className="size-4" />
        </IconButton>
      )}
    </span>
  );
};

/** A year before this one is half typed, or a slip. */
const firstYear = 1900;
const isLikely = (day: string): boolean => day === "" || Number.parseInt(day, 10) >= firstYear;

type TypedProps = {
  readonly type: "date" | "time";
  readonly label: string;
  readonly value: string;
  readonly onDone: (value: string) => void;
};

/** Browsers tell each digit as if it were the whole: what is typed is done when it is left or by Enter, what is picked at once. */
const Typed = ({ type, label, value, onDone }: TypedProps) => {
  const [text, setText] = useState<string | null>(null);
  const isTyping = useRef(false);
  const finish = (next: string | null, isHalf: boolean) => {
    isTyping.current = false;
    setText(null);
    if (next !== null && next !== value && !isHalf) onDone(next);
  };
  return (
    <input
      type={type}
      aria-label={label}
      value={text ?? value}
      className={look}
      onChange={({ target }) => (isTyping.current ? setText(target.value) : finish(target.value, false))}
      onPointerDown={() => {
        isTyping.current = false;
      }}
      onBlur={({ target }) => finish(text, target.validity.badInput)}
      onKeyDown={(event) => {
        isTyping.current = true;
        if (event.key === "Enter") finish(text, event.currentTarget.validity.badInput);
        if (event.key !== "Escape" || text === null) return;
        event.stopPropagation();
        event.preventDefault();
        finish(null, false);
      }}
    />
  );
};
