import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";

/** Returns the URL with the login of the database's owner, or undefined if neither the option nor the variable is set. */
export function findOwnerUrl({ environment }: Context, given: string | undefined): string | undefined {
  return (given ?? environment.DATABASE_OWNER_URL) || undefined;
}

/**
 * Returns the URL with the login of the database's owner, or throws if it is missing. `otherWay` is a sentence for the
 * error.
 */
export function requireOwnerUrl(context: Context, given: string | undefined, otherWay?: string): string {
  const url = findOwnerUrl(context, given);
  if (url) return url;
  throw new CliError(
    "no-database",
    [
      "No database is given. Set DATABASE_OWNER_URL to a URL with the login of the database's owner, or pass it with `--database`.",
      otherWay ?? [],
    ]
      .flat()
      .join(" "),
  );
}

/** The codes of PostgreSQL and of the operating system that an operator can mend. */
const reasons: Readonly<Record<string, string>> = {
  "42501": "its login may not do this. Pass the login of the database's owner",
  "28P01": "the password is wrong",
  "28000": "the login does not exist or may not connect",
  "3D000": "the database does not exist. Create it first",
  ECONNREFUSED: "no server answers there. Check the address, and that PostgreSQL runs",
  ENOTFOUND: "its host is unknown. Check the address",
  ETIMEDOUT: "no server answers there. Check the address and the firewall",
};

/** Explains an error of PostgreSQL without the login of its URL. Rethrows every other error. */
export function explainDatabase(url: string): (error: unknown) => never {
  return (error) => {
    const code = String((error as { readonly code?: unknown }).code);
    const reason = reasons[code];
    if (reason === undefined) throw error;
    const { host = "", pathname = "" } = URL.parse(url) ?? {};
    throw new CliError(
      code === "42501" ? "database-denied" : "database-unavailable",
      `PostgreSQL at \`${host}${pathname}\` cannot be used: ${reason}.`,
      { cause: error },
    );
  };
}
