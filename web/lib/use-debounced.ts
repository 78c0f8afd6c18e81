import { useEffect, useState } from "react";

const pauseMs = 180;

/** The value after it has not changed for a moment: for requests while the user types. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
