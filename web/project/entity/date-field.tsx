import { Clock, X } from "lucide-react";
import { useRef, useState } from "react";
import { IconButton } from "../../ui/icon-button.tsx";
import { fromDay, toDayKey, toTime, type Edge } from "../../lib/dates.ts";
import { project as strings } from "../../strings/project/page.ts";

type Props = {
  readonly label: string;
  readonly edge: Edge;
  readonly at: number | null;
  readonly onChange: (at: number | null) => void;
};

const look = "h-9 min-w-0 rounded-xl bg-hover px-3 text-sm hover:bg-press pointer-coarse:h-11 pointer-coarse:text-base";

/** A day with an optional time. */
export const DateField = ({ label, edge, at, onChange }: Props) => {
  const day = at === null ? "" : toDayKey(at);
  const time = at === null ? "" : toTime(at);
  const [wantsTime, setWantsTime] = useState(false);
  const set = (nextDay: string, nextTime: string) => onChange(nextDay === "" ? null : fromDay(nextDay, edge, nextTime));
  return (
    <span className="flex flex-wrap items-center gap-1">
      <CommittedInput type="date" label={label} value={day} onDone={(next) => isPlausible(next) && set(next, time)} />
      {day !== "" && (time !== "" || wantsTime) && (
        <CommittedInput type="time" label={strings.entity.time(label)} value={time} onDone={(next) => set(day, next)} />
      )}
      {day !== "" && time === "" && !wantsTime && (
        <IconButton label={strings.entity.addTime(label)} onClick={() => setWantsTime(true)}>
          <Clock aria-hidden="true" className="size-4" />
        </IconButton>
      )}
      {day !== "" && (
        <IconButton
          label={strings.entity.clearDate(label)}
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

/** Earlier years are incomplete input or typos. */
const firstYear = 1900;
const isPlausible = (day: string): boolean => day === "" || Number.parseInt(day, 10) >= firstYear;

type InputProps = {
  readonly type: "date" | "time";
  readonly label: string;
  readonly value: string;
  readonly onDone: (value: string) => void;
};

/** Browsers report a value after each typed digit. Typed values are committed on blur or Enter, picked ones at once. */
const CommittedInput = ({ type, label, value, onDone }: InputProps) => {
  const [text, setText] = useState<string | null>(null);
  const isTyping = useRef(false);
  const finish = (next: string | null, isIncomplete: boolean) => {
    isTyping.current = false;
    setText(null);
    if (next !== null && next !== value && !isIncomplete) onDone(next);
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
