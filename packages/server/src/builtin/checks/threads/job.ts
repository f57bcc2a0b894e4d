/** A job for a thread. It holds only texts, so that no nested value has to be copied. */
export type ThreadJob =
  | { readonly kind: "secrets"; readonly text: string }
  | { readonly kind: "syntax"; readonly texts: readonly { text: string; languages: readonly Language[] }[] };

/**
 * The answer of a thread. If the kind is `failed` or `spoilt` is true, the memory of a parser may be corrupt. The pool
 * then does not use the thread again.
 */
export type ThreadAnswer =
  | { readonly kind: "secrets"; readonly secrets: readonly FoundSecret[] }
  | {
      readonly kind: "syntax";
      readonly faults: readonly (SyntaxFault | undefined)[];
      readonly spoilt: boolean;
    }
  | { readonly kind: "failed" };

/** The position and the kind of a secret, never its value. */
export interface FoundSecret {
  readonly like: string;
  readonly start: number;
  readonly end: number;
}

export const languages = ["json", "yaml", "typescript", "javascript", "sql", "shell"] as const;
export type Language = (typeof languages)[number];

/**
 * A syntax fault. `too-complex` means that the text is nested too deeply or too large for the parser. Its syntax is
 * then unknown, and the text does not pass.
 */
export type SyntaxFault =
  | { readonly kind: "at"; readonly line: number; readonly column: number }
  | { readonly kind: "somewhere" }
  | { readonly kind: "nul" }
  | { readonly kind: "too-complex" };
