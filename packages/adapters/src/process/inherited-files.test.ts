import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createScratchFolder, hasSandbox } from "./testing.ts";

it.runIf(process.platform === "linux").each(["undefined", ...(hasSandbox ? ["{}"] : [])])(
  "[TRUST 18] a program cannot write to open files that Paraph inherited (sandbox: %s)",
  async (sandbox) => {
    await using folder = await createScratchFolder();
    const log = join(folder.path, "supervisor.log");
    await writeFile(log, "");
    const program = `
      import { runProcess } from ${JSON.stringify(fileURLToPath(new URL("./run.ts", import.meta.url)))};
      const script = "for file in /proc/self/fd/*; do case $file in */[0-2]) ;; *) (echo forged > $file) 2>/dev/null;; esac; done; echo ran";
      const signal = new AbortController().signal;
      const { stdout } = await runProcess({ binary: "sh", args: ["-c", script], cwd: "/", signal, sandbox: ${sandbox} });
      process.stdout.write(stdout);`;
    const open = openSync(log, "a");
    // Node itself closes only low numbers, up to the first gap after 15.
    const kept = Array.from({ length: 60 }, (_, index) => ([0, 6, 37, 59].includes(index) ? open : "ignore"));
    const ours = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
      stdio: ["ignore", "pipe", "inherit", ...(kept as "ignore"[])],
    });
    const [said] = await Promise.all([text(ours.stdout!), once(ours, "exit")]);
    expect(said).toBe("ran\n");
    expect(await readFile(log, "utf8")).toBe("");
  },
);
