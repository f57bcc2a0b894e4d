import { z } from "zod";

/** Who wrote a commit. Git would drop what it does not take without a word; here it is a fault. */
export const identInput = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\p{C}<>]*[\p{L}\p{N}][^\p{C}<>]*$/u, "a name in one line, without < and >"),
  email: z
    .string()
    .min(1)
    .max(254)
    .regex(/^[^\p{C}<>\s]*[\p{L}\p{N}][^\p{C}<>\s]*$/u, "an address in one line, without spaces, < and >"),
});

export type Ident = z.output<typeof identInput>;

/** As git keeps it: what stands at either end of these is dropped. */
export function asKept({ name, email }: Ident): Ident {
  return { name: stripped(name), email: stripped(email) };
}

/** Who wrote it, and who put it there. The environment, since an argument would be read by every user of the machine. */
export function identEnvironment(author: Ident, committer: Ident): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
  };
}

function stripped(text: string): string {
  return text.replace(/^[\s.,:;"\\']+|[\s.,:;"\\']+$/g, "");
}
