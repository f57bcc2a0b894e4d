import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Capability } from "@paraph/core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hasSandbox } from "../process/testing.ts";
import { openTerminal } from "./testing.ts";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "paraph-terminal-")));
  await mkdir(join(folder, "config", "work"), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const opened = async (configured: Parameters<typeof openTerminal>[1]) => {
  try {
    return (await openTerminal(join(folder, "config"), configured)).capabilities();
  } catch (error) {
    return (error as Error).message;
  }
};

it.runIf(hasSandbox)("offers run, look and restore", async () => {
  const capabilities = (await opened({ workspace: "work" })) as readonly Capability[];
  expect(capabilities.map(({ contract }) => contract.name)).toEqual([
    "shell.run",
    "shell.look",
    "shell.restore",
  ]);
});

it("[TRUST 18] does not open as root unless the configuration allows it", async () => {
  const asUser = (uid: number) => vi.spyOn(process, "getuid").mockReturnValue(uid);
  const trouble = (configured: Parameters<typeof openTerminal>[1]) =>
    openTerminal(join(folder, "config"), configured).then(
      () => undefined,
      (error) => ({ code: error.code, message: error.message }),
    );
  try {
    asUser(0);
    const refused = await trouble({ workspace: "work", allowRoot: false });
    expect(refused).toEqual({
      code: "adapter-as-root",
      message: expect.stringContaining("`allowRoot: true`"),
    });
    if (hasSandbox) expect(await trouble({ workspace: "work", allowRoot: true })).toBeUndefined();
    asUser(1_000);
    if (hasSandbox) expect(await trouble({ workspace: "work", allowRoot: false })).toBeUndefined();
  } finally {
    vi.restoreAllMocks();
  }
});

it.each([
  [{ workspace: "missing" }, "not a folder"],
  [{ workspace: "." }, "contains the configuration"],
  [{ workspace: ".." }, "contains the configuration"],
  [{ workspace: "/" }, "contains the configuration"],
  [{ workspace: "round" }, "contains the configuration"],
  [{ workspace: ".paraph/in" }, "Paraph's own folder"],
  [{ workspace: "work", read: ["../config"] }, "contains the configuration"],
  [
    { workspace: "work", snapshots: { folder: "work/kept" } },
    "the folder of the snapshots is inside a folder that programs can read",
  ],
  [{ workspace: "work", timeout: "1h" }, "at most 9 minutes"],
  [{ workspace: "work", timeout: "soon" }, "not a duration"],
  [{ workspace: "work", limits: { memoryMb: 0 } }, "limits.memoryMb"],
  [{ workspace: "work", env: { "A=B": "c" } }, "env"],
  [{ workspace: "work", shell: true }, "shell"],
] as const)("[P11] %j does not open: %s", async (configured, message) => {
  await mkdir(join(folder, "config", ".paraph", "in"), { recursive: true });
  await symlink(folder, join(folder, "config", "round"));
  expect(await opened(configured as never)).toContain(message);
});

it.runIf(hasSandbox)(
  "rejects unusable limits when it opens, and reports degraded health without its workspace",
  async () => {
    // No program runs within this limit, because the linker alone needs more.
    expect(await opened({ workspace: "work", limits: { openFiles: 1 } })).toContain("limits are not too low");
    if (process.getuid?.() === 0) {
      expect(await opened({ workspace: "work", limits: { processes: 10 } })).toContain("root");
    }
    const adapter = await openTerminal(join(folder, "config"), { workspace: "work" });
    expect(await adapter.health!(AbortSignal.timeout(60_000))).toEqual({ kind: "well" });
    await rm(join(folder, "config", "work"), { recursive: true });
    expect(await adapter.health!(AbortSignal.timeout(60_000))).toMatchObject({
      kind: "degraded",
      code: "sandbox-missing",
    });
  },
);
