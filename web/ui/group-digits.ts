/** 1234567 as 1,234,567. `toLocaleString` does it too, but its first call costs more than drawing the whole thread list. */
export const groupDigits = (count: number): string => String(Math.round(count)).replace(/\B(?=(?:\d{3}){1,8}$)/g, ",");
