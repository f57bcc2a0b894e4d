import { requireUrl } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";

export interface LoginLink {
  /** The link, or only its path if the public address of the server is not known. */
  readonly link: string;
  /** The link for a person to read. It names the missing part if the public address is not known. */
  readonly text: string;
  /** The end of the sentence that introduces `text`. */
  readonly advice: string;
}

/**
 * Prepares the link for a login token, and rejects a wrong address before the command changes anything. The address
 * comes from `--url` or PARAPH_URL. It does not come from the configuration, because a configuration is code, and these
 * commands have the login of the database's owner in their environment.
 */
export function prepareLoginLink(
  { url, environment }: Pick<Context, "url" | "environment">,
  localUrl?: string,
): (token: string) => LoginLink {
  const given = url ?? localUrl ?? environment.PARAPH_URL;
  const address = given ? requireUrl(given) : undefined;
  return (token) => {
    const path = `/login/local?token=${token}`;
    if (address !== undefined) {
      const { href } = new URL(path, address);
      return { link: href, text: href, advice: "" };
    }
    return {
      link: path,
      text: `<public URL>${path}`,
      advice: ". Replace <public URL> with the public address of your server",
    };
  };
}
