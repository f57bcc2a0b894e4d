import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { formatName } from "../../format-text.ts";
import type { Repository } from "../repository/repository.ts";
import { isObjectId, requireRefName } from "./ref-name.ts";

export const revisionInput = z
  .string()
  .min(1)
  .max(260)
  .overwrite((revision) => (isObjectId(revision.replace(/~\d+$/, "")) ? revision.toLowerCase() : revision))
  .describe(
    "a branch, a tag, `origin/branch`, `HEAD` or a full commit id, optionally with `~2` for its second ancestor",
  );

/**
 * Returns the commit that a revision currently names. It accepts only plain names and not git's full revision syntax.
 */
export async function resolveCommit(repository: Repository, revision: string): Promise<string> {
  const [, name = revision, back] = /^(.+?)(?:~(\d{1,4}))?$/s.exec(revision) ?? [];
  const start = await findStart(repository, name);
  if (start?.type === "commit" && back === undefined) return start.oid;
  const peeled = `${start?.oid}${back === undefined ? "" : `~${back}`}^{commit}`;
  const ran =
    start && (await repository.git(["rev-parse", "--verify", "--quiet", peeled], { allow: [1, 128] }));
  const commit = ran?.stdout.toString("utf8").trim() ?? "";
  if (ran?.exitCode === 0 && isObjectId(commit)) return commit;
  throw new CapabilityError(
    "permanent",
    "revision-unknown",
    `${formatName(revision)} does not name a commit in the repository. Check the name, or fetch the commit from the remote first.`,
  );
}

/** Returns the value of a ref, or null if the ref does not exist. */
export async function readRef(repository: Repository, ref: string): Promise<string | null> {
  return (await readRefs(repository, [ref])).get(ref)?.oid ?? null;
}

interface RefTarget {
  readonly oid: string;
  readonly type: string;
}

async function findStart(repository: Repository, name: string): Promise<RefTarget | undefined> {
  if (isObjectId(name)) return { oid: name.toLowerCase(), type: "unknown" };
  const { head } = repository;
  if (name === "HEAD" && head.kind === "detached") return { oid: head.commit, type: "commit" };
  const refs =
    name === "HEAD" && head.kind === "branch"
      ? [head.ref]
      : ["heads", "tags", "remotes"].map((kind) => `refs/${kind}/${requireRefName(name, "branch")}`);
  const found = await readRefs(repository, refs);
  return refs.map((ref) => found.get(ref)).find((held) => held !== undefined);
}

/** Reads refs and rejects a symbolic one, because moving it would move the ref that it points to. */
async function readRefs(repository: Repository, refs: readonly string[]): Promise<Map<string, RefTarget>> {
  const fields = ["refname", "objectname", "objecttype", "symref"].map((field) => `%(${field})`);
  const { stdout } = await repository.git(["for-each-ref", `--format=${fields.join("%00")}`, ...refs]);
  const found = new Map<string, RefTarget>();
  for (const line of stdout.toString("utf8").split("\n")) {
    const [ref = "", oid = "", type = "", symref] = line.split("\0");
    if (!refs.includes(ref)) continue;
    if (symref) {
      throw new CapabilityError(
        "permanent",
        "ref-symbolic",
        `${formatName(ref)} is a symbolic ref. Use the name of the ref that it points to.`,
      );
    }
    found.set(ref, { oid, type });
  }
  return found;
}
