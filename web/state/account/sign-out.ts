import { toErrorText } from "../../lib/use-load.ts";
import type { Page } from "../page.ts";

/** Ends the session, then loads the page again, so that no data of the user stays in memory. */
export async function signOut({ client, errorMessage }: Pick<Page, "client" | "errorMessage">): Promise<void> {
  try {
    await client.signOut({ params: {}, body: {} });
    location.replace("/");
  } catch (error) {
    errorMessage.set(toErrorText(error));
  }
}
