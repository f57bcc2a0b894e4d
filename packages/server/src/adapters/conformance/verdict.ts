/** What a verification came to. `says`: one sentence for people. */
export type Verdict =
  | { readonly kind: "pass"; readonly says: string }
  | { readonly kind: "fail"; readonly says: string }
  /** The case gives too little for it: what it would have to give. */
  | { readonly kind: "not-asked"; readonly says: string };

export const pass = (says: string): Verdict => ({ kind: "pass", says });
export const fail = (says: string): Verdict => ({ kind: "fail", says });
export const notAsked = (says: string): Verdict => ({ kind: "not-asked", says });
