/**
 * The whole configuration that our git reads. Hooks, file system monitors, pagers, editors, credential helpers and
 * signing are off, no protocol is allowed unless the remote at hand uses it, and an answer from a remote leads nowhere
 * else.
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
  // What is inside a sandbox belongs to another user, by its own reckoning: with the whole stat every file is read again.
  ["core.checkstat", "minimal"],
  // Files beside the objects that say again, and could say otherwise, what the objects say.
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
