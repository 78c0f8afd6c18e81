import fc from "fast-check";

/**
 * `npm test` generates the same cases every time, so that a failure points at the change. `npm run test:deep` generates
 * new ones.
 */
if (process.env["STONECHAT_DEEP"] !== "1") fc.configureGlobal({ seed: 20_261_116 });

export { default } from "fast-check";
