import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { CapabilityError, ParaphError } from "@paraph/core";
import { z } from "zod";
import { escapeControls } from "../format.ts";

/**
 * A remote to push to and fetch from. Only the configuration defines it, because others may write to the repository.
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
  url: z.string().min(1).max(2000).describe("https://…, or file:///… for a repository on this machine"),
  username: z
    .string()
    .regex(/^[^\p{C}:]{1,200}$/u, "one line without a colon")
    .default("git")
    .describe("beside the secret; most hosts take any"),
  credential: z
    .string()
    .regex(/^\$\{[A-Za-z][A-Za-z0-9_-]*\}$/, `a secret is named, not written: \`\${GIT_TOKEN}\``)
    .optional()
    .describe(`the secret, \`\${NAME}\`, that is sent as the password`),
});

export function parseRemote(name: string, config: z.output<typeof remoteConfig>): Remote {
  const wrong = (reason: string) =>
    new ParaphError("adapter-invalid", `The remote \`${escapeControls(name)}\` cannot be used: ${reason}.`);
  if (!/^[a-z][a-z0-9_-]{0,62}$/i.test(name)) throw wrong("its name should be a plain word");
  const url = URL.canParse(config.url) ? new URL(config.url) : undefined;
  if (url === undefined) throw wrong("its `url` is no address: write it with `https://`");
  if (url.username !== "" || url.password !== "")
    throw wrong("its `url` has a user or a password in it: use `username` and `credential`");
  if (url.search !== "" || url.hash !== "") throw wrong("its `url` has a `?` or a `#` in it");
  const { username } = config;
  const credential = config.credential?.slice(2, -1);
  const given = { name, url: url.href, username, ...(credential !== undefined && { credential }) };
  switch (url.protocol) {
    case "https:":
      return { ...given, protocol: "https" };
    case "http:":
      if (!["127.0.0.1", "[::1]", "localhost"].includes(url.hostname))
        throw wrong("what is sent over `http://` can be read on the way: use `https://`");
      return { ...given, protocol: "http" };
    case "file:": {
      const folder = url.hostname === "" ? fileURLToPath(url) : "";
      if (!isAbsolute(folder)) throw wrong("a `file://` address has three slashes, then the path");
      return { ...given, protocol: "file", folder };
    }
    default:
      throw wrong("only `https://` and `file://` are spoken");
  }
}

/** Returns the named remote, or the only one by default. */
export function requireRemote(remotes: ReadonlyMap<string, Remote>, name: string | undefined): Remote {
  const found = name === undefined && remotes.size === 1 ? [...remotes.values()][0] : remotes.get(name ?? "");
  if (found) return found;
  const known = [...remotes.keys()].map((each) => `\`${each}\``).join(", ");
  throw new CapabilityError(
    "permanent",
    "remote-unknown",
    `There is no such remote in the configuration: ${known === "" ? "it has none" : `name one of ${known}`}.`,
  );
}
