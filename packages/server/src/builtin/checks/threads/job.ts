/** What a thread is asked to do. Texts only: nothing nested has to be copied over. */
export type ThreadJob =
  | { readonly kind: "secrets"; readonly text: string }
  | { readonly kind: "syntax"; readonly texts: readonly { text: string; languages: readonly Language[] }[] };

/** `failed`: it threw, or the parser's own memory may be spoilt; the thread is not used again. */
export type ThreadAnswer =
  | { readonly kind: "secrets"; readonly secrets: readonly FoundSecret[] }
  | {
      readonly kind: "syntax";
      readonly faults: readonly (SyntaxFault | undefined)[];
      readonly spoilt: boolean;
    }
  | { readonly kind: "failed" };

/** Where a secret was found and which kind it looks like; never what it is. */
export interface FoundSecret {
  readonly like: string;
  readonly start: number;
  readonly end: number;
}

export const languages = ["json", "yaml", "typescript", "javascript", "sql", "shell"] as const;
export type Language = (typeof languages)[number];

/** `too-complex`: nested too deeply or too large for the parser, which says nothing about its syntax and is no pass. */
export type SyntaxFault =
  | { readonly kind: "at"; readonly line: number; readonly column: number }
  | { readonly kind: "somewhere" }
  | { readonly kind: "nul" }
  | { readonly kind: "too-complex" };
