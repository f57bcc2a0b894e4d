import { lstat, readlink, realpath } from "node:fs/promises";
import { isAbsolute, normalize, sep } from "node:path";
import type { SandboxOptions } from "../command.ts";
import { type Launch, type ReadyLaunch, refuseLaunch } from "../launch.ts";
import { findSandbox } from "./find-sandbox.ts";
import { listKernelMasks } from "./kernel-files.ts";

/**
 * Runs the program through bubblewrap, so that the program sees only the named folders. Paraph passes the options in a
 * separate file. If they were on the command line, every user of the machine could read the environment. In
 * bubblewrap's own environment, a variable like `LD_PRELOAD` would act before the sandbox exists.
 */
export async function applySandbox(sandbox: SandboxOptions | undefined, launch: Launch): Promise<Launch> {
  if (launch.kind === "refused" || sandbox === undefined) return launch;
  const status = await findSandbox();
  if (status.kind === "missing") return refuseLaunch(status.message);
  const folders = await listFolders(sandbox);
  const wrong = folders.find(({ path, real }) => !canBeShown(path) || !canBeShown(real));
  if (wrong !== undefined)
    return refuseLaunch(
      `\`${wrong.path}\` cannot be part of a sandbox. Use an absolute path other than the root folder, and outside /proc, /dev and /sys.`,
    );
  const options = [
    ...listIsolationOptions(sandbox),
    ...(await listSystemOptions(sandbox)),
    ...(await withHiddenFolders(folders, sandbox)).flatMap(({ how, real, path }) =>
      how === "--tmpfs" ? [how, path] : [how, real, path],
    ),
    ...listInnerOptions(launch),
  ];
  return {
    kind: "ready",
    file: status.path,
    args: ["--args", "4", "--json-status-fd", "3", "--", launch.file, ...launch.args],
    cwd: "/",
    env: {},
    extraFiles: [
      Buffer.from(options.map((option) => `${option}\0`).join("")),
      passwdFile,
      groupFile,
      status.filter,
    ],
  };
}

/** Whether every sandbox contains the path, because it is inside a system folder. */
export function isSystemPath(path: string): boolean {
  return systemFolders.some((folder) => path.startsWith(folder + sep));
}

function listIsolationOptions({ network = false }: SandboxOptions): string[] {
  return [
    ...["--unshare-user", "--uid", nobodyId, "--gid", nobodyId, "--disable-userns", "--cap-drop", "ALL"],
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"],
    ...(network ? [] : ["--unshare-net"]),
    ...["--die-with-parent", "--new-session", "--seccomp", "7"],
  ];
}

/**
 * Lists the options for the system's programs and libraries. They include only the system settings that programs need
 * for linking, for trusting hosts and, with network access, for resolving names.
 */
async function listSystemOptions({ network = false }: SandboxOptions): Promise<string[]> {
  const roots = await Promise.all(systemFolders.map(toBindOptions));
  const settings = [...linkerFiles, ...certificatePaths, ...(network ? nameServiceFiles : [])];
  return [
    ...roots.flat(),
    ...settings.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--ro-bind-data", "5", "/etc/passwd", "--ro-bind-data", "6", "/etc/group"],
    ...[
      "--proc",
      "/proc",
      ...(await listKernelMasks()),
      "--dev",
      "/dev",
      "--size",
      `${maxTemporaryBytes}`,
      "--tmpfs",
      "/dev/shm",
    ],
    ...["--size", `${maxTemporaryBytes}`, "--tmpfs", "/tmp"],
  ];
}

/** Lists outer folders before inner ones, so that an inner folder can have other rights than the folder around it. */
async function listFolders({ read = [], write = [], home }: SandboxOptions) {
  const bound = [
    ...read.map((path) => ({ path, how: "--ro-bind" })),
    ...[...write, ...(home === undefined ? [] : [home])].map((path) => ({ path, how: "--bind" })),
  ];
  bound.sort((a, b) => measureDepth(a.path) - measureDepth(b.path));
  return Promise.all(
    bound.map(async ({ path, how }) => ({ path, how, real: await realpath(path).catch(() => path) })),
  );
}

type BoundFolder = Awaited<ReturnType<typeof listFolders>>[number];

/**
 * Adds the hidden folders wherever a visible folder contains them. A folder that the options name as visible stays
 * visible even inside a hidden folder.
 */
async function withHiddenFolders(
  folders: readonly BoundFolder[],
  { hidden = [] }: SandboxOptions,
): Promise<BoundFolder[]> {
  const places = await Promise.all(hidden.map((path) => realpath(path).catch(() => undefined)));
  const covered = places.flatMap((place) =>
    place === undefined
      ? []
      : folders
          .filter(({ real }) => place === real || place.startsWith(`${real}${sep}`))
          .map(({ path, real }) => ({ path: path + place.slice(real.length), how: "--tmpfs", real: place })),
  );
  return [...folders, ...covered].sort((a, b) => measureDepth(a.path) - measureDepth(b.path));
}

function measureDepth(path: string): number {
  return normalize(path).split(sep).filter(Boolean).length;
}

/**
 * Whether a sandbox may show the path. It may not show the whole machine, nor the folders that every sandbox creates
 * itself.
 */
function canBeShown(path: string): boolean {
  const plain = normalize(path);
  return (
    isAbsolute(path) && !path.split(sep).includes("..") && !/^\/(?:(?:proc|dev|sys)(?:\/.*)?)?$/.test(plain)
  );
}

/**
 * Lists the options that must come last, because a read-only root allows no further mount points. All of `/proc` is
 * read-only. Otherwise the kernel would let root's user id write settings there, regardless of the process's
 * capabilities.
 */
function listInnerOptions({ cwd, env }: ReadyLaunch): string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);
  const readOnly = ["/", "/dev", "/proc"].flatMap((path) => ["--remount-ro", path]);
  return [...readOnly, "--chdir", cwd, "--clearenv", ...variables];
}

/**
 * Returns the options to show a system folder. On most systems `/bin` is a link to `usr/bin`, and on some it is a
 * folder.
 */
async function toBindOptions(path: string): Promise<string[]> {
  try {
    const found = await lstat(path);
    return found.isSymbolicLink() ? ["--symlink", await readlink(path), path] : ["--ro-bind", path, path];
  } catch {
    return [];
  }
}

const nobodyId = "65534";
const maxTemporaryBytes = 256 * 1024 * 1024;
const systemFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const linkerFiles = [
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/alternatives",
  "/etc/localtime",
];
// The list names subfolders, because the folders around them also contain private keys.
const certificatePaths = [
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust/extracted",
];
const nameServiceFiles = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/services",
  "/etc/protocols",
];
const passwdFile = Buffer.from(`nobody:x:${nobodyId}:${nobodyId}:nobody:/tmp:/usr/sbin/nologin\n`);
const groupFile = Buffer.from(`nogroup:x:${nobodyId}:\n`);
