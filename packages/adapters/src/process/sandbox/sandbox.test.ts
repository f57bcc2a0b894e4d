import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, open, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { runProcess } from "../index.ts";
import {
  createScratchFolder,
  createShellCommand,
  createSleepDuration,
  hasSandbox,
  readOutput,
  type ScratchFolder,
  stopWhenReady,
  waitForRunning,
} from "../testing.ts";

const none = "0".repeat(16);

describe.runIf(hasSandbox)("[TRUST 18] a sandboxed process", () => {
  let folder: ScratchFolder;
  let work: string;
  let beside: string;
  const inside = (script: string, more: Parameters<typeof createShellCommand>[1] = {}) =>
    createShellCommand(script, { cwd: work, sandbox: { write: [work] }, ...more });

  beforeEach(async () => {
    folder = await createScratchFolder();
    [work, beside] = [join(folder.path, "work"), join(folder.path, "beside")];
    await Promise.all([mkdir(work), mkdir(beside)]);
    await writeFile(join(beside, "secret"), "canary");
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await folder[Symbol.asyncDispose]();
  });

  it("sees the named and system folders, and none of the machine's private files", async () => {
    const paths = [
      "/etc/shadow",
      "/root",
      "/home",
      "/var",
      "/run",
      "/etc/ssl/private",
      homedir(),
      process.cwd(),
    ];
    const script = [...paths, join(beside, "secret")]
      .map((path) => `[ -e '${path}' ] && echo '${path}'`)
      .join("; ");
    expect(await readOutput(inside(`${script}; ls`))).toBe("");
    expect((await readOutput(inside("ls /"))).split("\n").filter(Boolean)).toEqual(
      expect.arrayContaining(["bin", "dev", "etc", "proc", "tmp", "usr"]),
    );
  });

  it("writes only to folders named for writing, as the user who runs Paraph", async () => {
    const targets = ["/x", "/usr/x", "/etc/x", "/dev/x", join(beside, "x")];
    const script = targets.map((path) => `touch '${path}' 2>/dev/null && echo '${path}'`).join("; ");
    const sandbox = { write: [work], read: [beside] };
    expect(
      await readOutput(inside(`${script}; touch mine ../lost; cat '${beside}/secret'`, { sandbox })),
    ).toBe("canary");
    expect(await readdir(work)).toEqual(["mine"]);
    expect(await readdir(beside)).toEqual(["secret"]);
    expect(await readdir(folder.path)).toEqual(["beside", "work"]);
    expect((await stat(join(work, "mine"))).uid).toBe(process.getuid!());
  });

  it("can have read-only access to a folder inside a writable one", async () => {
    await mkdir(join(work, "kept"));
    const sandbox = { write: [work], read: [join(work, "kept")] };
    await runProcess(inside("touch kept/x; touch y", { sandbox }));
    expect([await readdir(work), await readdir(join(work, "kept"))]).toEqual([["kept", "y"], []]);
  });

  it("sees a hidden folder as empty under every path, except for folders named within it", async () => {
    const own = join(work, ".own");
    await mkdir(join(own, "home"), { recursive: true });
    await writeFile(join(own, "key"), "canary");
    await writeFile(join(own, "home", "mine"), "mine");
    await symlink(work, join(folder.path, "link"));
    const seen = (read: string) =>
      readOutput(
        createShellCommand(`find ${read}/.own`, {
          cwd: "/tmp",
          sandbox: { read: [read], hidden: [own, join(work, "absent")], home: join(own, "home") },
        }),
      );
    expect((await seen(work)).trim().split("\n").sort()).toEqual([
      own,
      join(own, "home"),
      join(own, "home", "mine"),
    ]);
    expect(await seen(join(folder.path, "link"))).not.toContain("key");
  });

  it("cannot follow a link to a folder that is not named", async () => {
    await symlink(beside, join(work, "way-out"));
    expect(await readOutput(inside("cat way-out/secret; echo x > way-out/x"))).toBe("");
    expect(await readdir(beside)).toEqual(["secret"]);
  });

  it("has private temporary files, and keeps its home folder if one is named", async () => {
    expect(
      await readOutput(inside("touch /tmp/trace && ls /tmp/trace && touch /dev/shm/x && echo $HOME")),
    ).toBe("/tmp/trace\n/tmp\n");
    expect(await readOutput(inside("ls /tmp/trace /dev/shm/* 2>/dev/null"))).toBe("");
    const home = join(folder.path, "home");
    await mkdir(home);
    await runProcess(inside("touch $HOME/kept", { sandbox: { write: [work], home } }));
    expect(await readdir(home)).toEqual(["kept"]);
  });

  it("has no privileges, cannot create a user namespace, and inherits none of Paraph's open files", async () => {
    const status = await readOutput(inside("grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status"));
    expect(status.match(/\d+$/gm)).toEqual([none, none, "1"]);
    expect(await runProcess(inside("unshare -U true"))).toMatchObject({ exitCode: 1 });
    await using ours = await open(join(beside, "secret"));
    const files = await readOutput(inside("ls -l /proc/self/fd"));
    expect(files).not.toContain("secret");
    expect(files).not.toMatch(new RegExp(` (?:[4-7]|${ours.fd}) ->`));
  });

  it("sees none of Paraph's processes", async () => {
    expect(
      await readOutput(inside(`[ -d /proc/${process.pid} ] && tr '\\0' ' ' < /proc/${process.pid}/cmdline`)),
    ).not.toContain("vitest");
    expect((await readOutput(inside("echo /proc/[0-9]*"))).split(" ").length).toBeLessThan(5);
  });

  it("reaches no network unless `network` is set", async () => {
    let seen = 0;
    const server = createServer((socket) => {
      seen++;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const knock = { ...inside(""), binary: "bash", args: ["-c", `exec 3<>/dev/tcp/127.0.0.1/${port}`] };
    expect(await runProcess(knock)).toMatchObject({ exitCode: 1 });
    expect(seen).toBe(0);
    expect(await runProcess({ ...knock, sandbox: { write: [work], network: true } })).toMatchObject({
      exitCode: 0,
    });
    await eventually(() => expect(seen).toBe(1));
    server.close();
  });

  it("[P10] inherits no environment variables, and those passed to it appear on no command line", async () => {
    vi.stubEnv("PARAPH_CANARY", "sings");
    const env = { GIVEN: "in-confidence" };
    expect((await readOutput(inside("env", { env }))).match(/^\w+(?==)/gm)!.sort()).toEqual([
      "GIVEN",
      "HOME",
      "LANG",
      "PATH",
      "PWD",
    ]);
    let line = "";
    const stop = new AbortController();
    await runProcess(
      inside("echo ready; sleep 60", {
        env,
        signal: stop.signal,
        onOutput: () => {
          const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
          line = children.map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8")).join("");
          stop.abort();
        },
      }),
    );
    expect(line).toContain("bwrap");
    expect(line).not.toContain("in-confidence");
  });

  it("has an environment that takes effect only inside the sandbox", async () => {
    // The linker prints one error for each program for which it cannot preload a library. Bubblewrap must not cause
    // such an error.
    const { stderr } = await runProcess(
      inside("exit 0", { env: { LD_PRELOAD: "/no/such.so", LD_DEBUG_OUTPUT: `${work}/x` } }),
    );
    expect(stderr.toString().match(/\/no\/such\.so/g)).toHaveLength(1);
  });

  it("[P15] leaves no daemon behind, neither at its deadline nor after its own exit", async () => {
    const sleep = createSleepDuration();
    const daemon = `(setsid sh -c 'trap "" TERM HUP; touch here; sleep ${sleep}; :' </dev/null >/dev/null 2>&1 &)`;
    const up = `${daemon}; until [ -e here ]; do sleep 0.01; done`;
    expect(await stopWhenReady(inside(`${up}; echo ready; sleep ${sleep}`))).toMatchObject({
      end: "stopped",
    });
    await waitForRunning(sleep, 0);
    expect(await runProcess(inside(up))).toMatchObject({ exitCode: 0 });
    await waitForRunning(sleep, 0);
  });

  it("reports its exit code unchanged, and a signal as a shell does", async () => {
    expect(await runProcess(inside("exit 7"))).toMatchObject({ exitCode: 7, end: "exited" });
    expect(await runProcess(inside("kill -9 $$"))).toMatchObject({ exitCode: 137, end: "exited" });
  });

  it("[P8] that could not start is reported as not started, with the reason, and has no effect", async () => {
    const why = async (more: Parameters<typeof createShellCommand>[1]) => {
      const ran = await runProcess(inside("touch began", more));
      return `${ran.end}: ${ran.message}`;
    };
    expect(await why({ cwd: beside })).toMatch(/^not-started: .*chdir/);
    expect(await why({ sandbox: { write: [work, join(folder.path, "missing")] } })).toMatch(
      /^not-started: .*missing/,
    );
    await symlink("/", join(folder.path, "round"));
    for (const path of [
      "/",
      "//",
      "/./",
      join(folder.path, "round"),
      "/proc",
      "/proc/self/root",
      "/dev/shm",
      "/sys",
      "relative",
      `${work}/../beside`,
    ])
      expect(await why({ sandbox: { write: [path] } })).toMatch(
        /^not-started: .* cannot be part of a sandbox/,
      );
    expect(await why({ sandbox: { write: [`${work}\0--bind\0/\0/`] } })).toMatch(/^not-started: .*NUL/);
    expect(await why({ sandbox: { write: [work] }, binary: join(beside, "secret") })).toMatch(/^not-started/);
    expect(await readdir(work)).toEqual([]);
  });

  it("leaves no open file after twenty runs", async () => {
    const openFiles = () => readdir("/proc/self/fd").then((names) => names.length);
    const before = await openFiles();
    await Promise.all(Array.from({ length: 20 }, () => runProcess(inside("cat", { stdin: "x" }))));
    await eventually(async () => expect(await openFiles()).toBeLessThanOrEqual(before));
  });
});
