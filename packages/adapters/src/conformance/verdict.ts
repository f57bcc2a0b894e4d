/** The verdict of a verification. `message` is one sentence for people. */
export type Verdict =
  | { readonly kind: "pass"; readonly message: string }
  | { readonly kind: "fail"; readonly message: string }
  /** The case lacks a field that the verification needs. The message names the field. */
  | { readonly kind: "not-asked"; readonly message: string };

export const pass = (message: string): Verdict => ({ kind: "pass", message });
export const fail = (message: string): Verdict => ({ kind: "fail", message });
export const skip = (message: string): Verdict => ({ kind: "not-asked", message });
