import { deleteLogin, readLogin } from "../../lib/api/stored-login.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";

/** Deletes the stored login. The keys stay valid, because others may use them too. */
export async function logout(context: Context): Promise<ExitCode> {
  const { output, environment } = context;
  const login = await readLogin(environment).catch(() => undefined);
  const wasStored = await deleteLogin(environment);
  const keys = [login?.person, login?.agent].flatMap((key) => findKeyId(key) ?? []);
  if (context.json) output.json({ wasStored, ...(login && { url: login.url, keys }) });
  else if (!wasStored) output.info("No login is stored.");
  else {
    output.info(
      login ? `Signed out of ${login.url}. The stored keys are deleted.` : "The stored login is deleted.",
    );
    if (keys.length > 0)
      output.info(
        `The server still accepts ${keys.length === 1 ? "the key" : "the keys"} ${keys.join(" and ")}. An administrator can end a key with \`paraph keys revoke ID\`.`,
      );
  }
  return exitCode.ok;
}

/** Returns the id within an API key, which `paraph keys` lists. */
function findKeyId(key: string | undefined): string | undefined {
  return /^paraph_[^_]+_([a-z0-9]+)_/.exec(key ?? "")?.[1];
}
