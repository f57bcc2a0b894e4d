import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSleepDuration, hasSandbox, waitForRunning } from "../../process/testing.ts";
import { parseTestInput, readFault } from "../../testing.ts";
import {
  createTerminalFixture,
  perform,
  snapshotWorkspace,
  type TerminalFixture,
  toShellInput,
  worldOf,
} from "../testing.ts";

/** Returns a reference to a secret as a configuration contains it. */
const secretly = (name: string) => `\${${name}}`;

describe.runIf(hasSandbox)("terminal.run", () => {
  let on: TerminalFixture;
  beforeEach(async () => {
    on = await createTerminalFixture({ read: ["beside"] });
    await writeFile(join(on.workspace, "notes.txt"), "one\ntwo\n");
    await writeFile(join(on.beside, "given"), "for reading");
  });
  afterEach(async () => {
    vi.useRealTimers();
    await on[Symbol.asyncDispose]();
  });

  describe("the run", () => {
    it("reports how the program ended and what it printed", async () => {
      expect(await perform(on.run, { ...toShellInput("cat; echo wrong >&2; exit 3"), stdin: "in" })).toEqual({
        end: "exited",
        exitCode: 3,
        durationMs: expect.any(Number),
        changes: [],
        moreChanges: 0,
        stdout: { content: "in", encoding: "utf8", truncated: false },
        stderr: { content: "wrong\n", encoding: "utf8", truncated: false },
      });
      const { stdout } = await perform(on.run, toShellInput("printf '\\377'"));
      expect(stdout).toEqual({ content: "/w==", encoding: "base64", truncated: false });
    });

    it("reports text changes as diffs, and other changes by hash, mode or link target", async () => {
      await writeFile(join(on.workspace, "gone"), "x");
      const script =
        "echo three >> notes.txt; printf '\\0' > data; mkdir sub; ln -s /etc sub/link; rm gone; chmod +x notes.txt";
      const { changes, moreChanges, snapshot } = await perform(on.run, toShellInput(script));
      expect(changes.map(({ path, kind }: { path: string; kind: string }) => `${kind} ${path}`)).toEqual([
        ...["create data", "delete gone", "update notes.txt", "create sub", "create sub/link"],
      ]);
      expect(changes[0].after).toMatchObject({
        kind: "file",
        bytes: 1,
        sha256: expect.stringMatching(/^6e34/),
      });
      expect(changes[2].diff).toContain("@@ -1,2 +1,3 @@\n one\n two\n+three\n");
      expect([changes[2].before.mode, changes[2].after.mode]).toEqual(["644", "755"]);
      expect(changes[4].after).toEqual({ kind: "link", target: "/etc" });
      expect([moreChanges, typeof snapshot]).toEqual([0, "string"]);
    });

    it("lists 500 changes and counts the others", async () => {
      const { changes, moreChanges } = await perform(on.run, toShellInput("touch $(seq 510)"));
      expect([changes.length, moreChanges]).toEqual([500, 10]);
    });

    it("reports a new file whose name is not valid UTF-8", async () => {
      const { changes } = await perform(on.run, toShellInput("touch \"$(printf '\\377')\""));
      expect(changes).toMatchObject([{ path: "\ufffd", kind: "create" }]);
    });

    it("runs in the requested folder, including a program from that folder", async () => {
      await mkdir(join(on.workspace, "sub"));
      await writeFile(join(on.workspace, "sub", "tool"), "#!/bin/sh\npwd\n", { mode: 0o755 });
      const { stdout } = await perform(on.run, { argv: ["./tool"], cwd: "./sub/" });
      expect(stdout.content).toBe(`${on.workspace}/sub\n`);
      expect((await perform(on.run, { argv: ["./missing"] })).exitCode).toBe(127);
    });

    it("[TRUST 18] reads only the workspace and the configured folders, and writes only to the workspace", async () => {
      const script = `cat '${on.beside}/given'; touch '${on.beside}/x' ../x '${on.folder}/y'; ls '${on.folder}' /root /home; :`;
      expect((await perform(on.run, toShellInput(script))).stdout.content).toBe(
        `for reading${on.folder}:\nbeside\nwork\nx\ny\n`,
      );
      expect((await readdir(on.folder)).sort()).toEqual([".paraph", "beside", "work"]);
      expect(await readdir(on.beside)).toEqual(["given"]);
    });

    it("truncates output at 256 KiB, and the rest is still valid text", async () => {
      const { stdout } = await perform(on.run, toShellInput("yes é | tr -d '\\n' | head -c 300001"));
      expect(stdout).toMatchObject({ encoding: "utf8", truncated: true });
      expect(Buffer.byteLength(stdout.content)).toBe(256 * 1024);
    });

    it("reports truncation also for output that contains a secret", async () => {
      await using secret = await createTerminalFixture({ env: { TOKEN: secretly("T") } });
      const credential = async () => "a-rather-long-token!!";
      const { stdout } = await perform(secret.run, toShellInput("yes $TOKEN | head -c 300000"), {
        credential,
      });
      expect(stdout).toMatchObject({ truncated: true, content: expect.stringMatching(/^(?:<T>\n)+$/) });
    });

    it("reports output as progress while the program runs", async () => {
      const heard: string[] = [];
      const progress = ({ output = "" }) => void heard.push(output);
      await perform(on.run, toShellInput("echo first; sleep 0.3; echo second"), { progress });
      expect(heard.join("")).toBe("first\nsecond\n");
    });

    it("leaves no setuid or setgid file, even if the workspace exceeds `maxEntries`", async () => {
      // The sandbox denies the setuid and setgid bits, so the command cannot set them, regardless of how many files it
      // writes.
      const many = "i=0; while [ $i -lt 30 ]; do touch $i; i=$((i+1)); done";
      await using small = await createTerminalFixture({ maxEntries: 20 });
      const output = await perform(small.run, toShellInput(`touch tool; chmod 6755 tool; ${many}`));
      expect(output.changesUnknown).toContain("maxEntries");
      expect((await stat(join(small.workspace, "tool"))).mode & 0o6000).toBe(0);
    });

    it("stops a program at the timeout, and reports its changes", async () => {
      await using quick = await createTerminalFixture({ timeout: "1s" });
      const sleep = createSleepDuration();
      // The timeout comes when both programs run. On a busy machine, the sandbox may take longer than a second to start.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const running = perform(
        quick.run,
        toShellInput(`touch began; (setsid sleep ${sleep} &); sleep ${sleep}`),
      );
      await waitForRunning(sleep, 2);
      vi.advanceTimersByTime(1_000);
      const output = await running;
      expect(output).toMatchObject({ end: "timed-out", changes: [{ path: "began" }] });
      expect(output).not.toHaveProperty("exitCode");
      await waitForRunning(sleep, 0);
    });

    it("sets the configured environment with the secrets filled in", async () => {
      await using secret = await createTerminalFixture({
        env: { MODE: "test", TOKEN: secretly("DEPLOY_TOKEN") },
      });
      const credential = async (name: string) => `${name.toLowerCase()}-é`;
      const { exitCode } = await perform(
        secret.run,
        toShellInput('[ "$MODE $TOKEN" = "test deploy_token-é" ]'),
        {
          credential,
        },
      );
      expect(exitCode).toBe(0);
      const preview = await secret.run.preview!(parseTestInput(secret.run, toShellInput("")), worldOf());
      expect(preview.changes[0]!.details).toMatchObject({ environment: ["MODE", "TOKEN"] });
    });

    it("[TRUST 16] masks a secret that the program prints, in output, progress and diffs", async () => {
      await using secret = await createTerminalFixture({
        env: { TOKEN: secretly("DEPLOY_TOKEN"), OTHER: secretly("LONGER") },
      });
      const values: Record<string, string> = { DEPLOY_TOKEN: "t0p-é-$&", LONGER: "t0p-é-$&-and-more" };
      const heard: unknown[] = [];
      const output = await perform(
        secret.run,
        toShellInput('echo "$TOKEN $OTHER" | tee file >&2; printf "\\377$TOKEN"'),
        {
          credential: async (name) => values[name]!,
          progress: (said) => void heard.push(said),
        },
      );
      expect(JSON.stringify([output, heard])).not.toContain("t0p");
      expect(output.stderr.content).toBe("<DEPLOY_TOKEN> <LONGER>\n");
      expect(output.changes[0].diff).toContain("+<DEPLOY_TOKEN> <LONGER>\n");
      expect(Buffer.from(output.stdout.content, "base64").toString("latin1")).toBe("\xff<DEPLOY_TOKEN>");
    });
  });

  describe("faults", () => {
    it("[P5] does not run if the workspace differs from the preview", async () => {
      const input = parseTestInput(on.run, toShellInput("touch began"));
      const { basis } = await on.run.preview!(input, worldOf());
      await writeFile(join(on.workspace, "notes.txt"), "else");
      expect(await readFault(on.run.apply(input, worldOf({ basis })))).toBe("permanent basis-changed");
      expect(await readFault(on.run.apply(input, worldOf()))).toBe("permanent basis-missing");
      expect(await readdir(on.workspace)).toEqual(["notes.txt"]);
    });

    it("[P8] reports a run that is stopped at its deadline as ambiguous", async () => {
      const stop = new AbortController();
      const ran = perform(on.run, toShellInput("touch began; echo ready; sleep 60"), {
        signal: stop.signal,
        progress: () => stop.abort(),
        call: "stopped-call",
      });
      expect(await readFault(ran)).toBe("ambiguous stopped");
      // A person can still restore the workspace after a review, because the snapshot's id is the call's id.
      await perform(on.restore, { snapshot: "stopped-call" });
      expect(await readdir(on.workspace)).toEqual(["notes.txt"]);
    });

    it("[P8] reports a run whose sandbox is killed as ambiguous", async () => {
      const children = () =>
        readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").filter(Boolean);
      const kill = () => {
        for (const pid of children())
          if (readFileSync(`/proc/${pid}/comm`, "utf8") === "bwrap\n") process.kill(Number(pid), "SIGKILL");
      };
      expect(await readFault(perform(on.run, toShellInput("echo ready; sleep 60"), { progress: kill }))).toBe(
        "ambiguous killed",
      );
    });

    it("[P8] does not start after its deadline", async () => {
      const late = { signal: AbortSignal.abort() };
      expect(await readFault(perform(on.run, toShellInput("touch began"), late))).toBe(
        "not-performed stopped",
      );
      expect(await readFault(perform(on.look, toShellInput("ls"), late))).toBe("not-performed not-started");
      expect(await readdir(on.workspace)).toEqual(["notes.txt"]);
    });

    it("refuses a workspace that exceeds `maxMb` or `maxEntries`", async () => {
      await using small = await createTerminalFixture({ maxMb: 1, maxEntries: 5 });
      const preview = () =>
        readFault(small.run.preview!(parseTestInput(small.run, toShellInput("")), worldOf()));
      await perform(small.run, toShellInput("mkdir -p a/b/c"));
      expect(await preview()).toBe("no fault");
      const output = await perform(small.run, toShellInput("head -c 1100000 /dev/zero > large"));
      expect(output).toMatchObject({
        exitCode: 0,
        changes: [],
        changesUnknown: expect.stringContaining("`maxMb`"),
      });
      expect(await preview()).toBe("permanent workspace-too-large");
      await writeFile(join(small.workspace, "large"), "");
      await Promise.all(["d", "e"].map((name) => writeFile(join(small.workspace, name), "")));
      expect(await preview()).toBe("permanent workspace-too-large");
    });

    it("refuses a workspace that contains Paraph's own folder", async () => {
      await perform(on.run, toShellInput("mkdir -p sub/.Paraph"));
      expect(await readFault(on.run.preview!(parseTestInput(on.run, toShellInput("")), worldOf()))).toBe(
        "permanent workspace-refused",
      );
    });
  });
});

describe.runIf(hasSandbox)("terminal.look", () => {
  it("is a read that cannot write to the workspace, use the network or see secrets", async () => {
    await using on = await createTerminalFixture({
      network: true,
      env: { MODE: "test", TOKEN: secretly("DEPLOY_TOKEN") },
    });
    await writeFile(join(on.workspace, "notes.txt"), "one");
    const before = snapshotWorkspace(on.workspace, true);
    const script = "cat notes.txt; touch new; rm notes.txt; echo $MODE:$TOKEN; cat /proc/net/dev | wc -l";
    const { stdout, exitCode } = await perform(on.look, toShellInput(script));
    expect([stdout.content, exitCode]).toEqual(["onetest:\n3\n", 0]);
    expect(snapshotWorkspace(on.workspace, true)).toBe(before);
    expect(on.look.contract).toMatchObject({ effect: "read", risk: "medium" });
    expect(await readFile(join(on.workspace, "notes.txt"), "utf8")).toBe("one");
  });
});
