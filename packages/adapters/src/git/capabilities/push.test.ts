import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CapabilityError, Json, Preview } from "@paraph/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { toRemoteFault } from "../remote/remote-fault.ts";
import { type GitHost, startGitHost } from "../test-host.ts";
import {
  createGitFixture,
  createTestContext,
  type GitFixture,
  parseTestInput,
  performCapability,
  readFault,
  runUserGit,
} from "../testing.ts";

const secret = "s3cr3t-token-value";
const world = { credential: async () => secret };

let fixture: GitFixture;
let remote: GitHost;
beforeAll(async () => {
  fixture = await createGitFixture();
  remote = await startGitHost(fixture.base, secret);
  await fixture.open({
    remotes: { origin: { url: remote.url, credential: `\${GIT_TOKEN}` } },
    protect: ["main"],
  });
});
afterAll(async () => {
  await remote[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});
beforeEach(() => {
  remote.behavior = "well";
});

const ran = {
  exitCode: 128,
  signal: undefined,
  stdout: Buffer.alloc(0),
  truncated: false,
  ...({ end: "exited", durationMs: 1 } as const),
};

const tip = (branch: string) =>
  runUserGit(remote.folder, "for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`);

async function commit(branch: string, text: string): Promise<string> {
  fixture.git("checkout", "--quiet", "-B", branch);
  await fixture.write("a.txt", `${branch}: ${text}\n`);
  fixture.git("commit", "--quiet", "--all", `--message=${text}`);
  return fixture.git("rev-parse", "HEAD");
}

describe("push", () => {
  it("[P3] preview shows commits and the diff, and pushes nothing", async () => {
    const first = await commit("shown", "shown");
    const preview = await fixture.capability("push").preview!(
      parseTestInput(fixture.capability("push"), { branch: "shown" }),
      createTestContext(world),
    );
    expect(preview.basis).toEqual({ url: remote.url, ref: "refs/heads/shown", from: null, to: first });
    expect(preview.changes[0]).toMatchObject({ kind: "create", target: "origin/shown" });
    const readHeadline = ({ changes }: Preview) =>
      fixture.capability("push").headline!({ branch: "shown" }, { changes, basis: null });
    expect(readHeadline(preview)).toBe(
      `Push to origin/shown: New branch at ${first.slice(0, 10)}, 2 commits: 2 files, +2 −0`,
    );
    expect(preview.changes.map(({ target }) => target)).toContain(first);
    expect(tip("shown")).toBe("");
    await performCapability(fixture.capability("push"), { branch: "shown" }, world);
    const second = await commit("shown", "shown more");
    const next = await fixture.capability("push").preview!(
      parseTestInput(fixture.capability("push"), { branch: "shown" }),
      createTestContext(world),
    );
    expect(next.basis).toMatchObject({ from: first, to: second });
    expect(next.changes[0]?.diff).toContain("+shown: shown more");
    expect(readHeadline(next)).toBe(
      `Push to origin/shown: ${first.slice(0, 10)} → ${second.slice(0, 10)}, 1 commit: 1 file, +1 −1`,
    );
    expect(next.changes.filter(({ target }) => target === second)).toHaveLength(1);
    expect(next.changes.some(({ target }) => target === first)).toBe(false);
  });

  it("pushes forward; its undo force-pushes the former commit if the remote still has the pushed one", async () => {
    const former = await commit("forward", "one");
    const done = await performCapability(fixture.capability("push"), { branch: "forward" }, world);
    expect(done).toEqual({ remote: "origin", branch: "forward", commit: former, former: null });
    const later = await commit("forward", "two");
    const again = await performCapability(fixture.capability("push"), { branch: "forward" }, world);
    expect(tip("forward")).toBe(later);
    const undo = fixture.capability("push").undo!({}, again)!;
    expect(undo).toEqual({
      capability: "git.push_force",
      input: { remote: "origin", branch: "forward", commit: former, expect: later },
    });
    await performCapability(fixture.capability("push_force"), undo.input, world);
    expect(tip("forward")).toBe(former);
    expect(await readFault(performCapability(fixture.capability("push_force"), undo.input, world))).toBe(
      "permanent not-as-expected",
    );
    await performCapability(
      fixture.capability("push_force"),
      fixture.capability("push").undo!({}, done)!.input,
      world,
    );
    expect(tip("forward")).toBe("");
  });

  it("never moves a branch back, and requires a fetch if the remote has commits that are missing locally", async () => {
    await commit("behind", "one");
    await commit("behind", "two");
    await performCapability(fixture.capability("push"), { branch: "behind" }, world);
    fixture.git("reset", "--quiet", "--hard", "HEAD~1");
    expect(await readFault(performCapability(fixture.capability("push"), { branch: "behind" }, world))).toBe(
      "permanent fetch-first",
    );
    const tree = runUserGit(remote.folder, "rev-parse", "behind^{tree}");
    const theirs = runUserGit(remote.folder, "commit-tree", "-p", "behind", "-m", "theirs", tree);
    runUserGit(remote.folder, "update-ref", "refs/heads/behind", theirs);
    expect(await readFault(performCapability(fixture.capability("push"), { branch: "behind" }, world))).toBe(
      "permanent fetch-first",
    );
    const fetched = await performCapability(fixture.capability("fetch"), {}, world);
    expect(fetched.branches).toContainEqual({ branch: "behind", commit: theirs });
    await performCapability(fixture.capability("merge"), { from: "origin/behind" });
    await performCapability(fixture.capability("push"), { branch: "behind" }, world);
    expect(tip("behind")).toBe(fixture.git("rev-parse", "behind"));
  });

  it("[P5] [P7] pushes nothing if the remote changed after the preview, and leaves the remote's commit in place", async () => {
    await commit("moved", "one");
    await performCapability(fixture.capability("push"), { branch: "moved" }, world);
    await commit("moved", "two");
    const input = parseTestInput(fixture.capability("push"), { branch: "moved" });
    const { basis } = await fixture.capability("push").preview!(input, createTestContext(world));
    const tree = runUserGit(remote.folder, "rev-parse", "moved^{tree}");
    const theirs = runUserGit(remote.folder, "commit-tree", "-p", "moved", "-m", "theirs", tree);
    runUserGit(remote.folder, "update-ref", "refs/heads/moved", theirs);
    expect(
      await readFault(fixture.capability("push").apply(input, createTestContext({ ...world, basis }))),
    ).toBe("permanent basis-changed");
    expect(tip("moved")).toBe(theirs);
    expect(await fixture.capability("push").probe!(input, createTestContext({ ...world, basis }))).toEqual({
      kind: "unsure",
    });
  });

  it("[P7] a push without an answer is ambiguous, and the probe finds it on the remote", async () => {
    await commit("muted", "one");
    const input = parseTestInput(fixture.capability("push"), { branch: "muted" });
    const { basis } = await fixture.capability("push").preview!(input, createTestContext(world));
    expect(await fixture.capability("push").probe!(input, createTestContext({ ...world, basis }))).toEqual({
      kind: "absent",
    });
    remote.behavior = "mute-after-push";
    expect(
      await readFault(fixture.capability("push").apply(input, createTestContext({ ...world, basis }))),
    ).toBe("ambiguous remote-failed");
    const found = await fixture.capability("push").probe!(input, createTestContext({ ...world, basis }));
    expect(found).toMatchObject({ kind: "present", output: { branch: "muted", former: null } });
    // The probe still finds the push after another push adds a commit to the branch.
    remote.behavior = "well";
    await commit("muted", "two");
    await performCapability(fixture.capability("push"), { branch: "muted" }, world);
    expect(
      (await fixture.capability("push").probe!(input, createTestContext({ ...world, basis }))).kind,
    ).toBe("present");
  });

  it("[P7] a push that the remote performs after the probe answered absent has one effect", async () => {
    const to = await commit("late", "one");
    const push = fixture.capability("push");
    const input = parseTestInput(push, { branch: "late" });
    const { basis } = await push.preview!(input, createTestContext(world));
    const context = createTestContext({ ...world, basis });
    remote.behavior = "late-push";
    expect(await readFault(push.apply(input, context))).toBe("ambiguous remote-failed");
    expect(await push.probe!(input, context)).toEqual({ kind: "absent" });
    await remote.finishPush();
    expect(tip("late")).toBe(to);
    remote.behavior = "well";
    const again = await push.apply(input, createTestContext({ ...world, basis, attempt: 2 }));
    expect(again).toMatchObject({ branch: "late", commit: to, former: null });
    expect(tip("late")).toBe(to);
  });

  it.each(["busy-after-push", "gone-after-push"] as const)(
    "[P7] an error answer after a completed push is ambiguous: %s",
    async (mood) => {
      await commit(mood, "one");
      const input = parseTestInput(fixture.capability("push"), { branch: mood });
      const { basis } = await fixture.capability("push").preview!(input, createTestContext(world));
      remote.behavior = mood;
      const pushing = fixture.capability("push").apply(input, createTestContext({ ...world, basis }));
      expect(await readFault(pushing)).toBe("ambiguous remote-failed");
      expect(tip(mood)).not.toBe("");
    },
  );

  it("[P8] the kind of a fault depends on git's own messages, not on messages of the remote", async () => {
    const said = (stderr: string) =>
      toRemoteFault({ ...ran, stderr: Buffer.from(stderr) }, "The push", true).kind;
    expect(said("remote: Failed to connect to the build server\nfatal: early EOF\n")).toBe("ambiguous");
    expect(said("remote: error: 404 not found\rremote: redirect\nfatal: early EOF\n")).toBe("ambiguous");
    expect(said("fatal: unable to access 'x': Failed to connect to x port 443\n")).toBe("not-performed");
  });

  it("[P8] the fault says whether a retry can help", async () => {
    await commit("faults", "one");
    const push = (over = {}) =>
      readFault(performCapability(fixture.capability("push"), { branch: "faults" }, { ...world, ...over }));
    remote.behavior = "busy";
    expect(await push()).toBe("not-performed remote-busy");
    remote.behavior = "well";
    expect(await push({ credential: async () => "wrong" })).toBe("permanent remote-not-permitted");
    await writeFile(join(remote.folder, "hooks/pre-receive"), "#!/bin/sh\necho no >&2; exit 1\n", {
      mode: 0o755,
    });
    expect(await push()).toBe("permanent remote-refused");
    await rm(join(remote.folder, "hooks/pre-receive"));
    expect(
      await readFault(
        performCapability(fixture.capability("push"), { branch: "faults", remote: "other" }, world),
      ),
    ).toBe("permanent remote-unknown");
    expect(await readFault(performCapability(fixture.capability("push"), { branch: "nowhere" }, world))).toBe(
      "permanent branch-unknown",
    );
  });

  it("[TRUST 17] does not follow a redirect of the remote", async () => {
    remote.behavior = "elsewhere";
    remote.requests.length = 0;
    expect(await readFault(performCapability(fixture.capability("push"), { branch: "main" }, world))).toBe(
      "permanent remote-changed",
    );
    expect(remote.requests.some(({ what }) => what.includes("/else"))).toBe(false);
  });

  it("[P10] sends the secret to the host, and includes it in no preview, output or message", async () => {
    await commit("secret", "one");
    remote.requests.length = 0;
    const said: unknown[] = [];
    const push = fixture.capability("push");
    const input = parseTestInput(push, { branch: "secret" });
    const { changes, basis } = await push.preview!(input, createTestContext(world));
    said.push(changes, basis, await push.apply(input, createTestContext({ ...world, basis })));
    await push
      .apply(
        input,
        createTestContext({ ...world, basis: { ...(basis as object), from: "0".repeat(40) } as Json }),
      )
      .catch((error) => said.push((error as CapabilityError).message));
    const basic = Buffer.from(`git:${secret}`).toString("base64");
    expect(remote.requests.every(({ authorization }) => authorization === `Basic ${basic}`)).toBe(true);
    expect(said).toHaveLength(4);
    expect(JSON.stringify(said)).not.toContain(secret);
    expect(JSON.stringify(said)).not.toContain(basic);
  });

  it("neither force-pushes nor deletes a protected branch on the remote", async () => {
    await performCapability(fixture.capability("push"), { branch: "main" }, world);
    for (const commitOrNull of [null, "shown"])
      expect(
        await readFault(
          performCapability(
            fixture.capability("push_force"),
            { branch: "main", commit: commitOrNull },
            world,
          ),
        ),
      ).toBe("permanent protected");
  });

  it("the preview of a forced push shows the commits that would be lost", async () => {
    await commit("lossy", "one");
    const lost = await commit("lossy", "two");
    await performCapability(fixture.capability("push"), { branch: "lossy" }, world);
    const force = fixture.capability("push_force");
    const { changes } = await force.preview!(
      parseTestInput(force, { branch: "lossy", commit: "lossy~1" }),
      createTestContext(world),
    );
    expect(changes[0]?.summary).toContain("1 commit would no longer be on any branch of the remote");
    expect(changes).toContainEqual(expect.objectContaining({ kind: "delete", target: lost }));
    expect(force.contract).toMatchObject({ effect: "destroy", risk: "high" });
  });
});

describe("configured remotes", () => {
  it.each([
    ["ext::sh -c id", /only `https/],
    ["ssh://git@host/x", /user or a password|only `https/],
    ["git://host/x", /only `https/],
    ["http://example.org/x.git", /Use `https/],
    ["https://user:pass@example.org/x.git", /user or a password/],
    ["--upload-pack=id", /not a valid URL/],
    ["file://host/share", /three slashes/],
    ["https://example.org/x.git?y", /`\?` or `#`/],
  ])("%s is rejected when the adapter opens", async (url, message) => {
    await expect(fixture.open({ remotes: { origin: { url } } })).rejects.toThrow(message);
  });
});

it("[TRUST 16] the fault omits a credential that the remote echoes", async () => {
  await commit("echoed", "echoed");
  const hook = join(remote.folder, "hooks/pre-receive");
  const basic = Buffer.from(`git:${secret}`).toString("base64");
  const script = `#!/bin/sh\necho "error: ${secret} and Basic ${basic} may not push" >&2\nexit 1\n`;
  await writeFile(hook, script, { mode: 0o755 });
  const fault: CapabilityError = await performCapability(
    fixture.capability("push"),
    { branch: "echoed" },
    world,
  ).catch((e) => e);
  expect(fault.code).toBe("remote-refused");
  expect(fault.message).toContain("may not push");
  expect(fault.message).not.toContain(secret);
  expect(fault.message).not.toContain(basic);
  await rm(hook);
});
