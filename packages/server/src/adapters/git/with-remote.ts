import type { ExecutionContext } from "@paraph/core";
import { faultWithoutSecrets } from "../../outbound/secret.ts";
import type { Ran } from "../process/index.ts";
import type { Remote } from "./remote.ts";
import { remoteFault } from "./remote-fault.ts";
import { type GitOptions, inRepository, type Opening, type Repository } from "./repository.ts";
import type { Setting } from "./setting.ts";

/** A repository and a remote that git can be made to speak to. */
export interface Linked {
  readonly repository: Repository;
  readonly remote: Remote;
  /** Runs a git that speaks to the remote. */
  speak(args: readonly string[], options: GitOptions): Promise<Ran>;
}

export async function withRemote<T>(
  setting: Setting,
  remote: Remote,
  { to, world }: { to: Opening["to"]; world: ExecutionContext },
  body: (linked: Linked) => Promise<T>,
): Promise<T> {
  const { protocol, folder } = remote;
  const opening = { to, signal: world.signal, remote: { protocol, ...(folder !== undefined && { folder }) } };
  const { env, secrets } = await secretEnvironment(remote, world);
  const spoken = inRepository(setting, opening, (repository) =>
    body({
      repository,
      remote,
      speak: async (args, options) => {
        const ran = await repository.git(args, { ...options, env: { ...options.env, ...env }, allow: "any" });
        if (ran.exitCode === 0 || (options.allow !== "any" && options.allow?.includes(ran.exitCode!)))
          return ran;
        throw remoteFault(ran, options.what ?? "Asking the remote", options.effect === true);
      },
    }),
  );
  return spoken.catch((error) => {
    throw faultWithoutSecrets(error, secrets);
  });
}

/** The secret is in the environment of the one process that sends it, and only to the host it is for. */
async function secretEnvironment(remote: Remote, world: ExecutionContext) {
  if (remote.credential === undefined || remote.protocol === "file") return { env: {}, secrets: [] };
  const secret = await world.credential(remote.credential);
  const basic = Buffer.from(`${remote.username}:${secret}`).toString("base64");
  const env = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${new URL(remote.url).origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
  return { env, secrets: [secret] };
}
