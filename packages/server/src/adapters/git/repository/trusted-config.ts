/**
 * What is taken over from a repository's own configuration: how its files are written, nothing that could name a
 * program, a file or an address. Everything else in it is never seen by a git that we run.
 */
const trustedSettings: Record<string, RegExp> = {
  "core.autocrlf": /^(?:true|false|input)$/i,
  "core.eol": /^(?:lf|crlf|native)$/i,
  "core.filemode": /^(?:true|false)$/i,
  "core.ignorecase": /^(?:true|false)$/i,
  "core.precomposeunicode": /^(?:true|false)$/i,
  "core.symlinks": /^(?:true|false)$/i,
  "core.logallrefupdates": /^(?:true|false|always)$/i,
  "core.repositoryformatversion": /^[01]$/,
  "extensions.objectformat": /^(?:sha1|sha256)$/i,
};

/** A repository that needs these is laid out otherwise than we take it to be: nothing is done in it. */
const unsupportedSettings: Record<string, string> = {
  "extensions.partialclone": "it is a partial clone, whose missing objects git would fetch",
  "extensions.refstorage": "its refs are not kept as files",
  "extensions.worktreeconfig": "its worktrees have configurations of their own",
  "core.sparsecheckout": "only a part of it is checked out",
};

/** Without meaning here, and in every repository: not worth a word. */
const harmlessSettings = new Set(["core.bare", "user.name", "user.email"]);
const harmlessSections = new Set(["remote.url", "remote.fetch", "branch.remote", "branch.merge"]);

export interface RepositoryConfig {
  readonly trusted: ReadonlyMap<string, string>;
  /** Settings that are there and have no effect, without their middle parts, which may be anything. */
  readonly ignored: readonly string[];
  readonly refusal?: string;
}

/** Reads `git config --list -z`: `key LF value NUL`, or a key alone, which means true. */
export function parseConfig(listed: Buffer): RepositoryConfig {
  const taken = new Map<string, string>();
  const ignored = new Set<string>();
  let refusal: string | undefined;
  for (const entry of listed.toString("utf8").split("\0").filter(Boolean)) {
    const end = entry.indexOf("\n");
    const [key, value] = end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
    if (trustedSettings[key]?.test(value)) taken.set(key, value.toLowerCase());
    else if (unsupportedSettings[key] && !/^(?:false|no|off|0|)$/i.test(value))
      refusal ??= unsupportedSettings[key];
    else if (key.startsWith("extensions.") && !harmlessExtensions.has(key))
      refusal ??= "it uses an extension of git's format that is not known here";
    else if (!harmlessSettings.has(key) && !harmlessSections.has(toSectionKey(key)))
      ignored.add(toSectionKey(key));
  }
  return { trusted: taken, ignored: [...ignored].sort(), ...(refusal !== undefined && { refusal }) };
}

const harmlessExtensions = new Set([
  "extensions.noop",
  "extensions.preciousobjects",
  ...Object.keys(unsupportedSettings),
]);

/** `filter.evil.clean` → `filter.clean`; an alias is all its maker's own. */
function toSectionKey(key: string): string {
  if (/^(?:alias|pager)\./i.test(key)) return key.slice(0, 5).toLowerCase();
  const words = /^([a-z0-9-]+)\.(?:.*\.)?([a-z0-9-]+)$/is.exec(key);
  return words ? `${words[1]}.${words[2]}`.slice(0, 60) : "(unreadable)";
}
