/** One thing that keeps a set from being loaded, and where its author finds it. */
export interface LoadFault {
  readonly file: string;
  /** Absent where the fault is in an option, not in a text. */
  readonly line?: number;
  readonly sentence: string;
}

/** [P11] A set with any fault is not loaded at all; every fault is in the one message. */
export class PolicyLoadError extends Error {
  override readonly name = "PolicyLoadError";
  readonly code = "policy-invalid";
  readonly faults: readonly LoadFault[];

  constructor(faults: readonly LoadFault[]) {
    const list = faults.map((fault) => `\n  - ${formatFaultPlace(fault)}: ${fault.sentence}`).join("");
    super(`The policies were not loaded; mend these and load again:${list}`);
    this.faults = faults;
  }
}

function formatFaultPlace({ file, line }: LoadFault): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** Cedar counts bytes of UTF-8, people count lines from 1. */
export function toLineNumber(text: string, byteOffset: number): number {
  const before = new TextEncoder().encode(text).subarray(0, byteOffset);
  return 1 + before.reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 0);
}
