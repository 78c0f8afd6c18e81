const ORIGIN = "http://stonechat.invalid";

/**
 * The path to open after a sign-in, or `/`. Only pages of this server: no other origin in any spelling that a browser accepts, and
 * no path of the API.
 */
export function toReturnPath(given: string | undefined): string {
  // No backslashes, spaces or control characters, which browsers read as slashes or ignore.
  if (given === undefined || given.length > 2000 || !/^\/[\w\-.~%/?=&+:@,;!$'()*]*$/.test(given)) return "/";
  if (!URL.canParse(given, ORIGIN)) return "/";
  const { origin, pathname, search } = new URL(given, ORIGIN);
  const isPage = origin === ORIGIN && !pathname.startsWith("//") && !/^\/(api|mcp|v1|preview)(\/|$)/i.test(pathname);
  return isPage ? `${pathname}${search}` : "/";
}
