import { type CheckDefinition, fail, ok, warn } from "./production-check.ts";

const subject = "Host";

/** The facts about the process that runs the checks, which should be like the service. */
export interface HostFacts {
  readonly isRoot: boolean;
  readonly hasOwnerLogin: boolean;
}

export const hostChecks: readonly CheckDefinition<HostFacts>[] = [
  {
    ...{ subject, name: "user" },
    why: "Root can read every file, so the checks of files and rights would not be those of the service.",
    judge: ({ isRoot }) =>
      isRoot
        ? warn("doctor runs as root", "run it as the user of the service: `runuser -u paraph -- …`")
        : ok("not root"),
  },
  {
    ...{ subject, name: "owner's login" },
    why: "The configuration and the programs of adapters could read it, and with it change every tenant.",
    judge: ({ hasOwnerLogin }) =>
      hasOwnerLogin
        ? warn(
            "DATABASE_OWNER_URL is set in this environment",
            "unset it, and keep it out of the environment of the service",
          )
        : ok("no login of the owner in the environment"),
  },
];

/** The files with secrets. */
export interface SecretFiles {
  readonly checked: number;
  /** The files that every user of this host can read. */
  readonly exposed: readonly string[];
}

export const secretFileChecks: readonly CheckDefinition<SecretFiles>[] = [
  {
    ...{ subject, name: "secret files" },
    why: "Every program on this host can use the secrets in these files.",
    judge: ({ checked, exposed }) =>
      exposed.length === 0
        ? ok(checked === 0 ? "no secret files" : `secret files private (${checked})`)
        : fail(
            `every user can read ${exposed.join(", ")}`,
            `run \`chmod o-rwx ${exposed[0]}\`, and replace the secret if untrusted users could have read it`,
          ),
  },
];
