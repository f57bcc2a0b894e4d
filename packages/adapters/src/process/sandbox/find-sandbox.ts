import { execa } from "execa";
import { findProgram, searchPath } from "../search-path.ts";
import { createSeccompFilter } from "./seccomp.ts";

export type SandboxStatus =
  | {
      readonly kind: "there";
      readonly version: string;
      readonly path: string;
      /** The filter that defines which system calls programs in the sandbox may make. */
      readonly filter: Buffer;
    }
  | { readonly kind: "missing"; readonly message: string };

let cachedStatus: Promise<SandboxStatus> | undefined;

/**
 * Reports whether this machine can sandbox programs. It keeps a positive result and repeats the detection after a
 * negative one.
 */
export async function findSandbox(): Promise<SandboxStatus> {
  cachedStatus ??= detectSandbox();
  const here = await cachedStatus;
  if (here.kind === "missing") cachedStatus = undefined;
  return here;
}

/**
 * Starts a sandbox to detect whether this machine supports one. Many systems have bubblewrap but forbid the operations
 * that it needs.
 */
export async function detectSandbox(folders = searchPath, arch?: string): Promise<SandboxStatus> {
  const path = process.platform === "linux" ? await findProgram("bwrap", folders) : undefined;
  if (path === undefined)
    return toMissing("No sandbox is available. Install bubblewrap 0.8 or newer on Linux.");
  const { stdout } = await execa(path, ["--version"], { ...bareOptions, stdin: "ignore" });
  const [version = "0", major = 0, minor = 0] = /(\d+)\.(\d+)[\d.]*/.exec(stdout) ?? [];
  if (Number(major) === 0 && Number(minor) < 8) {
    return toMissing("The installed bubblewrap is too old for the sandbox. Install bubblewrap 0.8 or newer.");
  }
  const filter = createSeccompFilter(arch);
  if (filter === undefined)
    return toMissing(
      "The sandbox has no system call filter for this processor. Run Paraph on x86-64 or AArch64.",
    );
  const { exitCode } = await execa(path, testArguments, {
    ...bareOptions,
    stdio: ["ignore", "pipe", "pipe", filter],
  });
  if (exitCode === 0) return { kind: "there", version, path, filter };
  return toMissing(
    "bubblewrap cannot create its namespaces. Allow unprivileged user namespaces, and use a kernel with seccomp.",
  );
}

/** The timeout is a limit for hangs. On a busy machine, a shorter one would report a working sandbox as missing. */
const bareOptions = { cwd: "/", extendEnv: false, reject: false, timeout: 30_000 } as const;

const testArguments = [
  ...[
    "--unshare-user",
    "--disable-userns",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-net",
  ],
  ...["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/proc"],
  ...["--seccomp", "3", "/usr/bin/true"],
];

function toMissing(message: string): SandboxStatus {
  return { kind: "missing", message };
}
