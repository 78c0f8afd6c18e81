import { useEffect, useState } from "react";

const pauseMs = 180;

/** The value once it has stayed the same for a moment: what is asked of the server while somebody types. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
