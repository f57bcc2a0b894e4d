import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createScratchFolder,
  createShellCommand,
  hasSandbox,
  readOutput,
  type ScratchFolder,
} from "../testing.ts";
import { deniedCalls } from "./seccomp.ts";

const perlIsHere = (await readOutput(createShellCommand("perl -e 'print 1'"))) === "1";
const column = process.arch === "x64" ? 0 : 1;

describe.runIf(hasSandbox)("[TRUST 18] the sandbox restricts access to the kernel", () => {
  let folder: ScratchFolder;
  let work: string;
  const inside = (script: string, more: Parameters<typeof createShellCommand>[1] = {}) =>
    createShellCommand(script, { cwd: work, sandbox: { write: [work] }, ...more });
  /** Opening a file for appending shows whether it is writable, without writing anything. */
  const opens = (files: string) =>
    inside(`for f in ${files}; do [ -f "$f" ] && (: >> "$f") 2>/dev/null && echo "$f"; done; echo end`);

  beforeEach(async () => {
    folder = await createScratchFolder();
    work = join(folder.path, "work");
    await mkdir(work);
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  it("a program cannot open kernel settings for writing, even as root", async () => {
    const settings = ["core_pattern", "modprobe", "domainname", "hostname"].map(
      (name) => `/proc/sys/kernel/${name}`,
    );
    const others = ["/proc/sys/vm/overcommit_memory", "/proc/sys/fs/file-max", "/proc/sysrq-trigger"];
    expect(await readOutput(opens([...settings, ...others].join(" ")))).toBe("end\n");
    expect(await readOutput(opens("$(find /proc -type f 2>/dev/null)"))).toBe("end\n");
    // The read-only file system prevents the write. Permissions would not, because root's user id outside the sandbox
    // has them.
    expect(await readOutput(inside("exec 2>&1; : >> /proc/sys/kernel/domainname"))).toContain("Read-only");
    expect(await readOutput(inside("ls -d /sys 2>/dev/null"))).toBe("");
  });

  it("a program cannot read files that only root may read or that container runtimes hide", async () => {
    const read = (path: string) => inside(`cat ${path} 2>/dev/null | head -c 1; ls -A ${path} 2>/dev/null`);
    for (const name of ["kcore", "kmsg", "slabinfo", "kpagecount", "timer_list", "keys", "interrupts"]) {
      expect(await readOutput(read(`/proc/${name}`))).toMatch(new RegExp(`^(?:/proc/${name}\n)?$`));
    }
    for (const name of ["acpi", "bus", "fs", "irq"]) expect(await readOutput(read(`/proc/${name}`))).toBe("");
    // The files that programs need are readable.
    const needed = "cat /proc/meminfo /proc/cpuinfo /proc/self/status /proc/sys/kernel/ostype /proc/loadavg";
    expect(await readOutput(inside(`${needed} >/dev/null && echo all`))).toBe("all\n");
  });

  it.runIf(perlIsHere)("a program cannot make system calls that container runtimes deny", async () => {
    // Without the filter, each of these calls fails with another error or does not fail at all.
    const names = ["keyctl", "ptrace", "unshare", "setns", "io_uring_setup", "perf_event_open", "kcmp"];
    const numbers = names.map((name) => deniedCalls[name]![column]);
    const script = `for (${numbers.join(",")}) { syscall($_, 0, -1, 0, 0, 0, 0) == -1 and print $!+0, " " }`;
    const result = await readOutput({ ...inside(""), binary: "perl", args: ["-e", script] });
    expect(result.trim().split(" ")).toEqual(names.map(() => "1"));
    expect(await readOutput(inside("grep -E '^Seccomp:' /proc/self/status"))).toBe("Seccomp:\t2\n");
  });

  it.runIf(perlIsHere)(
    "a program cannot create namespaces, make unknown system calls or type into a terminal",
    async () => {
      const [clone, ioctl] = column === 0 ? [56, 16] : [220, 29];
      const script = `
      $r = syscall(${clone}, 0x10000011, 0, 0, 0, 0); if ($r == 0) { exit } print $r == -1 ? $!+0 : "made", " ";
      syscall(435, 0, 0) == -1 and print $!+0, " ";
      syscall(460, 0, 0) == -1 and print $!+0, " ";
      syscall(0x40000000 + 39) == -1 and print $!+0, " ";
      syscall(${ioctl}, 0, 0x5412, 0) == -1 and print $!+0, " ";
      socket($s, 40, 1, 0) or print $!+0, " ";
      socket($s, 1, 1, 0) and print "unix ";
      print fork() == 0 ? exit : "forked";`;
      const result = await readOutput({ ...inside(""), binary: "perl", args: ["-e", script] });
      expect(result).toBe("1 38 38 38 1 97 unix forked");
    },
  );

  it("a program cannot set setuid or setgid bits, because Paraph's user owns its files outside", async () => {
    const script = `cp /bin/sh sh; for mode in 4755 2755 6755; do chmod $mode sh 2>/dev/null; done
      mkdir -m 2755 folder 2>/dev/null; chmod 755 sh; find . -perm /6000; ls -l sh | cut -c 1-10`;
    expect(await readOutput(inside(script))).toBe("-rwxr-xr-x\n");
  });
});
