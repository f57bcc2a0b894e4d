import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { CapabilityError, ParaphError } from "@paraph/core";
import { z } from "zod";
import { escapeControls } from "../../format-text.ts";

/**
 * A remote to push to and fetch from. Only Paraph's configuration defines remotes. The repository's own configuration
 * does not, because others may write to the repository.
 */
export interface Remote {
  readonly name: string;
  readonly url: string;
  readonly protocol: "https" | "http" | "file";
  /** The folder of a remote on this machine. */
  readonly folder?: string;
  readonly username: string;
  /** The name of the secret. */
  readonly credential?: string;
}

export const remoteConfig = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(2000)
    .describe("address of the remote: https://…, or file:///… for a repository on this machine"),
  username: z
    .string()
    .regex(/^[^\p{C}:]{1,200}$/u, "must be one line without a colon")
    .default("git")
    .describe("user name that is sent with the secret; most hosts accept any"),
  credential: z
    .string()
    .regex(/^\$\{[A-Za-z][A-Za-z0-9_-]*\}$/, `must be the name of a secret, such as \`\${GIT_TOKEN}\``)
    .optional()
    .describe(`name of the secret that is sent as the password, as \`\${NAME}\``),
});

export function parseRemote(name: string, config: z.output<typeof remoteConfig>): Remote {
  const wrong = (reason: string) =>
    new ParaphError(
      "adapter-invalid",
      `Paraph cannot use the remote \`${escapeControls(name)}\`, because ${reason}.`,
    );
  if (!/^[a-z][a-z0-9_-]{0,62}$/i.test(name))
    throw wrong("its name is not valid. Use letters, digits, - and _, and begin with a letter");
  const url = URL.canParse(config.url) ? new URL(config.url) : undefined;
  if (url === undefined) throw wrong("its `url` is not a valid URL. Write it with `https://`");
  if (url.username !== "" || url.password !== "")
    throw wrong("its `url` contains a user or a password. Use `username` and `credential`");
  if (url.search !== "" || url.hash !== "") throw wrong("its `url` contains `?` or `#`");
  const { username } = config;
  const credential = config.credential?.slice(2, -1);
  const given = { name, url: url.href, username, ...(credential !== undefined && { credential }) };
  switch (url.protocol) {
    case "https:":
      return { ...given, protocol: "https" };
    case "http:":
      if (!["127.0.0.1", "[::1]", "localhost"].includes(url.hostname))
        throw wrong("`http://` is not encrypted. Use `https://`");
      return { ...given, protocol: "http" };
    case "file:": {
      const folder = url.hostname === "" ? fileURLToPath(url) : "";
      if (!isAbsolute(folder)) throw wrong("a `file://` URL needs three slashes before the path");
      return { ...given, protocol: "file", folder };
    }
    default:
      throw wrong("only `https://` and `file://` are supported");
  }
}

/** Returns the named remote. If the call names none, returns the only remote. */
export function requireRemote(remotes: ReadonlyMap<string, Remote>, name: string | undefined): Remote {
  const found = name === undefined && remotes.size === 1 ? [...remotes.values()][0] : remotes.get(name ?? "");
  if (found) return found;
  const known = [...remotes.keys()].map((each) => `\`${each}\``).join(", ");
  throw new CapabilityError(
    "permanent",
    "remote-unknown",
    `The configuration has no such remote. ${known === "" ? "It has no remotes" : `Name one of ${known}`}.`,
  );
}
