/**
 * Returns the whole configuration of Paraph's git processes. It disables hooks, file system monitors, pagers, editors,
 * credential helpers and signing. It allows only the protocol of the current remote, and git follows no redirects.
 */
export function formatGitConfig(carried: ReadonlyMap<string, string>, protocol: string | undefined): string {
  const settings = new Map([...fixedSettings, ...carried]);
  if (protocol !== undefined) settings.set(`protocol.${protocol}.allow`, "always");
  return [...settings].map(([key, value]) => formatSetting(key, value)).join("");
}

const fixedSettings: readonly (readonly [string, string])[] = [
  ["core.bare", "false"],
  ["core.hookspath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.untrackedcache", "false"],
  ["core.attributesfile", "/dev/null"],
  ["core.excludesfile", "/dev/null"],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["core.sshcommand", "false"],
  ["core.askpass", ""],
  // Excludes the owner of a file from git's check for changes. In a sandbox every file seems to belong to another user,
  // so the full check would make git read every file again.
  ["core.checkstat", "minimal"],
  // Stops git from using commit-graph and multi-pack-index files. They duplicate data of the objects and could
  // contradict it.
  ["core.commitgraph", "false"],
  ["core.multipackindex", "false"],
  ["core.protecthfs", "true"],
  ["core.protectntfs", "true"],
  ["core.quotepath", "false"],
  ["core.logallrefupdates", "true"],
  ["core.repositoryformatversion", "0"],
  ["commit.gpgsign", "false"],
  ["tag.gpgsign", "false"],
  ["push.gpgsign", "false"],
  ["push.followtags", "false"],
  ["push.recursesubmodules", "no"],
  ["fetch.recursesubmodules", "no"],
  ["submodule.recurse", "false"],
  ["diff.ignoresubmodules", "all"],
  ["credential.helper", ""],
  ["http.followredirects", "false"],
  ["protocol.allow", "never"],
  ["transfer.fsckobjects", "true"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

function formatSetting(key: string, value: string): string {
  const [section, ...rest] = key.split(".");
  const name = rest.pop()!;
  return `[${section}${rest.length > 0 ? ` "${rest.join(".")}"` : ""}]\n\t${name} = "${value}"\n`;
}
