import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProcessLimits } from "./index.ts";
import { runProcess } from "./index.ts";
import { applyLimits } from "./limits.ts";
import { createScratchFolder, createShellCommand, hasSandbox, type ScratchFolder } from "./testing.ts";

let folder: ScratchFolder;
beforeEach(async () => {
  folder = await createScratchFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const root = process.getuid?.() === 0;

it.each([false, true].filter((shut) => !shut || hasSandbox))(
  "[TRUST 25] a program without limits of its own is held to the defaults, sandbox: %s",
  async (shut) => {
    const script = "prlimit --raw --noheadings -o SOFT,HARD --data --fsize --nofile --core";
    const ran = await runProcess(
      createShellCommand(script, { cwd: folder.path, ...(shut && { sandbox: { write: [folder.path] } }) }),
    );
    const bytes = 4_096 * 1024 * 1024;
    const held = ran.stdout.toString().trim().split("\n").sort();
    expect(held).toEqual([`${bytes} ${bytes}`, `${bytes} ${bytes}`, "1024 1024", "0 0"].sort());
  },
);

describe.each([false, true].filter((shut) => !shut || hasSandbox))(
  "[TRUST 24] limits, sandbox: %s",
  (shut) => {
    const within = (script: string, limits: ProcessLimits) =>
      runProcess(
        createShellCommand(script, {
          cwd: folder.path,
          limits,
          ...(shut && { sandbox: { write: [folder.path] } }),
        }),
      );

    it("restrict memory", async () => {
      const hog = "head -c 80000000 /dev/zero | tail -c 60000000 | wc -c";
      expect((await within(hog, { memoryMb: 32 })).stdout.toString().trim()).toBe("0");
      expect((await within(hog, { memoryMb: 256 })).stdout.toString().trim()).toBe("60000000");
    });

    it("restrict the size of a file", async () => {
      const ran = await within("head -c 3000000 /dev/zero > large; true", { fileMb: 1 });
      expect(ran.end).toBe("exited");
      expect((await stat(join(folder.path, "large"))).size).toBe(1024 * 1024);
    });

    it("restrict open files and CPU time", async () => {
      const ran = await within("ulimit -n; ulimit -t; ulimit -c", { openFiles: 32, cpuSeconds: 7 });
      expect(ran.stdout.toString()).toBe("32\n7\n0\n");
      expect(await within("exec 9<&0; exec 8<&0", { openFiles: 8 })).not.toMatchObject({ exitCode: 0 });
    });

    it.runIf(!root)("restrict the number of processes", async () => {
      const ran = await within("for i in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait", { processes: 4 });
      expect(ran).not.toMatchObject({ exitCode: 0 });
    });
  },
);

it("[P11] a limit that cannot be enforced is refused, never ignored", async () => {
  const message = async (limits: ProcessLimits) =>
    (await runProcess(createShellCommand("", { limits }))).message ?? "";
  expect(await message({ memoryMb: 0 })).toContain("`memoryMb`");
  expect(await message({ cpuSeconds: 1.5 })).toContain("`cpuSeconds`");
  if (root) expect(await message({ processes: 10 })).toContain("root");
  const launch = { kind: "ready", file: "/bin/true", args: [], cwd: "/", env: {} } as const;
  expect(await applyLimits({ memoryMb: 1 }, launch, [folder.path])).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("util-linux"),
  });
});
