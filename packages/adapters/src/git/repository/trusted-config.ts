/**
 * The settings that Paraph accepts from a repository's own configuration. They control how files are written, and
 * cannot name a program, a file or an address. Paraph's git processes never see any other setting.
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

/**
 * The settings of repository layouts that Paraph does not support. Paraph rejects a repository that enables one of
 * these settings.
 */
const unsupportedSettings: Record<string, string> = {
  "extensions.partialclone": "it is a partial clone, so git would have to fetch missing objects",
  "extensions.refstorage": "its refs are not stored as files",
  "extensions.worktreeconfig": "its worktrees have their own configurations",
  "core.sparsecheckout": "it is a sparse checkout",
};

/** The settings that have no meaning here but occur in most repositories. The health check does not report them. */
const harmlessSettings = new Set(["core.bare", "user.name", "user.email"]);
const harmlessSections = new Set(["remote.url", "remote.fetch", "branch.remote", "branch.merge"]);

export interface RepositoryConfig {
  readonly trusted: ReadonlyMap<string, string>;
  /**
   * The names of the settings that Paraph ignores. The middle part of each name is removed, because it may contain any
   * text.
   */
  readonly ignored: readonly string[];
  readonly refusal?: string;
}

/** Parses the output of `git config --list -z`: `key LF value NUL`, or a key alone, which means true. */
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
      refusal ??= "it uses an extension of git's format that Paraph does not support";
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

/**
 * Removes the middle part of a key. For example, `filter.evil.clean` becomes `filter.clean`. Also removes the whole
 * name of an alias, because the author of an alias can choose any text.
 */
function toSectionKey(key: string): string {
  if (/^(?:alias|pager)\./i.test(key)) return key.slice(0, 5).toLowerCase();
  const words = /^([a-z0-9-]+)\.(?:.*\.)?([a-z0-9-]+)$/is.exec(key);
  return words ? `${words[1]}.${words[2]}`.slice(0, 60) : "(unreadable)";
}
