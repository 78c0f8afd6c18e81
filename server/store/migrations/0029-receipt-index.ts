/** `receipts_by_time` begins with the same column. */
const drop = ["drop index receipts_of_thread"];

export const receiptIndex = { sqlite: drop, postgres: drop } as const;
