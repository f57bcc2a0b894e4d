import { expect, it } from "vitest";
import { hasSandbox } from "../testing.ts";
import { detectSandbox } from "./find-sandbox.ts";
import { createSeccompFilter, deniedCalls, setIdCalls } from "./seccomp.ts";

const allowed = "allowed";
const [denied, noSuchCall, noSuchFamily] = [1, 38, 97];

/**
 * Runs a filter over `struct seccomp_data` as the kernel would. It supports only the four kinds of instruction that
 * these filters use.
 */
function ruling(program: Buffer, arch: number, call: number, args: readonly number[] = []): unknown {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(arch, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + index * 8);
  let loaded = 0;
  for (let at = 0; ; at += 8) {
    const [code, value] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    const skip = (holds: boolean) => 8 * program.readUInt8(at + (holds ? 2 : 3));
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else if (code === 0x15) at += skip(loaded === value);
    else if (code === 0x35) at += skip(loaded >= value);
    else if (code === 0x45) at += skip((loaded & value) !== 0);
    else if (code === 0x06) return meaning(value);
    else throw new Error(`There is no instruction ${code}.`);
  }
}

function meaning(action: number): unknown {
  if (action === 0x7fff0000) return allowed;
  return action === 0x80000000 ? "killed" : action & 0xffff;
}

const machines = {
  x64: { arch: 0xc000003e, column: 0, clone: 56, ioctl: 16, socket: 41, personality: 135 },
  arm64: { arch: 0xc00000b7, column: 1, clone: 220, ioctl: 29, socket: 198, personality: 92 },
};

it.each(Object.entries(machines))(
  "[TRUST 18] on %s the filter denies exactly the system calls and arguments that it lists, and unknown calls",
  (name, m) => {
    const program = createSeccompFilter(name)!;
    const on = (call: number, ...args: number[]) => ruling(program, m.arch, call, args);
    const numbers = Object.values(deniedCalls).flatMap((all) => all[m.column] ?? []);
    for (const call of numbers) expect(on(call)).toBe(denied);
    const special = [m.clone, m.ioctl, m.socket, m.personality, 435, 437];
    for (let call = 0; call < 457; call++) {
      if (!numbers.includes(call) && !special.includes(call))
        expect([call, on(call)]).toEqual([call, allowed]);
    }
    for (const call of [435, 437, 457, 500, 0x40000000, 0x40000000 + m.clone, 0xffffffff])
      expect(on(call)).toBe(noSuchCall);
    // The first flags are those of a fork and of a thread in C libraries. The next flags are one bit for each
    // namespace.
    for (const flags of [0x01200011, 0x003d0f00]) expect(on(m.clone, flags)).toBe(allowed);
    for (const bit of [17, 25, 26, 27, 28, 29, 30]) expect(on(m.clone, 2 ** bit + 17)).toBe(denied);
    for (const [numbers, mode] of setIdCalls) {
      const call = numbers[m.column];
      if (call === undefined) continue;
      const withMode = (bits: number) => on(call, ...Array(mode).fill(0o7777), bits);
      expect([0o777, 0o1777, 0o4755, 0o2755, 0o6000].map(withMode)).toEqual([
        ...[allowed, allowed],
        ...[denied, denied, denied],
      ]);
    }
    expect([0x5401, 0x5412, 0x541c].map((request) => on(m.ioctl, 0, request))).toEqual([
      allowed,
      denied,
      denied,
    ]);
    // The kernel ignores the upper half of a request, so the upper half must not hide a denied request.
    expect(on(m.ioctl, 0, 2 ** 40 + 0x5412)).toBe(denied);
    expect([1, 2, 10, 16].map((family) => on(m.socket, family))).toEqual(Array(4).fill(allowed));
    expect([0, 17, 38, 40, 44].map((family) => on(m.socket, family))).toEqual(Array(5).fill(noSuchFamily));
    expect([0, 8, 0xffffffff, 0x40000].map((persona) => on(m.personality, persona))).toEqual([
      ...Array(3).fill(allowed),
      denied,
    ]);
  },
);

it("[TRUST 18] the filter kills a program of another architecture, because its system call numbers differ", () => {
  for (const name of ["x64", "arm64"]) {
    for (const foreign of [0x40000003, 0x40000028, 0, name === "x64" ? 0xc00000b7 : 0xc000003e])
      expect(ruling(createSeccompFilter(name)!, foreign, 39)).toBe("killed");
  }
});

it.runIf(hasSandbox)(
  "[TRUST 18] the sandbox is missing on a processor architecture without a filter",
  async () => {
    expect(createSeccompFilter("riscv64")).toBeUndefined();
    expect(await detectSandbox(undefined, "riscv64")).toMatchObject({
      kind: "missing",
      message: expect.stringContaining("x86-64 or AArch64"),
    });
  },
);
