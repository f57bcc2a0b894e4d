import { toIdentEnvironment } from "../commits/ident.ts";
import type { Repository } from "../repository/repository.ts";
import { isObjectId } from "./ref-name.ts";
import { resolveCommit } from "./revision.ts";

/** Returns the target of a tag. The target is a tag object if `at` is the full id of one, and otherwise a commit. */
export async function resolveTagTarget(repository: Repository, at: string): Promise<string> {
  if (!isObjectId(at)) return resolveCommit(repository, at);
  const { stdout } = await repository.git(["cat-file", "-t", at], { allow: [1, 128] });
  return stdout.toString("utf8").trim() === "tag" ? at.toLowerCase() : resolveCommit(repository, at);
}

/** Writes an annotated tag, which is a separate object with tagger and time. */
export async function writeTag(
  repository: Repository,
  tag: { readonly name: string; readonly target: string; readonly message: string },
): Promise<string> {
  const { author } = repository.context;
  const { stdout: ident } = await repository.git(["var", "GIT_COMMITTER_IDENT"], {
    env: toIdentEnvironment(author, author),
  });
  const { stdout } = await repository.git(["mktag", "--strict"], {
    what: "Writing the tag",
    stdin: `${formatTagHeader(tag)}tagger ${ident.toString("utf8").trim()}\n\n${tag.message}`,
  });
  return stdout.toString("utf8").trim();
}

/** Whether an object equals the tag that this call would write, apart from its time. */
export async function isSameTag(
  repository: Repository,
  oid: string,
  tag: { readonly name: string; readonly target: string; readonly message: string },
): Promise<boolean> {
  const { exitCode, stdout } = await repository.git(["cat-file", "tag", oid], { allow: [128] });
  const text = stdout.toString("utf8");
  return exitCode === 0 && text.startsWith(formatTagHeader(tag)) && text.endsWith(`\n\n${tag.message}`);
}

function formatTagHeader({ name, target }: { readonly name: string; readonly target: string }): string {
  return `object ${target}\ntype commit\ntag ${name}\n`;
}
