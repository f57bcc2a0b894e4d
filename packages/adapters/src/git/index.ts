import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { type Capability, CapabilityError, defineAdapter, type Health, ParaphError } from "@paraph/core";
import { z } from "zod";
import { findSandbox } from "../process/index.ts";
import { createBranchCreateCapability } from "./capabilities/branch-create.ts";
import { createBranchDeleteCapability } from "./capabilities/branch-delete.ts";
import { createCommitCapability } from "./capabilities/commit.ts";
import { createDiffCapability } from "./capabilities/diff.ts";
import { createFetchCapability } from "./capabilities/fetch.ts";
import { createLogCapability } from "./capabilities/log.ts";
import { createMergeCapability } from "./capabilities/merge.ts";
import { createPushCapability } from "./capabilities/push.ts";
import { createForcePushCapability } from "./capabilities/push-force.ts";
import { createRevertCapability } from "./capabilities/revert.ts";
import { createStatusCapability } from "./capabilities/status.ts";
import { createTagCreateCapability } from "./capabilities/tag-create.ts";
import { createTagDeleteCapability } from "./capabilities/tag-delete.ts";
import { identInput } from "./commits/ident.ts";
import type { GitContext } from "./context.ts";
import { createRefObserver } from "./observe.ts";
import { parseRemote, remoteConfig } from "./remote/remote.ts";
import { removeStaleFolders } from "./repository/call-folder.ts";
import { withRepository } from "./repository/repository.ts";

/** The schema of the git adapter's configuration. */
export const gitConfig = z.strictObject({
  repository: z.string().min(1).describe("the folder with `.git` in it"),
  author: identInput.default({ name: "Paraph", email: "paraph@localhost" }).meta({
    description: "committer of all commits, and their author if the call names none",
    typeName: "{ name, email }",
  }),
  trailer: z.boolean().default(false).describe("whether a commit's message ends with the id of its call"),
  remotes: z
    .record(z.string(), remoteConfig)
    .default({})
    .describe("remotes that calls may fetch from and push to, by name"),
  protect: z
    .array(z.string().regex(/^[^*]+\*?$/, "must be a branch name, or a prefix that ends with `*`"))
    .default([])
    .describe("branches that Paraph neither deletes nor moves backwards"),
  maxDiffBytes: z
    .int()
    .min(1_000)
    .max(4 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("maximum size of a diff in bytes; a change with a larger diff cannot be approved"),
});

/** The adapter for one repository on this machine and the remotes that the configuration names. */
export const git = defineAdapter({
  kind: "git",
  config: gitConfig,
  open: async (configured, { name, folder, signal }) => {
    const gitContext = await createGitContext(name, folder, configured);
    await removeStaleFolders();
    const found = await checkHealth(gitContext, signal);
    if (found.kind === "degraded") throw new ParaphError("adapter-invalid", `\`${name}\`: ${found.message}`);
    const capabilities = createGitCapabilities(gitContext);
    return {
      capabilities: async () => capabilities,
      health: (until) => checkHealth(gitContext, until),
      observe: createRefObserver(gitContext),
    };
  },
});

/** Resolves the configuration to the settings that the capabilities share. */
export async function createGitContext(
  name: string,
  folder: string,
  configured: z.output<typeof gitConfig>,
): Promise<GitContext> {
  const root = await realpath(resolve(folder, configured.repository)).catch(() => {
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: the folder of \`repository\` does not exist. Create it, or correct \`repository\`.`,
    );
  });
  const remotes = Object.entries(configured.remotes).map(
    ([each, given]) => [each, parseRemote(each, given)] as const,
  );
  const { author, trailer, protect, maxDiffBytes } = configured;
  return {
    name,
    root,
    trailer,
    protect,
    maxDiffBytes,
    author,
    remotes: new Map(remotes),
    isSandboxed: (await findSandbox()).kind === "there",
  };
}

/**
 * Creates the capabilities of the git adapter. It includes the capabilities for remotes only if the adapter has a
 * remote.
 */
export function createGitCapabilities(gitContext: GitContext): Capability[] {
  const local = [
    createStatusCapability,
    createDiffCapability,
    createLogCapability,
    createCommitCapability,
    createMergeCapability,
    createRevertCapability,
  ];
  const refs = [
    createBranchCreateCapability,
    createBranchDeleteCapability,
    createTagCreateCapability,
    createTagDeleteCapability,
  ];
  const remote =
    gitContext.remotes.size === 0
      ? []
      : [createFetchCapability, createPushCapability, createForcePushCapability];
  return [...local, ...refs, ...remote].map((make) => make(gitContext));
}

/**
 * Checks the repository. It also reports the repository's settings that Paraph ignores, because users may rely on them.
 */
async function checkHealth(gitContext: GitContext, signal: AbortSignal): Promise<Health> {
  try {
    return await withRepository(gitContext, { to: "look", signal }, async ({ git, config: { ignored } }) => {
      await git(["rev-parse", "--git-dir"]);
      const sandbox = gitContext.isSandboxed ? [] : ["No sandbox is available, so git runs without one."];
      const settings =
        ignored.length === 0
          ? []
          : [
              `Paraph ignores these settings of the repository: ${ignored.slice(0, maxNamedSettings).join(", ")}${ignored.length > maxNamedSettings ? " and more" : ""}.`,
            ];
      const message = [...sandbox, ...settings].join(" ");
      return { kind: "well", ...(message !== "" && { message }) };
    });
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
    return { kind: "degraded", code: error.code, message: error.message };
  }
}

const maxNamedSettings = 50;
