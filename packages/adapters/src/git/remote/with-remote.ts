import type { ExecutionContext } from "@paraph/core";
import { redactFault } from "../../egress/secrets.ts";
import type { ProcessResult } from "../../process/index.ts";
import type { GitContext } from "../context.ts";
import {
  type GitOptions,
  type Repository,
  type RepositoryAccess,
  withRepository,
} from "../repository/repository.ts";
import type { Remote } from "./remote.ts";
import { toRemoteFault } from "./remote-fault.ts";

/** A repository together with a remote that git can communicate with. */
export interface RemoteRepository {
  readonly repository: Repository;
  readonly remote: Remote;
  /** Runs a git command that communicates with the remote. */
  run(args: readonly string[], options: GitOptions): Promise<ProcessResult>;
}

export async function withRemote<T>(
  gitContext: GitContext,
  remote: Remote,
  { to, world }: { to: RepositoryAccess["to"]; world: ExecutionContext },
  body: (linked: RemoteRepository) => Promise<T>,
): Promise<T> {
  const { protocol, folder } = remote;
  const opening = { to, signal: world.signal, remote: { protocol, ...(folder !== undefined && { folder }) } };
  const { env, secrets } = await readSecretEnvironment(remote, world);
  const spoken = withRepository(gitContext, opening, (repository) =>
    body({
      repository,
      remote,
      run: async (args, options) => {
        const ran = await repository.git(args, { ...options, env: { ...options.env, ...env }, allow: "any" });
        if (ran.exitCode === 0 || (options.allow !== "any" && options.allow?.includes(ran.exitCode!)))
          return ran;
        throw toRemoteFault(ran, options.what ?? "Contacting the remote", options.effect === true);
      },
    }),
  );
  return spoken.catch((error) => {
    throw redactFault(error, secrets);
  });
}

/**
 * Returns the environment with the secret. Only the process that sends the secret receives it, and only for the
 * remote's host.
 */
async function readSecretEnvironment(remote: Remote, context: ExecutionContext) {
  if (remote.credential === undefined || remote.protocol === "file") return { env: {}, secrets: [] };
  const secret = await context.credential(remote.credential);
  const basic = Buffer.from(`${remote.username}:${secret}`).toString("base64");
  const env = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${new URL(remote.url).origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
  return { env, secrets: [secret] };
}
