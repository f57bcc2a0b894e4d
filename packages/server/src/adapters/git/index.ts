import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { type Capability, CapabilityError, defineAdapter, type Health, ParaphError } from "@paraph/core";
import { z } from "zod";
import { sandboxHere } from "../process/index.ts";
import { createBranches } from "./branch-create.ts";
import { deleteBranches } from "./branch-delete.ts";
import { commitFiles } from "./commit.ts";
import { readDiff } from "./diff.ts";
import { fetchRemotes } from "./fetch.ts";
import { identInput } from "./ident.ts";
import { readLog } from "./log.ts";
import { mergeBranches } from "./merge.ts";
import { sweepOwnFolders } from "./own-folder.ts";
import { pushBranches } from "./push.ts";
import { forcePushes } from "./push-force.ts";
import { remoteConfig, remoteOf } from "./remote.ts";
import { inRepository } from "./repository.ts";
import { revertCommits } from "./revert.ts";
import type { Setting } from "./setting.ts";
import { readStatus } from "./status.ts";
import { createTags } from "./tag-create.ts";
import { deleteTags } from "./tag-delete.ts";

export const gitConfig = z.strictObject({
  repository: z.string().min(1).describe("the folder with `.git` in it"),
  author: identInput
    .default({ name: "Paraph", email: "paraph@localhost" })
    .describe("who puts commits there, and who wrote them where the call does not say"),
  trailer: z.boolean().default(false).describe("whether a commit's message ends with the id of its call"),
  remotes: z.record(z.string(), remoteConfig).default({}),
  protect: z
    .array(z.string().regex(/^[^*]+\*?$/, "a branch, or the beginning of names with `*` at its end"))
    .default([])
    .describe("branches that are neither deleted nor moved back"),
  maxDiffBytes: z
    .int()
    .min(1_000)
    .max(4 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("the most of a diff that is shown; a larger change cannot be approved"),
});

/** One repository on this machine, and the remotes that the configuration names. */
export const git = defineAdapter({
  kind: "git",
  config: gitConfig,
  open: async (configured, { name, folder, signal }) => {
    const setting = await settingOf(name, folder, configured);
    await sweepOwnFolders();
    const found = await healthOf(setting, signal);
    if (found.kind === "degraded") throw new ParaphError("adapter-invalid", `\`${name}\`: ${found.message}`);
    const capabilities = capabilitiesOf(setting);
    return { capabilities: async () => capabilities, health: (until) => healthOf(setting, until) };
  },
});

/** What is configured, made ready. */
export async function settingOf(
  name: string,
  folder: string,
  configured: z.output<typeof gitConfig>,
): Promise<Setting> {
  const root = await realpath(resolve(folder, configured.repository)).catch(() => {
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: the folder of \`repository\` does not exist. Create it, or correct \`repository\`.`,
    );
  });
  const remotes = Object.entries(configured.remotes).map(
    ([each, given]) => [each, remoteOf(each, given)] as const,
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
    sandboxed: (await sandboxHere()).kind === "there",
  };
}

export function capabilitiesOf(setting: Setting): Capability[] {
  const local = [readStatus, readDiff, readLog, commitFiles, mergeBranches, revertCommits];
  const refs = [createBranches, deleteBranches, createTags, deleteTags];
  const remote = setting.remotes.size === 0 ? [] : [fetchRemotes, pushBranches, forcePushes];
  return [...local, ...refs, ...remote].map((make) => make(setting));
}

/** What the repository says about programs has no effect here; whoever relies on it should know. */
async function healthOf(setting: Setting, signal: AbortSignal): Promise<Health> {
  try {
    return await inRepository(setting, { to: "look", signal }, async ({ git: ask, config: { ignored } }) => {
      await ask(["rev-parse", "--git-dir"]);
      const sandbox = setting.sandboxed ? [] : ["There is no sandbox here: git runs without one."];
      const settings =
        ignored.length === 0
          ? []
          : [
              `Settings of the repository without effect here: ${ignored.slice(0, mostNamed).join(", ")}${ignored.length > mostNamed ? " and more" : ""}.`,
            ];
      const message = [...sandbox, ...settings].join(" ");
      return { kind: "well", ...(message !== "" && { message }) };
    });
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
    return { kind: "degraded", code: error.code, message: error.message };
  }
}

const mostNamed = 50;
