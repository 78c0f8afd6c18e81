import { Clock, X } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../ui/icon-button.tsx";
import { fromDay, toDayKey, toTime, type Edge } from "../words/dates.ts";

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
      <input
        type="date"
        aria-label={label}
        value={day}
        className={look}
        onChange={(event) => set(event.target.value, time)}
      />
      {day !== "" && (time !== "" || wantsTime) && (
        <input
          type="time"
          aria-label={`${label}, time`}
          value={time}
          className={look}
          onChange={(event) => set(day, event.target.value)}
        />
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
