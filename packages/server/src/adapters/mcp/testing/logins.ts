import type { Adapter } from "@paraph/core";
import type { LoginSite } from "../../../../../../test/support/web/login-site.ts";
import { openLogin } from "../login/index.ts";

/** Where the adapter `srv` is logged in, and how its secrets are found. */
export function createLoginContext(folder: string, secrets: Record<string, string> = {}) {
  return { name: "srv", folder, credential: async (name: string) => secrets[name] ?? "" };
}

/** Somebody who logs in, all the way. */
export async function logInFully(
  site: LoginSite,
  adapter: Adapter,
  setting: ReturnType<typeof createLoginContext>,
): Promise<{ readonly lasts: boolean }> {
  await using door = await openLogin(adapter, setting);
  // Nobody listens there: it is the address that counts.
  const begun = await door.begin(new URL(`${site.issuer}/callback`));
  return await begun.finish(new URL((await site.visit(begun.url)).url).searchParams);
}
