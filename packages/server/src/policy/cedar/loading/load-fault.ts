/** A fault that prevents a policy set from loading, and its place in the source. */
export interface LoadFault {
  readonly file: string;
  /** The line of the fault in the file. Undefined if the fault is in an option. */
  readonly line?: number;
  readonly sentence: string;
}

/** [P11] The error for a policy set with faults. Paraph loads no part of such a set. The message lists every fault. */
export class PolicyLoadError extends Error {
  override readonly name = "PolicyLoadError";
  readonly code = "policy-invalid";
  readonly faults: readonly LoadFault[];

  constructor(faults: readonly LoadFault[]) {
    const list = faults.map((fault) => `\n  - ${formatFaultPlace(fault)}: ${fault.sentence}`).join("");
    super(`The policies could not be loaded. Fix these faults and load them again:${list}`);
    this.faults = faults;
  }
}

function formatFaultPlace({ file, line }: LoadFault): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** Converts Cedar's offset in UTF-8 bytes into a line number, counted from 1. */
export function toLineNumber(text: string, byteOffset: number): number {
  const before = new TextEncoder().encode(text).subarray(0, byteOffset);
  return 1 + before.reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 0);
}
