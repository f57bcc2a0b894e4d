import type { Adapter } from "@paraph/core";
import type { LoginSite } from "../../../../../test/support/web/login-site.ts";
import { openLogin } from "../login/index.ts";

/** Creates the login context of the adapter `srv`. */
export function createLoginContext(folder: string, secrets: Record<string, string> = {}) {
  return { name: "srv", folder, credential: async (name: string) => secrets[name] ?? "" };
}

/** Completes a login. */
export async function logInFully(
  site: LoginSite,
  adapter: Adapter,
  setting: ReturnType<typeof createLoginContext>,
): Promise<{ readonly lasts: boolean }> {
  await using door = await openLogin(adapter, setting);
  // There is no listener at this address. The redirect only needs to match it.
  const begun = await door.begin(new URL(`${site.issuer}/callback`));
  return await begun.finish(new URL((await site.visit(begun.url)).url).searchParams);
}
