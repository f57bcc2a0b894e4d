import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { git } from "./index.ts";
import {
  createGitAdapterContext,
  createGitFixture,
  createTestContext,
  type GitFixture,
  performCapability,
  readFault,
  runUserGit,
} from "./testing.ts";

/** Every setting that lets a repository name a program. Each program records the name under which it ran. */
const settings = (program: (name: string) => string): Record<string, string> => ({
  "core.fsmonitor": program("fsmonitor"),
  "core.sshCommand": program("sshCommand"),
  "core.gitProxy": program("gitProxy"),
  "core.askPass": program("askPass"),
  "core.pager": program("pager"),
  "core.editor": program("editor"),
  "core.alternateRefsCommand": program("alternateRefsCommand"),
  "core.worktree": "/nonexistent",
  "sequence.editor": program("sequence-editor"),
  "pager.log": program("pager-log"),
  "pager.status": program("pager-status"),
  "diff.external": program("diff-external"),
  "diff.evil.command": program("diff-command"),
  "diff.evil.textconv": program("textconv"),
  "filter.evil.clean": program("clean"),
  "filter.evil.smudge": program("smudge"),
  "filter.evil.required": "true",
  "filter.process.process": program("process-filter"),
  "merge.evil.driver": program("merge-driver"),
  "commit.gpgSign": "true",
  "tag.gpgSign": "true",
  "push.gpgSign": "if-asked",
  "gpg.program": program("gpg"),
  "gpg.ssh.program": program("gpg-ssh"),
  "credential.helper": `!${program("credential-helper")}`,
  "alias.status": `!${program("alias")}`,
  "alias.evil": `!${program("alias")}`,
  "trailer.evil.command": program("trailer"),
  "protocol.ext.allow": "always",
  "remote.origin.url": `ext::${program("ext-remote")}`,
  "remote.origin.uploadpack": program("uploadpack"),
  "remote.origin.receivepack": program("receivepack"),
  "uploadpack.packObjectsHook": program("packObjectsHook"),
  [`url.ext::${program("insteadOf")} .insteadOf`]: "file://",
  "include.path": "evil.config",
  "includeIf.gitdir:/.path": "evil.config",
  "submodule.sub.update": `!${program("submodule-update")}`,
  "submodule.sub.url": `--upload-pack=${program("submodule-url")}`,
  "submodule.recurse": "true",
  "status.submoduleSummary": "true",
  "log.showSignature": "true",
  "http.proxy": "http://127.0.0.1:9",
});

const hooks = [
  ...["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-merge"],
  ...[
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "pre-push",
    "pre-auto-gc",
    "post-rewrite",
  ],
];

const attributes = "*.txt diff=evil merge=evil\n*.flt filter=evil\n*.pro filter=process\n";

/** Creates a repository with a branch to merge, a file that both sides changed, and a remote next to it. */
async function poisoned(): Promise<GitFixture & { ran(): Promise<string[]>; forget(): Promise<void> }> {
  const fixture = await createGitFixture();
  const remote = join(fixture.base, "remote.git");
  runUserGit(fixture.base, "init", "--quiet", "--bare", remote);
  await fixture.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n");
  fixture.git("commit", "--quiet", "--all", "--message=Longer");
  fixture.git("push", "--quiet", remote, "main");
  fixture.git("checkout", "--quiet", "-b", "side");
  await fixture.write("a.txt", "1\n2\n3\nside\n5\n6\n7\n");
  fixture.git("commit", "--quiet", "--all", "--message=Side");
  fixture.git("checkout", "--quiet", "main");
  await fixture.write("a.txt", "main\n2\n3\n4\n5\n6\n7\n");
  await fixture.write(".gitattributes", attributes);
  await fixture.write("in.flt", "filtered\n");
  fixture.git("add", ".");
  fixture.git("commit", "--quiet", "--message=Main");
  const ran = join(fixture.base, "ran");
  const programs = join(fixture.base, "programs");
  await mkdir(programs);
  const script = (name: string) =>
    `#!/bin/sh\necho ${name} >> ${ran}\ncat >/dev/null 2>&1 </dev/null\nexit 0\n`;
  const plant = async (path: string, name: string) => {
    await writeFile(path, script(name));
    await chmod(path, 0o755);
  };
  const names: string[] = [];
  const listed = settings((name) => {
    names.push(name);
    return join(programs, name);
  });
  for (const name of names) await plant(join(programs, name), name);
  await plant(join(programs, "included"), "included");
  await writeFile(join(fixture.root, ".git/evil.config"), `[core]\n\tfsmonitor = ${programs}/included\n`);
  for (const hook of hooks) await plant(join(fixture.root, ".git/hooks", hook), `hook-${hook}`);
  await writeFile(join(fixture.root, ".git/info/attributes"), attributes);
  await writeFile(
    join(fixture.root, ".gitmodules"),
    `[submodule "sub"]\n\tpath = sub\n\turl = --upload-pack=${programs}/submodule-url\n`,
  );
  for (const [key, value] of Object.entries(listed))
    fixture.git("config", "--file", ".git/config", key, value);
  await fixture.open({
    sandboxed: false,
    remotes: { origin: { url: `file://${remote}` } },
  });
  return Object.assign(fixture, {
    ran: async () => (await readFile(ran, "utf8").catch(() => "")).split("\n").filter(Boolean),
    forget: () => rm(ran, { force: true }),
  });
}

describe("[TRUST 18] a repository with programs in its settings, hooks and attributes", () => {
  let there: Awaited<ReturnType<typeof poisoned>>;
  beforeAll(async () => {
    there = await poisoned();
  });
  afterAll(() => there[Symbol.asyncDispose]());

  it("works with every capability, and none of these programs runs", async () => {
    await there.forget();
    await there.write("a.txt", "main\n2\n3\n4\n5\n6\nseven\n");
    await performCapability(there.capability("status"), {});
    expect((await performCapability(there.capability("diff"), {})).diff).toContain("+seven");
    await performCapability(there.capability("log"), {});
    const done = await performCapability(there.capability("commit"), { message: "Seven", paths: ["a.txt"] });
    await performCapability(there.capability("merge"), { from: "side" });
    expect(await readFile(join(there.root, "a.txt"), "utf8")).toBe("main\n2\n3\nside\n5\n6\nseven\n");
    await performCapability(there.capability("revert"), { commit: done.commit });
    await performCapability(there.capability("branch_create"), { name: "new" });
    await performCapability(there.capability("branch_delete"), { name: "new" });
    await performCapability(there.capability("tag_create"), { name: "v1", message: "One" });
    await performCapability(there.capability("tag_delete"), { name: "v1" });
    await performCapability(there.capability("fetch"), {});
    await performCapability(there.capability("push"), { branch: "main" });
    await performCapability(there.capability("push_force"), { branch: "main", commit: "main~1" });
    expect(await there.ran()).toEqual([]);
    const { commits } = await performCapability(there.capability("log"), { limit: 2 });
    expect(runUserGit(join(there.base, "remote.git"), "rev-parse", "main")).toBe(commits[1].commit);
  });

  it.each(["in.flt", "new.flt", "new.pro"])(
    "refuses a commit of %s, which has a filter, and does not run the filter",
    async (path) => {
      await there.forget();
      await there.write(path, "content\n");
      expect(
        await readFault(performCapability(there.capability("commit"), { message: "m", paths: [path] })),
      ).toBe("permanent filter-refused");
      expect(await there.ran()).toEqual([]);
    },
  );

  it("reports the ignored settings in its health, without the parts that the repository chose", async () => {
    const health = await there.adapter.health!(new AbortController().signal);
    expect(health).toMatchObject({ kind: "well" });
    for (const name of ["core.fsmonitor", "filter.clean", "include.path", "url.insteadof"])
      expect(health.message).toContain(name);
    expect(health.message).not.toContain("evil");
  });

  it("runs more than six of these programs with plain git, so the attack is real", async () => {
    await there.forget();
    const provoke = (...args: string[]) => {
      try {
        there.git(...args);
      } catch {
        // Most of these commands fail, because the program prints no answer.
      }
    };
    there.git("config", "--file", ".git/config", "--unset", "core.worktree");
    await there.write("a.txt", "provoked\n");
    provoke("status");
    provoke("diff");
    provoke("show", "--textconv", "HEAD");
    provoke("-c", "diff.external=", "-c", "diff.evil.command=", "diff", "--textconv");
    provoke("add", "new.flt", "new.pro");
    provoke("commit", "--all", "--message=m");
    provoke("merge", "--no-commit", "side");
    provoke("fetch", "origin");
    provoke("ls-remote", "https://127.0.0.1:9/");
    const ran = new Set(await there.ran());
    for (const name of ["included", "diff-external", "clean", "process-filter", "hook-post-index-change"])
      expect([...ran]).toContain(name);
    expect([...ran].length).toBeGreaterThan(6);
  });
});

describe("[TRUST 18] a misleading repository", () => {
  const cases: [string, (fixture: GitFixture) => Promise<unknown>, RegExp][] = [
    [
      "whose `.git` is a link",
      async ({ root, base }) => {
        await rename(join(root, ".git"), join(base, "elsewhere"));
        await symlink(join(base, "elsewhere"), join(root, ".git"));
      },
      /is a link/,
    ],
    [
      "whose `.git` is a file",
      async ({ root, base }) => {
        await rename(join(root, ".git"), join(base, "elsewhere"));
        await writeFile(join(root, ".git"), `gitdir: ${join(base, "elsewhere")}\n`);
      },
      /points to another repository/,
    ],
    ["without `.git`", ({ root }) => rm(join(root, ".git"), { recursive: true }), /no `\.git` folder/],
    [
      "with a common folder",
      ({ root }) => writeFile(join(root, ".git/commondir"), "/tmp\n"),
      /refers to another repository/,
    ],
    [
      "with borrowed objects",
      ({ root }) => writeFile(join(root, ".git/objects/info/alternates"), "/tmp\n"),
      /refers to another repository/,
    ],
    [
      "whose refs are elsewhere",
      async ({ root, base }) => {
        await rename(join(root, ".git/refs"), join(base, "refs"));
        await symlink(join(base, "refs"), join(root, ".git/refs"));
      },
      /`\.git\/refs` is not a folder/,
    ],
    [
      "whose log of HEAD is a link",
      async ({ root, base }) => {
        await rm(join(root, ".git/logs/HEAD"));
        await symlink(join(base, "victim"), join(root, ".git/logs/HEAD"));
      },
      /`\.git\/logs\/HEAD` is not a file/,
    ],
    [
      "whose HEAD is a link to a device",
      async ({ root }) => {
        await rm(join(root, ".git/HEAD"));
        await symlink("/dev/zero", join(root, ".git/HEAD"));
      },
      /`\.git\/HEAD` is not a file/,
    ],
    [
      "whose HEAD is nonsense",
      ({ root }) => writeFile(join(root, ".git/HEAD"), "ref: ../../x\n"),
      /neither a branch/,
    ],
    [
      "whose configuration cannot be read",
      ({ root }) => writeFile(join(root, ".git/config"), "[core\n"),
      /configuration cannot be read/,
    ],
    [
      "with a configuration for each worktree",
      async (there) => there.git("config", "extensions.worktreeConfig", "true"),
      /their own configurations/,
    ],
    [
      "that is a partial clone",
      async (there) => there.git("config", "extensions.partialClone", "origin"),
      /partial clone/,
    ],
    [
      "that is sparse",
      async (there) => there.git("config", "core.sparseCheckout", "true"),
      /sparse checkout/,
    ],
    [
      "with an extension of tomorrow",
      ({ root }) => writeFile(join(root, ".git/config"), "[extensions]\n\ttomorrow = true\n"),
      /does not support/,
    ],
  ];

  it.each(cases)(
    "%s is refused with a message, both when it is used and when it is opened",
    async (_, poison, message) => {
      await using fixture = await createGitFixture();
      await poison(fixture);
      expect(await readFault(fixture.capability("status").apply({}, createTestContext()))).toBe(
        "permanent repository-refused",
      );
      const health = await fixture.adapter.health!(new AbortController().signal);
      expect(health).toMatchObject({ kind: "degraded", code: "repository-refused" });
      expect(health.message).toMatch(message);
      await expect(
        git({ repository: "repository" }).open(createGitAdapterContext(fixture.base)),
      ).rejects.toThrow(message);
    },
  );

  it("whose branch log is a link to another file is refused, and that file is not written", async () => {
    await using fixture = await createGitFixture();
    await writeFile(join(fixture.base, "victim"), "");
    await rm(join(fixture.root, ".git/logs/refs/heads/main"));
    await symlink(join(fixture.base, "victim"), join(fixture.root, ".git/logs/refs/heads/main"));
    await fixture.write("a.txt", "changed\n");
    expect(
      await readFault(performCapability(fixture.capability("commit"), { message: "m", paths: ["a.txt"] })),
    ).toBe("permanent repository-refused");
    expect(await readFile(join(fixture.base, "victim"), "utf8")).toBe("");
  });
});
