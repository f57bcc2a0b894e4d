/**
 * Returns the system call filter of the sandbox as a program for the kernel (`man 2 seccomp`). It denies the calls that
 * container runtimes deny: those that reach rarely used parts of the kernel, other processes, or new namespaces.
 */
export function createSeccompFilter(arch: string = process.arch): Buffer | undefined {
  const column = ["x64", "arm64"].indexOf(arch);
  if (column === -1) return undefined;
  const number = (name: keyof typeof checkedCalls) => checkedCalls[name][column]!;
  const denied = Object.values(deniedCalls).flatMap((numbers) => numbers[column] ?? []);
  return assemble([
    // Kills a program of another architecture, such as a 32-bit program. Its call numbers differ, so no rule below
    // would apply to it.
    load(archOffset),
    ...[jump(equal, auditArch[column]!, 1, 0), returnAction(killProcess)],
    load(numberOffset),
    // Rejects calls that are newer than these rules, and the x32 variants, whose numbers start at 0x40000000.
    ...[jump(atLeast, firstUnknownCall, 0, 1), returnAction(noSuchCall)],
    ...denied.flatMap((each) => [jump(equal, each, 0, 1), returnAction(notPermitted)]),
    // Rejects `clone3` and `openat2`, because the filter cannot read arguments that are in memory. C libraries then
    // fall back to `clone` and `openat`.
    ...[clone3, openat2].flatMap((call) => [jump(equal, call, 0, 1), returnAction(noSuchCall)]),
    ...[jump(equal, number("clone"), 0, 4), load(argumentOffset(0)), jump(anyBit, newNamespaces, 0, 1)],
    ...[returnAction(notPermitted), returnAction(allow)],
    ...[jump(equal, number("ioctl"), 0, 5), load(argumentOffset(1))],
    ...[
      jump(equal, tiocsti, 1, 0),
      jump(equal, tioclinux, 0, 1),
      returnAction(notPermitted),
      returnAction(allow),
    ],
    ...setIdCalls.flatMap(([numbers, mode]) => denySetId(numbers[column], mode)),
    ...allowOnlyValues(number("socket"), socketFamilies, noSuchFamily),
    ...allowOnlyValues(number("personality"), personalities, notPermitted),
    returnAction(allow),
  ]);
}

/**
 * Denies a call that would make a file run with the rights of its owner. Outside the sandbox, that owner is Paraph's
 * user. Every user of the machine could therefore run the file with the rights of Paraph's user.
 */
function denySetId(call: number | undefined, mode: number): Instruction[] {
  if (call === undefined) return [];
  return [
    ...[jump(equal, call, 0, 4), load(argumentOffset(mode)), jump(anyBit, setId, 0, 1)],
    ...[returnAction(notPermitted), returnAction(allow)],
  ];
}

/** Allows a call if its first argument is one of the values, and returns the error otherwise. */
function allowOnlyValues(call: number, values: readonly number[], otherwise: number): Instruction[] {
  const tests = values.map((value, index) => jump(equal, value, values.length - index, 0));
  return [
    jump(equal, call, 0, values.length + 3),
    load(argumentOffset(0)),
    ...tests,
    returnAction(otherwise),
    returnAction(allow),
  ];
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

function load(offset: number): Instruction {
  return [0x20, 0, 0, offset];
}

function jump(test: number, value: number, ifTrue: number, ifFalse: number): Instruction {
  return [test, ifTrue, ifFalse, value];
}

function returnAction(action: number): Instruction {
  return [0x06, 0, 0, action];
}

/** Encodes the program as `struct sock_filter`, which is little-endian on both architectures. */
function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}

/** Returns the offset of an argument's low half, because the kernel reads these arguments as 32-bit values. */
function argumentOffset(index: number): number {
  return 16 + 8 * index;
}

const [equal, atLeast, anyBit] = [0x15, 0x35, 0x45];
const [numberOffset, archOffset] = [0, 4];
const auditArch = [0xc000003e, 0xc00000b7];
const [allow, killProcess] = [0x7fff0000, 0x80000000];
const [notPermitted, noSuchCall, noSuchFamily] = [0x00050000 + 1, 0x00050000 + 38, 0x00050000 + 97];
const firstUnknownCall = 457;
const [clone3, openat2] = [435, 437];
const newNamespaces = 0x7e020000;
const [tiocsti, tioclinux] = [0x5412, 0x541c];
/**
 * The allowed socket families: Unix, IPv4, IPv6 and netlink. They exclude kernel cryptography, and also vsock, which
 * leads out of a virtual machine.
 */
const socketFamilies = [1, 2, 10, 16];
/**
 * The allowed personalities: Linux, 32-bit Linux, both with the old `uname`, and the value that queries the current
 * personality.
 */
const personalities = [0, 8, 0x20000, 0x20008, 0xffffffff];

/** The set-user-id and set-group-id bits of a file's mode. */
const setId = 0o6000;

/**
 * The calls that set a file's mode, with their numbers on x86-64 and AArch64 and the index of the mode argument. The
 * test uses this export.
 */
export const setIdCalls: readonly (readonly [numbers: readonly (number | undefined)[], mode: number])[] = [
  // chmod, fchmod, fchmodat, fchmodat2
  ...([
    [[90], 1],
    [[91, 52], 1],
    [[268, 53], 2],
    [[452, 452], 2],
  ] as const),
  // open, openat, creat, mknod, mknodat, mkdir, mkdirat
  ...([
    [[2], 2],
    [[257, 56], 3],
    [[85], 1],
    [[133], 1],
    [[259, 33], 2],
    [[83], 1],
    [[258, 34], 2],
  ] as const),
];

/** The call numbers on x86-64 and on AArch64. */
const checkedCalls = {
  clone: [56, 220],
  ioctl: [16, 29],
  socket: [41, 198],
  personality: [135, 92],
} as const;

/** The call numbers on x86-64 and on AArch64, or one number if AArch64 lacks the call. The test uses this export. */
export const deniedCalls: Readonly<Record<string, readonly number[]>> = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  create_module: [174],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  get_kernel_syms: [177],
  get_mempolicy: [239, 236],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioperm: [173],
  iopl: [172],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  mbind: [237, 235],
  migrate_pages: [256, 238],
  modify_ldt: [154],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  nfsservctl: [180, 42],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_madvise: [440, 440],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  query_module: [178],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  sysctl: [156],
  sysfs: [139],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134],
  userfaultfd: [323, 282],
  ustat: [136],
  vhangup: [153, 58],
};
