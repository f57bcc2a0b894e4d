import { readdirSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { runProcess } from "./index.ts";
import {
  createScratchFolder,
  createShellCommand,
  createSleepDuration,
  listRunning,
  readOutput,
  type ScratchFolder,
  stopWhenReady,
  waitForRunning,
} from "./testing.ts";

let folder: ScratchFolder;
beforeEach(async () => {
  folder = await createScratchFolder();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await folder[Symbol.asyncDispose]();
});

describe("a program that Paraph runs", () => {
  it("[TRUST 18] receives its arguments unchanged, without a shell", async () => {
    const args = ["$(touch x)", "`id`", "; id", "a b", "", "*", "'", '"', "\n", "--", "é💥"];
    const ran = await runProcess({
      ...createShellCommand(""),
      binary: "printf",
      args: ["%s\\0", ...args],
      cwd: folder.path,
    });
    expect(ran.stdout.toString("utf8").split("\0").slice(0, -1)).toEqual(args);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("[P10] inherits none of Paraph's environment variables", async () => {
    vi.stubEnv("PARAPH_CANARY", "sings");
    const names = (await readOutput(createShellCommand("env"))).match(/^\w+(?==)/gm)!.sort();
    expect(names).toEqual(["HOME", "LANG", "PATH", "PWD"]);
  });

  it("receives the environment of the command, which overrides Paraph's defaults", async () => {
    expect(await readOutput(createShellCommand("echo $HOME $MINE", { env: { HOME: "/h", MINE: "m" } }))).toBe(
      "/h m\n",
    );
  });

  it("reads the stdin of the command, or an empty stdin", async () => {
    expect(await readOutput(createShellCommand("cat", { stdin: "text" }))).toBe("text");
    expect(await readOutput(createShellCommand("od -An -tx1", { stdin: Uint8Array.of(0, 255) }))).toBe(
      " 00 ff\n",
    );
    expect(await readOutput(createShellCommand("cat; echo end"))).toBe("end\n");
  });

  it("may exit without reading its stdin", async () => {
    expect(await runProcess(createShellCommand("exit 3", { stdin: "x".repeat(1_000_000) }))).toMatchObject({
      exitCode: 3,
      end: "exited",
    });
  });
});

describe("the lookup of a program", () => {
  it("[TRUST 18] never finds a program in the working folder, except by its absolute path", async () => {
    await writeFile(join(folder.path, "planted"), "#!/bin/sh\ntouch here\n");
    await chmod(join(folder.path, "planted"), 0o755);
    vi.stubEnv("PATH", `${folder.path}:.:${process.env.PATH}`);
    for (const binary of ["planted", "./planted", ".", "..", ""]) {
      expect(
        await runProcess({ ...createShellCommand(""), binary, args: [], cwd: folder.path }),
      ).toMatchObject({
        end: "not-started",
      });
    }
    expect(readdirSync(folder.path)).toEqual(["planted"]);
    expect(
      await runProcess({ ...createShellCommand(""), binary: join(folder.path, "planted"), cwd: folder.path }),
    ).toMatchObject({
      exitCode: 0,
    });
  });

  it("[P9] reports why a program did not start, and never throws", async () => {
    expect(await runProcess(createShellCommand("", { cwd: join(folder.path, "missing") }))).toMatchObject({
      end: "not-started",
      exitCode: undefined,
      message: expect.stringContaining("ENOENT"),
    });
    const long = Array.from({ length: 40 }, () => "x".repeat(100_000));
    expect((await runProcess({ ...createShellCommand(""), args: long })).message).toContain("E2BIG");
    expect((await runProcess({ ...createShellCommand(""), binary: "no-such-program" })).message).toContain(
      "`no-such-program`",
    );
    expect((await runProcess(createShellCommand("", { signal: AbortSignal.abort() }))).end).toBe(
      "not-started",
    );
    expect((await runProcess({ ...createShellCommand(""), args: ["a\0b"] })).end).toBe("not-started");
    expect((await runProcess(createShellCommand("", { env: { A: "b\0c" } }))).end).toBe("not-started");
    expect((await runProcess(createShellCommand("", { env: { "A=B": "c" } }))).end).toBe("not-started");
  });
});

describe("the end of a program", () => {
  it("has the exit code, or the signal that killed the program", async () => {
    expect(await runProcess(createShellCommand("exit 7"))).toMatchObject({
      exitCode: 7,
      signal: undefined,
      end: "exited",
    });
    expect(await runProcess(createShellCommand("kill -SEGV $$"))).toMatchObject({
      exitCode: undefined,
      signal: "SIGSEGV",
      end: "exited",
    });
  });

  it("[P15] the abort signal stops the program and its children", async () => {
    const sleep = createSleepDuration();
    const ran = await stopWhenReady(createShellCommand(`sleep ${sleep} & sleep ${sleep} & echo ready; wait`));
    expect(ran).toMatchObject({ end: "stopped", exitCode: undefined, signal: "SIGTERM" });
    await waitForRunning(sleep, 0);
  });

  it("[P15] the program's own timeout stops the program and its children", async () => {
    const sleep = createSleepDuration();
    expect(await runProcess(createShellCommand(`sleep ${sleep}; :`, { timeoutMs: 100 }))).toMatchObject({
      end: "timed-out",
    });
    await waitForRunning(sleep, 0);
  });

  it("[P15] a program that ignores SIGTERM is killed with SIGKILL", async () => {
    const sleep = createSleepDuration();
    const ran = await stopWhenReady(
      createShellCommand(`trap '' TERM; sleep ${sleep} & echo ready; wait; wait`),
    );
    expect(ran).toMatchObject({ end: "stopped", signal: "SIGKILL" });
    await waitForRunning(sleep, 0);
  });

  it("[P15] a child that ignores SIGTERM is killed, even if its parent obeys", async () => {
    const sleep = createSleepDuration();
    const deaf = `sh -c 'trap "" TERM; echo ready; sleep ${sleep}; sleep ${sleep}'`;
    const ran = await stopWhenReady(createShellCommand(`${deaf} & wait`));
    expect(ran.signal).toBe("SIGTERM");
    await waitForRunning(sleep, 0);
  });

  it.runIf(process.platform === "linux")("[P15] a child in its own session is stopped too", async () => {
    const sleep = createSleepDuration();
    const ran = await stopWhenReady(createShellCommand(`setsid -w sh -c 'echo ready; sleep ${sleep}; :'; :`));
    expect(ran.end).toBe("stopped");
    await waitForRunning(sleep, 0);
  });

  it("processes left in the program's group end with it, and Paraph does not wait for them", async () => {
    const sleep = createSleepDuration();
    const ran = await runProcess(createShellCommand(`sleep ${sleep} & echo done`));
    expect(ran).toMatchObject({ exitCode: 0, end: "exited" });
    await waitForRunning(sleep, 0);
  });

  it("Paraph does not wait for a pipe that a detached process holds", async () => {
    const sleep = createSleepDuration();
    const stray = `setsid sh -c 'touch here; exec sleep ${sleep}' &`;
    const script = `${stray} until [ -e here ]; do sleep 0.01; done; echo done`;
    const ran = await runProcess(createShellCommand(script, { cwd: folder.path }));
    try {
      expect(ran).toMatchObject({ exitCode: 0, end: "exited" });
      expect(ran.stdout.toString()).toBe("done\n");
      // This is the limitation in docs/adapters/processes.md: outside a sandbox a daemon survives.
      await waitForRunning(sleep, 1);
    } finally {
      for (const pid of listRunning(sleep)) process.kill(pid, "SIGKILL");
    }
  });
});

describe("the output of a program", () => {
  it("is truncated at the limit, and the program continues", async () => {
    const ran = await runProcess(
      createShellCommand("head -c 100000 /dev/zero; echo e >&2; exit 4", { maxOutputBytes: 10 }),
    );
    expect(ran).toMatchObject({ exitCode: 4, truncated: true, end: "exited" });
    expect([ran.stdout.length, ran.stderr.toString()]).toEqual([10, "e\n"]);
    expect(await runProcess(createShellCommand("printf 0123456789", { maxOutputBytes: 10 }))).toMatchObject({
      truncated: false,
    });
  });

  it("stops the program at the limit if `whenTooMuch` is `stop`", async () => {
    const ran = await runProcess(createShellCommand("yes", { maxOutputBytes: 1_000, whenTooMuch: "stop" }));
    expect(ran).toMatchObject({ end: "too-much-output", truncated: true });
    expect(ran.stdout).toHaveLength(1_000);
  });

  it("is passed to `onOutput` as it arrives, in whole characters", async () => {
    const heard: [string, string][] = [];
    const script = "printf '\\303'; sleep 0.05; printf '\\251'; echo wrong >&2";
    const ran = await runProcess(
      createShellCommand(script, { onOutput: (chunk, stream) => heard.push([stream, chunk]) }),
    );
    expect(heard.filter(([stream]) => stream === "stdout")).toEqual([["stdout", "é"]]);
    expect(heard).toContainEqual(["stderr", "wrong\n"]);
    expect(ran.stdout).toEqual(Buffer.from("é"));
  });
});

it("[P9] an `onOutput` callback that throws does not stop the program", async () => {
  const onOutput = () => {
    throw new Error("not now");
  };
  expect(await runProcess(createShellCommand("echo a; echo b >&2", { onOutput }))).toMatchObject({
    exitCode: 0,
    end: "exited",
  });
});

it("a hundred runs leave no process and no open file", async () => {
  const openFiles = () => readdirSync("/proc/self/fd").length;
  await runProcess(createShellCommand(""));
  const before = openFiles();
  const sleep = createSleepDuration();
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      Array.from({ length: 10 }, () =>
        runProcess(createShellCommand(`sleep ${sleep} & cat`, { stdin: "x" })),
      ),
    );
  }
  await waitForRunning(sleep, 0);
  await eventually(() => expect(openFiles()).toBeLessThanOrEqual(before));
});
